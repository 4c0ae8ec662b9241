// Stable radix sorts of whole numbers by some of their bits, and of edges.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gdsl_order {

constexpr int DIGIT = 8;  // bits; with more, the places that are written to exceed a first-level cache
constexpr int64_t BUCKETS = 1 << DIGIT;
constexpr int WIDE_DIGIT = 12;         // bits, if all numbers are in the second-level cache
constexpr int64_t MANY = 1 << 13;      // so many numbers are worth counting wide digits
constexpr int64_t IN_CACHE = 1 << 18;  // fewer numbers are not divided into pieces

// Moves the numbers of `from` to `to`, sorted by the digit of `bits` at `shift`. `counts` are the counts of the digits,
// and become the places where the numbers of each digit end.
template <typename Number>
void move(const Number* from, Number* to, int64_t size, int shift, int bits, int64_t* counts) {
    const int64_t buckets = int64_t{1} << bits;
    int64_t sum = 0;
    for (int64_t bucket = 0; bucket < buckets; bucket++) sum += std::exchange(counts[bucket], sum);
    for (int64_t at = 0; at < size; at++) {
        const Number number = from[at];
        to[counts[static_cast<int64_t>(number >> shift) & (buckets - 1)]++] = number;
    }
}

// Sorts `numbers` by the bits from `low` up to `high`, from the last digit to the first; returns whether they are now
// in `spare`.
template <typename Number>
bool from_the_last(Number* numbers, Number* spare, int64_t size, int low, int high) {
    constexpr int MOST = (8 * sizeof(Number) + WIDE_DIGIT - 1) / WIDE_DIGIT;
    int64_t counts[MOST << WIDE_DIGIT];  // narrow digits, of which there are more, take less room
    const int most = size < MANY ? DIGIT : WIDE_DIGIT;
    const int digits = (high - low + most - 1) / most;
    if (digits == 0) return false;
    // The first digit may include bits above `high`, which are equal in all numbers.
    const int bits = (high - low + digits - 1) / digits;
    const int64_t buckets = int64_t{1} << bits;
    std::memset(counts, 0, sizeof *counts * buckets * digits);
    for (int64_t at = 0; at < size; at++) {
        const Number number = numbers[at] >> low;
        for (int digit = 0; digit < digits; digit++) {
            counts[digit * buckets + (static_cast<int64_t>(number >> digit * bits) & (buckets - 1))]++;
        }
    }
    bool moved = false;
    for (int digit = 0; digit < digits; digit++) {
        const int shift = low + digit * bits;
        int64_t* of_digit = counts + digit * buckets;
        if (of_digit[static_cast<int64_t>(numbers[0] >> shift) & (buckets - 1)] == size) continue;
        move(numbers, spare, size, shift, bits, of_digit);
        std::swap(numbers, spare);
        moved = !moved;
    }
    return moved;
}

// Sorts numbers of any count: those that do not fit in a cache are first divided by their first digit.
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
    int64_t ends[BUCKETS] = {};
    for (int64_t at = 0; at < size; at++) ends[static_cast<int64_t>(numbers[at] >> shift) & (BUCKETS - 1)]++;
    if (ends[static_cast<int64_t>(numbers[0] >> shift) & (BUCKETS - 1)] == size) {
        return sort(numbers, spare, size, low, shift, into_spare);
    }
    move(numbers, spare, size, shift, DIGIT, ends);
    for (int64_t bucket = 0, begin = 0; bucket < BUCKETS; begin = ends[bucket++]) {
        sort(spare + begin, numbers + begin, ends[bucket] - begin, low, shift, !into_spare);
    }
}

// A stable sort of edges of 32-bit ids by source and destination: first into blocks of neighboring sources, as many as
// can be written to together, then each block on its own.

// Values of edges, each of 1, 2, 4 or 8 bytes.
struct Values {
    int32_t count;
    const int32_t* sizes;
    void* const* arrays;
};

constexpr int64_t AT_A_TIME = 1024;

template <typename Visit>
void by_size(int32_t size, const Visit& visit) {
    if (size == 1) visit(uint8_t{});
    if (size == 2) visit(uint16_t{});
    if (size == 4) visit(uint32_t{});
    if (size == 8) visit(uint64_t{});
}

// Appends `size` edges to the blocks of their sources, whose ends are in `next`; with `both_ways` each edge except
// loops is followed by its opposite. The lower `local_bits` bits of the source go to `locals`, the destination to `columns`,
// values of `from` to `to`.
inline void divide(const int32_t* sources, const int32_t* destinations, const Values& from, int64_t size, bool both_ways,
                   int local_bits, int64_t* next, uint32_t* locals, int32_t* columns, const Values& to) {
    const uint32_t mask = (uint32_t{1} << local_bits) - 1;
    int64_t places[AT_A_TIME], opposites[AT_A_TIME];
    const auto put = [&](int32_t source, int32_t destination) {
        const int64_t place = next[static_cast<uint32_t>(source) >> local_bits]++;
        locals[place] = static_cast<uint32_t>(source) & mask;
        columns[place] = destination;
        return place;
    };
    for (int64_t first = 0; first < size; first += AT_A_TIME) {
        const int64_t count = size - first < AT_A_TIME ? size - first : AT_A_TIME;
        for (int64_t at = 0; at < count; at++) {
            const int32_t source = sources[first + at], destination = destinations[first + at];
            places[at] = put(source, destination);
            if (both_ways) opposites[at] = source == destination ? places[at] : put(destination, source);
        }
        for (int32_t number = 0; number < from.count; number++) {
            by_size(from.sizes[number], [&](auto kind) {
                using Value = decltype(kind);
                const Value* given = static_cast<const Value*>(from.arrays[number]) + first;
                Value* moved = static_cast<Value*>(to.arrays[number]);
                for (int64_t at = 0; at < count; at++) moved[places[at]] = given[at];
                for (int64_t at = 0; both_ways && at < count; at++) moved[opposites[at]] = given[at];
            });
        }
    }
}

