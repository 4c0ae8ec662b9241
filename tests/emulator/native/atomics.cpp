// Atomics and the loads and stores that other threads may meet. One OS thread runs them all, so that each is atomic
// as it stands; what needs care is what they promise.
#include "core.h"

#include <cstring>

namespace emulator {

namespace {

constexpr u64 CYCLES = 256;  // an access takes so many, or no small run would ever poll for a stop

template <class T, class Change>
T change(T* address, u64 site, u32 system, Change next) {
    check_access(address, sizeof(T), READ | WRITE | ATOMIC | system, site);
    Fiber& fiber = *machine.current;
    atomic_read(fiber, address, false, system);
    const T former = *address;
    *address = next(former);
    atomic_write(fiber, address, false, false, system);
    wake_waiters(address);
    return former;
}

// Where a single byte changes the others are not claimed: a bool is exchanged in its aligned word.
template <class T>
T exchange_if(T* address, T expected, T value, u64 site, u32 system) {
    if (reinterpret_cast<u64>(address) % sizeof(T) != 0) {
        fail(MISALIGNED, site, 0, "a compare-and-swap is not aligned");
    }
    const T differs = expected ^ value;
    const unsigned byte = differs == 0 ? 0 : unsigned(__builtin_ctzll(differs)) / 8;
    if (differs >> (8 * byte) <= 0xff) {
        check_access(reinterpret_cast<char*>(address) + byte, 1, READ | WRITE | ATOMIC | system, site);
    } else {
        check_access(address, sizeof(T), READ | WRITE | ATOMIC | system, site);
    }
    Fiber& fiber = *machine.current;
    atomic_read(fiber, address, false, system);
    const T former = *address;
    if (former == expected) {
        *address = value;
        atomic_write(fiber, address, false, false, system);
        wake_waiters(address);
    }
    return former;
}

template <class T>
T sum(T a, T b) { return a + b; }
template <>
int sum(int a, int b) { return int(unsigned(a) + unsigned(b)); }

}  // namespace

unsigned long long load(const void* address, unsigned size, bool acquires, bool system) {
    check_access(address, size, READ | ATOMIC | (system ? SYSTEM : 0), EMULATOR_SITE);
    atomic_read(*machine.current, address, acquires, system);
    unsigned long long bits = 0;
    std::memcpy(&bits, address, size);
    return bits;
}

// A read through the cache of the block's multiprocessor: sometimes of what a thread of the block has read there before.
// It is never torn, whichever GPU writes, and no line of the cache outlives a barrier of the grid.
unsigned long long load_cached(const void* address, unsigned size) {
    check_access(address, size, READ | ATOMIC | SYSTEM, EMULATOR_SITE);
    const Fiber& fiber = *machine.current;
    auto& seen = machine.blocks[fiber.block].seen;
    const auto found = seen.find(reinterpret_cast<u64>(address));
    if (found != seen.end() && found->second.writer != fiber.id && next_random() % 4 != 0) { return found->second.bits; }
    unsigned long long bits = 0;
    std::memcpy(&bits, address, size);
    seen[reinterpret_cast<u64>(address)] = Cached{bits, NOBODY};
    return bits;
}

unsigned long long load_read_only(const void* address, unsigned size) {
    check_access(address, size, READ | READ_ONLY, EMULATOR_SITE);
    unsigned long long bits = 0;
    std::memcpy(&bits, address, size);
    return bits;
}

void store(void* address, unsigned size, unsigned long long bits, bool releases) {
    check_access(address, size, WRITE | ATOMIC | SYSTEM, EMULATOR_SITE);
    std::memcpy(address, &bits, size);
    atomic_write(*machine.current, address, releases, true, true);
    wake_waiters(address);
}

// Accesses to two words at once, which hardware has at a multiple of 16 bytes.
constexpr u32 WIDE = 16;

void check_wide(const void* address, u32 flags, u64 site) {
    if (reinterpret_cast<u64>(address) % WIDE != 0) { fail(MISALIGNED, site, 0, "an access to two words is not aligned"); }
    check_access(address, WIDE, flags | ATOMIC, site);
}

void load_wide(const unsigned long long* address, unsigned long long* words, bool system) {
    check_wide(address, READ | (system ? SYSTEM : 0), EMULATOR_SITE);
    atomic_read(*machine.current, address, false, system);
    std::memcpy(words, address, WIDE);
}

void store_wide(unsigned long long* address, const unsigned long long* words, bool system) {
    check_wide(address, WRITE | (system ? SYSTEM : 0), EMULATOR_SITE);
    std::memcpy(address, words, WIDE);
    atomic_write(*machine.current, address, false, true, system);
}

void exchange_wide(unsigned long long* address, unsigned long long* expected, const unsigned long long* words, bool system) {
    check_wide(address, READ | WRITE | (system ? SYSTEM : 0), EMULATOR_SITE);
    Fiber& fiber = *machine.current;
    atomic_read(fiber, address, false, system);
    const bool same = std::memcmp(address, expected, WIDE) == 0;
    std::memcpy(expected, address, WIDE);
    if (same) {
        std::memcpy(address, words, WIDE);
        atomic_write(fiber, address, false, false, system);
    }
}

// Waits without spinning, so that a barrier that somebody never comes to is a deadlock and no hang.
unsigned long long wait_for_field(const unsigned long long* address, unsigned long long field, unsigned long long target,
                                  bool system) {
    const u64 site = EMULATOR_SITE;
    Fiber& fiber = *machine.current;
    while (true) {
        check_access(address, sizeof *address, READ | ATOMIC | (system ? SYSTEM : 0), site);
        atomic_read(fiber, address, true, system);
        if ((*address & field) >= target) {
            machine.blocks[fiber.block].seen.clear();
            machine.blocks[fiber.block].overwritten.clear();
            return *address;
        }
        fiber.site = site;
        fiber.address = address;
        machine.waiting.push_back(fiber.id);
        block_current(State::address);
    }
}

// Before its use below, which would otherwise find the C library's function: the time of this process.
unsigned long long clock() { return CYCLES * (machine.steps + machine.granted - machine.budget); }

unsigned read_host(const unsigned* flag) {
    const u64 stop_at = machine.options.stop_at;
    return *static_cast<const volatile unsigned*>(flag) != 0 || (stop_at != 0 && clock() / CYCLES >= stop_at);
}

void pause() {
    machine.budget = 1;
    spend(EMULATOR_SITE);
}

uint3 thread_index() { return uint3{machine.current->id % machine.options.block, 0, 0}; }
u32 row() { return machine.options.grid / machine.options.teams; }
uint3 block_index() { return uint3{machine.current->block % row(), machine.current->block / row(), 0}; }
uint3 block_size() { return uint3{machine.options.block, 1, 1}; }
// Of the blocks of its GPU: where these begin, and how many there are.
u32 first_block(u32 gpu) {
    const u64 grid = machine.options.grid, gpus = machine.options.gpus;
    return u32((gpu * grid + gpus - 1) / gpus);
}
unsigned own_block_index() { return machine.current->block - first_block(gpu_of(machine.current->block)); }
unsigned own_block_count() {
    const u32 gpu = gpu_of(machine.current->block);
    return first_block(gpu + 1) - first_block(gpu);
}
unsigned own_gpu() { return gpu_of(machine.current->block); }
unsigned gpu_count() { return machine.options.gpus; }
bool members_by_owner() { return machine.options.seed % 2 == 0; }
uint3 grid_size() { return uint3{row(), machine.options.teams, 1}; }

}  // namespace emulator

