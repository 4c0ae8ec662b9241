// piece: rank_word
// The bits of a number, ordered as numbers are; -0.0 counts as 0.0.
__device__ __forceinline__ uint32 rank_word(uint32 x) { return x; }
__device__ __forceinline__ uint64 rank_word(uint64 x) { return x; }
__device__ __forceinline__ uint32 rank_word(int32 x) { return uint32(x) ^ 0x80000000u; }
__device__ __forceinline__ uint64 rank_word(int64 x) { return uint64(x) ^ (1ull << 63); }
__device__ __forceinline__ uint32 rank_word(float32 x) {
    const uint32 bits = bits_of<uint32>(x + 0.0f);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ uint64 rank_word(float64 x) {
    const uint64 bits = bits_of<uint64>(x + 0.0);
    return (bits >> 63) != 0 ? ~bits : bits | (1ull << 63);
}

// piece: ranked_number
// The number that has these bits.
__device__ __forceinline__ float64 ranked_number(uint32 word, uint32) { return float64(word); }
__device__ __forceinline__ float64 ranked_number(uint64 word, uint64) { return float64(word); }
__device__ __forceinline__ float64 ranked_number(uint32 word, int32) { return float64(int32(word ^ 0x80000000u)); }
__device__ __forceinline__ float64 ranked_number(uint64 word, int64) { return float64(int64(word ^ (1ull << 63))); }
__device__ __forceinline__ float64 ranked_number(uint32 word, float32) {
    return float64(bits_of<float32>((word >> 31) != 0 ? word & 0x7fffffffu : ~word));
}
__device__ __forceinline__ float64 ranked_number(uint64 word, float64) {
    return bits_of<float64>((word >> 63) != 0 ? word & ~(1ull << 63) : ~word);
}

// piece: nearest_number
// `x` as a number of another type: the end of its range where that does not reach so far.
__device__ __forceinline__ float32 nearest_number(float64 x, float32) { return float32(x); }
__device__ __forceinline__ float64 nearest_number(float64 x, float64) { return x; }
template <class T>
__device__ __forceinline__ T integer_within(float64 x, T low, T high) {
    return x <= float64(low) ? low : x >= float64(high) ? high : T(x);
}
__device__ __forceinline__ int32 nearest_number(float64 x, int32) { return integer_within<int32>(x, -2147483647 - 1, 2147483647); }
__device__ __forceinline__ uint32 nearest_number(float64 x, uint32) { return integer_within<uint32>(x, 0u, 4294967295u); }
__device__ __forceinline__ int64 nearest_number(float64 x, int64) {
    return integer_within<int64>(x, -9223372036854775807ll - 1, 9223372036854775807ll);
}
__device__ __forceinline__ uint64 nearest_number(float64 x, uint64) { return integer_within<uint64>(x, 0ull, ~0ull); }
