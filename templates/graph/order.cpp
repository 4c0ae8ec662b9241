// Whole numbers in order by some of their bits, those with equal ones as they stood: by counting, eight bits at a time.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gdsl_order {

constexpr int DIGIT = 8;  // bits; more of them are more places that are written to than a first-level cache has room for
constexpr int64_t BUCKETS = 1 << DIGIT;
constexpr int64_t IN_CACHE = 1 << 16;  // numbers, twice of which lie in the cache of a core

inline int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }

// The numbers of `from` in `to`, in order by the digit at `shift`, of which there are `counts`.
template <typename Number>
void move(const Number* from, Number* to, int64_t size, int shift, const int64_t* counts) {
    int64_t next[BUCKETS], sum = 0;
    for (int64_t bucket = 0; bucket < BUCKETS; bucket++) {
        next[bucket] = sum;
        sum += counts[bucket];
    }
    for (int64_t at = 0; at < size; at++) {
        const Number number = from[at];
        to[next[(number >> shift) & (BUCKETS - 1)]++] = number;
    }
}

// `numbers` in order by the bits from `low` up to `high`, from the last digit to the first; whether they now lie in
// `spare`, and not where they were.
template <typename Number>
bool from_the_last(Number* numbers, Number* spare, int64_t size, int low, int high) {
    constexpr int MOST = 8 * sizeof(Number) / DIGIT;
    int64_t counts[MOST][BUCKETS] = {};
    // The first digit may have bits above `high`, which are the same in all of these.
    const int digits = (high - low + DIGIT - 1) / DIGIT;
    for (int64_t at = 0; at < size; at++) {
        const Number number = numbers[at] >> low;
        for (int digit = 0; digit < digits; digit++) counts[digit][(number >> digit * DIGIT) & (BUCKETS - 1)]++;
    }
    bool moved = false;
    for (int digit = 0; digit < digits; digit++) {
        const int shift = low + digit * DIGIT;
        if (counts[digit][(numbers[0] >> shift) & (BUCKETS - 1)] == size) continue;
        move(numbers, spare, size, shift, counts[digit]);
        std::swap(numbers, spare);
        moved = !moved;
    }
    return moved;
}

// The same, of which what a cache has no room for is divided by its first digit before.
template <typename Number>
void sort(Number* numbers, Number* spare, int64_t size, int low, int high, bool into_spare) {
    if (size == 0) return;
    if (size <= IN_CACHE || high - low <= DIGIT) {
        if (from_the_last(numbers, spare, size, low, high) != into_spare) {
            std::memcpy(into_spare ? spare : numbers, into_spare ? numbers : spare, size * sizeof(Number));
        }
        return;
    }
    const int shift = high - DIGIT;
    int64_t counts[BUCKETS] = {};
    for (int64_t at = 0; at < size; at++) counts[(numbers[at] >> shift) & (BUCKETS - 1)]++;
    if (counts[(numbers[0] >> shift) & (BUCKETS - 1)] == size) return sort(numbers, spare, size, low, shift, into_spare);
    move(numbers, spare, size, shift, counts);
    for (int64_t bucket = 0, begin = 0; bucket < BUCKETS; begin += counts[bucket++]) {
        sort(spare + begin, numbers + begin, counts[bucket], low, shift, !into_spare);
    }
}

}  // namespace gdsl_order

// Put `size` numbers in order by their bits from `low` up to `high`, above which all have the same; `spare` is room for
// as many.
extern "C" void gdsl_sort_64(uint64_t* numbers, uint64_t* spare, int64_t size, int32_t low, int32_t high) {
    gdsl_order::sort(numbers, spare, size, low, high, false);
}

extern "C" void gdsl_sort_32(uint32_t* numbers, uint32_t* spare, int64_t size, int32_t low, int32_t high) {
    gdsl_order::sort(numbers, spare, size, low, high, false);
}