#define ATOMIC(name, T, result) \
    T name(T* address, T b) { \
        return emulator::change(address, EMULATOR_SITE, 0, [b]([[maybe_unused]] T a) -> T { return result; }); \
    } \
    T name##_system(T* address, T b) { \
        return emulator::change(address, EMULATOR_SITE, emulator::SYSTEM, \
                                [b]([[maybe_unused]] T a) -> T { return result; }); \
    }
ATOMIC(atomicAdd, int, emulator::sum(a, b))
ATOMIC(atomicAdd, unsigned, a + b)
ATOMIC(atomicAdd, unsigned long long, a + b)
ATOMIC(atomicAdd, float, a + b)
ATOMIC(atomicAdd, double, a + b)
ATOMIC(atomicSub, int, int(unsigned(a) - unsigned(b)))
ATOMIC(atomicSub, unsigned, a - b)
ATOMIC(atomicMin, int, b < a ? b : a)
ATOMIC(atomicMin, unsigned, b < a ? b : a)
ATOMIC(atomicMin, long long, b < a ? b : a)
ATOMIC(atomicMin, unsigned long long, b < a ? b : a)
ATOMIC(atomicMax, int, a < b ? b : a)
ATOMIC(atomicMax, unsigned, a < b ? b : a)
ATOMIC(atomicMax, long long, a < b ? b : a)
ATOMIC(atomicMax, unsigned long long, a < b ? b : a)
ATOMIC(atomicAnd, int, a & b)
ATOMIC(atomicAnd, unsigned, a & b)
ATOMIC(atomicAnd, unsigned long long, a & b)
ATOMIC(atomicOr, int, a | b)
ATOMIC(atomicOr, unsigned, a | b)
ATOMIC(atomicOr, unsigned long long, a | b)
ATOMIC(atomicXor, int, a ^ b)
ATOMIC(atomicXor, unsigned, a ^ b)
ATOMIC(atomicXor, unsigned long long, a ^ b)
ATOMIC(atomicExch, int, b)
ATOMIC(atomicExch, unsigned, b)
ATOMIC(atomicExch, unsigned long long, b)
ATOMIC(atomicExch, float, b)

#define EXCHANGE(name, system) \
    int name(int* address, int expected, int value) { \
        unsigned* const word = reinterpret_cast<unsigned*>(address); \
        return int(emulator::exchange_if(word, unsigned(expected), unsigned(value), EMULATOR_SITE, system)); \
    } \
    unsigned name(unsigned* address, unsigned expected, unsigned value) { \
        return emulator::exchange_if(address, expected, value, EMULATOR_SITE, system); \
    } \
    unsigned long long name(unsigned long long* address, unsigned long long expected, unsigned long long value) { \
        return emulator::exchange_if(address, expected, value, EMULATOR_SITE, system); \
    }
EXCHANGE(atomicCAS, 0)
EXCHANGE(atomicCAS_system, emulator::SYSTEM)
