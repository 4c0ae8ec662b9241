// piece: RandomBlock philox
// Philox4x32-10, a counter-based generator (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3").
struct RandomBlock { uint32 word[4]; };
inline RandomBlock philox(RandomBlock counter, uint32 key, uint32 second_key) {
    for (int32 round = 0; round < 10; ++round) {
        const uint64 first = uint64(0xd2511f53u) * counter.word[0];
        const uint64 second = uint64(0xcd9e8d57u) * counter.word[2];
        const RandomBlock next = {{uint32(second >> 32) ^ counter.word[1] ^ key, uint32(second),
                                   uint32(first >> 32) ^ counter.word[3] ^ second_key, uint32(first)}};
        counter = next;
        key += 0x9e3779b9u;
        second_key += 0xbb67ae85u;
    }
    return counter;
}

// piece: block_after
inline RandomBlock block_after(RandomBlock block, int64 key) {
    return philox({{uint32(uint64(key)), uint32(uint64(key) >> 32), block.word[2], block.word[3]}}, block.word[0], block.word[1]);
}

// piece: drawn
// The block for some keys: each is half of a counter, whose other half, and whose key, is the block for those before it.
template <class... Keys>
inline RandomBlock drawn(Keys... keys) {
    RandomBlock block = {{0, 0, 0, 0}};
    const RandomBlock all[] = {(block = block_after(block, int64(keys)))...};  // a loop would keep them in memory
    return all[sizeof...(keys) - 1];
}

// piece: low_words
// The 64 bits of a block that are returned.
inline uint64 low_words(RandomBlock block) { return uint64(block.word[1]) << 32 | block.word[0]; }

// piece: random_bits
template <class... Keys>
inline uint64 random_bits(Keys... keys) { return low_words(drawn(keys...)); }

// piece: random_unit
// The 24 highest bits, as many as every float32 below 1 has, over 2^24.
template <class... Keys>
inline float32 random_unit(Keys... keys) { return float32(uint32(low_words(drawn(keys...)) >> 40)) * (1.0f / 16777216.0f); }

// piece: high_product
// The upper half of a product of 64 bits each.
inline uint64 high_product(uint64 a, uint64 b) {
    const uint64 a_low = uint32(a), a_high = a >> 32, b_low = uint32(b), b_high = b >> 32;
    const uint64 cross = a_low * b_high;
    const uint64 middle = (a_low * b_low >> 32) + uint32(cross) + a_high * b_low;
    return a_high * b_high + (cross >> 32) + (middle >> 32);
}

// piece: random_below
// Each number of [0, limit) as likely as any other: the upper half of the product of 64 bits and the limit; where the
// lower half says that the number came up once too often (each time with a chance of less than a half), another block
// decides. 0 where the limit is not above 0.
template <class T, class... Keys>
inline T random_below(T limit, Keys... keys) {
    if (!(limit > T(0))) { return T(0); }
    const uint64 below = uint64(limit);
    const RandomBlock block = drawn(keys...);
    uint64 bits = low_words(block);
    if (wrapping_multiply(bits, below) < below) {
        const uint64 least = (uint64(0) - below) % below;
        for (uint32 draw = 1; draw < 128 && wrapping_multiply(bits, below) < least; ++draw) {
            bits = low_words(philox(block, draw, 0x72657472u));
        }
    }
    return T(high_product(bits, below));
}