// Sorts one block of `size` edges in place, in `locals`, `columns` and `values` from `begin` on, and writes the ends of
// the lists of its `num_vertices` sources. `keys` and `spare` have room for a key an edge.
template <typename Key>
void order_block(const uint32_t* locals, int32_t* columns, const Values& values, int64_t begin, int64_t size, int local_bits,
                 int id_bits, int64_t num_vertices, int64_t* ends, Key* keys, Key* spare) {
    int place_bits = 0;
    while (values.count != 0 && size >> place_bits != 0) place_bits++;
    for (int64_t at = 0; at < size; at++) {
        const Key source = locals[begin + at], destination = static_cast<uint32_t>(columns[begin + at]);
        keys[at] = (source << id_bits | destination) << place_bits | static_cast<Key>(values.count != 0 ? at : 0);
    }
    sort(keys, spare, size, place_bits, place_bits + id_bits + local_bits, false);
    const Key ids = (Key{1} << id_bits) - 1, places = (Key{1} << place_bits) - 1;
    for (int64_t at = 0; at < size; at++) {
        const Key key = keys[at] >> place_bits;
        columns[begin + at] = static_cast<int32_t>(key & ids);
        ends[static_cast<int64_t>(key >> id_bits)] = begin + at + 1;
    }
    int64_t last = begin;  // also the end of the lists of vertices without edges
    for (int64_t vertex = 0; vertex < num_vertices; vertex++) last = ends[vertex] = ends[vertex] > last ? ends[vertex] : last;
    for (int32_t number = 0; number < values.count; number++) {
        by_size(values.sizes[number], [&](auto kind) {
            using Value = decltype(kind);
            Value* moved = static_cast<Value*>(values.arrays[number]) + begin;
            Value* copy = reinterpret_cast<Value*>(spare);
            std::memcpy(copy, moved, size * sizeof(Value));
            for (int64_t at = 0; at < size; at++) moved[at] = copy[static_cast<int64_t>(keys[at] & places)];
        });
    }
}

}  // namespace gdsl_order

// Sorts `size` numbers by their bits from `low` up to `high`, above which all bits are equal; `spare` has room for as
// many numbers.
extern "C" void gdsl_sort_64(uint64_t* numbers, uint64_t* spare, int64_t size, int32_t low, int32_t high) {
    gdsl_order::sort(numbers, spare, size, low, high, false);
}

extern "C" void gdsl_sort_32(uint32_t* numbers, uint32_t* spare, int64_t size, int32_t low, int32_t high) {
    gdsl_order::sort(numbers, spare, size, low, high, false);
}

// Adds to `counts` how many edges, with `both_ways` also opposites, belong to each block.
extern "C" void gdsl_count_blocks(const int32_t* sources, const int32_t* destinations, int64_t size, int32_t both_ways,
                                  int32_t local_bits, int64_t* counts) {
    for (int64_t at = 0; at < size; at++) {
        counts[static_cast<uint32_t>(sources[at]) >> local_bits]++;
        if (both_ways && sources[at] != destinations[at]) counts[static_cast<uint32_t>(destinations[at]) >> local_bits]++;
    }
}

extern "C" void gdsl_divide(const int32_t* sources, const int32_t* destinations, void* const* given, int64_t size,
                            int32_t num_values, const int32_t* sizes, int32_t both_ways, int32_t local_bits, int64_t* next,
                            uint32_t* locals, int32_t* columns, void* const* moved) {
    const gdsl_order::Values from{num_values, sizes, given}, to{num_values, sizes, moved};
    gdsl_order::divide(sources, destinations, from, size, both_ways != 0, local_bits, next, locals, columns, to);
}

// Sorts the block of edges from `begin` up to `end`; `room` is for two keys an edge, of `key_size` bytes each: 16 if 8
// are too few for both ends and a place in the block.
extern "C" void gdsl_order_block(const uint32_t* locals, int32_t* columns, int32_t num_values, const int32_t* sizes,
                                 void* const* moved, int64_t begin, int64_t end, int32_t local_bits, int32_t id_bits,
                                 int64_t num_vertices, int64_t* ends, void* room, int32_t key_size) {
    const gdsl_order::Values values{num_values, sizes, moved};
    const auto order = [&](auto key) {
        using Key = decltype(key);
        Key* keys = static_cast<Key*>(room);
        gdsl_order::order_block<Key>(locals, columns, values, begin, end - begin, local_bits, id_bits, num_vertices, ends, keys,
                                     keys + (end - begin));
    };
    if (key_size == 8) {
        order(uint64_t{});
    } else {
        order(static_cast<unsigned __int128>(0));
    }
}
