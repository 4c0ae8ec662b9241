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

// piece: floor ceil trunc sqrt exp log pow
using std::ceil;
using std::exp;
using std::floor;
using std::log;
using std::pow;
using std::sqrt;
using std::trunc;

// piece: sin cos asin acos atan atan2 sinh cosh tanh
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::sin;
using std::sinh;
using std::tanh;

// piece: thread_count
// The number of threads in a parallel region; 1 without OpenMP.
inline int32 thread_count() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

// piece: thread_number
// The number of this thread in its region.
inline int32 thread_number() {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

// piece: threads_of_region
// The number of threads in this region, which may be fewer than there could be.
inline int32 threads_of_region() {
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

// piece: startable_threads
#ifdef _OPENMP
// How many of `wanted` threads the machine can run together, determined by starting them. (A compiler takes a third
// less time for a whole program than with `std::thread`.)
inline int32 startable_threads(int32 wanted) {
    pthread_t* const started = static_cast<pthread_t*>(std::malloc(std::size_t(wanted) * sizeof(pthread_t)));
    if (started == nullptr) { return 1; }
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    const auto pass_gate = [](void* gate) -> void* {
        pthread_mutex_lock(static_cast<pthread_mutex_t*>(gate));
        pthread_mutex_unlock(static_cast<pthread_mutex_t*>(gate));
        return nullptr;
    };
    int32 count = 0;
    pthread_mutex_lock(&gate);
    while (count + 1 < wanted && pthread_create(&started[count], nullptr, pass_gate, &gate) == 0) { ++count; }
    pthread_mutex_unlock(&gate);
    for (int32 i = 0; i < count; ++i) { pthread_join(started[i], nullptr); }
    std::free(started);
    return count + 1 < wanted ? count / 2 + 1 : wanted;  // leaves some for others
}
#endif

// piece: limit_threads
// OpenMP ends the process if it cannot start as many threads as requested.
inline void limit_threads() {
#ifdef _OPENMP
    const int32 few = 64, many = 4 * omp_get_num_procs();
    const int32 most = few < many ? many : few;
    const int32 available = omp_get_max_threads(), wanted = available < most ? available : most;
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static int32 tried = 1, threads = 1;
    pthread_mutex_lock(&one_at_a_time);
    if (wanted > tried) {  // an earlier run may have needed only one thread
        threads = startable_threads(wanted);
        tried = wanted;
    }
    const int32 limit = threads < available ? threads : available;
    pthread_mutex_unlock(&one_at_a_time);
    omp_set_num_threads(limit);
#endif
}

// piece: now_in_nanoseconds
inline int64 now_in_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// piece: now_in_ticks
// A clock that is read in a few cycles; the host learns the length of a tick from the run.
inline int64 now_in_ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return int64(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    int64 now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    return now_in_nanoseconds();
#endif
}
