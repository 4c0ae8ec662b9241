// piece: int32 uint32 int64 uint64 float32 float64
typedef std::int32_t int32;
typedef std::uint32_t uint32;
typedef long long int64;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;

// piece: FLOAT32_INF FLOAT64_INF
constexpr float32 FLOAT32_INF = std::numeric_limits<float32>::infinity();
constexpr float64 FLOAT64_INF = std::numeric_limits<float64>::infinity();

// piece: floor ceil sqrt exp log pow
using std::ceil;
using std::exp;
using std::floor;
using std::log;
using std::pow;
using std::sqrt;

// piece: thread_count
// How many threads a parallel region gets; 1 where the compiler has no OpenMP.
inline int32 thread_count() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

// piece: now_in_nanoseconds
inline int64 now_in_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64(now.tv_sec) * 1000000000 + now.tv_nsec;
}
