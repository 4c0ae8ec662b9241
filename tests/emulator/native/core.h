// The emulator's own state: threads as fibers of one OS thread, their warps and blocks, and the memory they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace emulator {

typedef std::uint8_t u8;
typedef std::uint16_t u16;
typedef std::uint32_t u32;
typedef std::uint64_t u64;
struct uint3 { unsigned x, y, z; };

enum Kind : u32 { RACE = 1, BOUNDS, MISALIGNED, UNINITIALIZED, STALE, DIVERGENCE, DEADLOCK, STEPS, MISUSE };

// One finding; Python turns the sites into source lines.
struct Report {
    u32 kind, count;
    u64 site, other_site;
    u32 thread, block, other_thread, other_block;
    u64 address;
    u32 size, flags, other_flags, unused;
    char text[240];
};

// What is known to have happened before: of each block all before its barrier number `blocks[b]`, and beside it, of
// single warps and threads, what they did before their own epoch.
struct Clock {
    std::vector<u32> blocks;
    std::map<u32, u32> warps, threads;
    void join(const Clock& other);
};

enum class State : u8 { idle, runnable, warp, block, address, done };

struct Fiber {
    void* stack_pointer;
    char *stack_low, *stack_high;
    u32 id, block, warp, lane;
    State state;
    u32 block_epoch, warp_epoch, own_epoch;
    std::unique_ptr<Clock> known, fenced, pending, pending_system;
    bool fenced_system;  // whether the last fence reaches other GPUs
    // Where and what it waits for.
    u32 operation, mask, argument;
    u64 value, result;
    u64 site;
    const void* address;
    u32 place;  // among those that can go on
    u32 call;   // that it is in
};

// The lanes that wait at a collective, and which; `mixed`: not all at the same.
struct Warp {
    u32 waiting, done, mask, operation;
    u64 site;
    bool mixed;
};

// What a block's multiprocessor may have in its cache. A write by a thread of the block is seen by that thread at once and
// by the others behind a barrier of the block; writes by other blocks behind a barrier of the grid.
struct Cached {
    u64 bits;
    u32 writer;  // the last thread of the block that has written there since, or NOBODY
};
constexpr u32 NOBODY = ~0u;

struct Block {
    u32 arrived, finished;
    u32 ones;  // threads that brought a true predicate to the barrier
    Clock clock;
    std::vector<void*> shared;
    std::unordered_map<u64, Cached> seen;  // by address: what its cache may still hold since it last met the others
    std::vector<u64> overwritten;  // of these, by its own threads since their last barrier
};

struct Options {
    u32 grid, block;
    u64 seed;
    u32 resident;   // blocks at a time; 0: all, as a cooperative launch promises
    u32 stride;     // accesses between two switches on average; 0: as the seed has it
    u64 max_steps;
    u64 stop_at;    // accesses after which the host asks for a stop; 0: it never does
    u32 check_uninitialized;
    u32 teams;      // the grid is two-dimensional, a row of blocks a team
    u32 gpus;       // that have equal shares of the blocks, in order
    u32 arguments;  // of the kernel for each GPU, one after the other; 0: all have the same
};

struct Machine {
    Options options;
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    std::vector<Block> blocks;
    std::vector<u32> runnable, left_behind;
    std::vector<u32> waiting;  // for an address
    void (*kernel)(void**);
    void** arguments;
    Fiber* current;
    void* main_stack;
    u64 random, steps;
    u32 budget, granted, stride;
    u32 slow_from, slow_to;  // blocks that are left behind
    u32 finished_blocks, started_blocks;
    bool failed;
    u64 question[2];
    bool answer;
};

extern Machine machine;

// The threads of a fiber's warp; a block's last warp may be short.
inline u32 first_of_warp(const Fiber& fiber) { return fiber.id - fiber.lane; }
inline u32 end_of_warp(const Fiber& fiber) {
    const u32 end = first_of_warp(fiber) + 32, last = (fiber.block + 1) * machine.options.block;
    return end < last ? end : last;
}

inline u32 gpu_of(u32 block) { return block * machine.options.gpus / machine.options.grid; }

// fibers.cpp
extern "C" void emulator_switch(void** save, void* load);
void prepare_stack(Fiber& fiber, void (*entry)());

// scheduler.cpp
u64 next_random();
void make_runnable(Fiber& fiber);
void block_current(State state);
void switch_to_other();
void end_of_budget(u64 site);
bool same_site(u64 a, u64 b);
void wake_waiters(const void* address);

// Counts an access; now and then another fiber goes on.
inline void spend(u64 site) {
    if (--machine.budget == 0) { end_of_budget(site); }
}

// reports.cpp
Report& report(Kind kind, u64 site, u64 other_site);
// Reports and ends the launch; does not return to a fiber.
void fail(Kind kind, u64 site, u64 other_site, const char* format, ...) __attribute__((format(printf, 4, 5)));
void end_launch();

// clocks.cpp
const Clock& clock_of(const Fiber& fiber);
void acquire(Fiber& fiber, const Clock& clock);
Clock release(Fiber& fiber);
void atomic_read(Fiber& fiber, const void* address, bool acquires, bool system);
void atomic_write(Fiber& fiber, const void* address, bool releases, bool replaces, bool system);
void forget_clocks();

// hooks.cpp
bool is_module_data(const void* address);

// shadow.cpp
// SYSTEM: an atomic access whose scope is all GPUs.
enum Access : u32 { READ = 0, WRITE = 1, ATOMIC = 2, READ_ONLY = 4, IN_SHARED = 8, SYSTEM = 16 };
void check_access(const void* address, u32 size, u32 flags, u64 site);
void begin_shadow_epoch();
bool has_clock(const void* address);
void set_has_clock(const void* address, bool has);
bool in_arena(const void* address);

// arena.cpp
void* allocate_shared(u64 size);
void free_all_shared();

// calls.cpp
void forget_calls();

// Where something is done: a program counter and, above it, the call that it is within; 0 where there are too many.
constexpr u32 COUNTER_BITS = 48;
inline u64 caller(void* return_address) { return reinterpret_cast<u64>(return_address) - 1; }
inline u64 site_within(u32 call, u64 counter) { return u64(call >> 16 ? 0 : call) << COUNTER_BITS | counter; }
inline u64 site_of(void* return_address) {
    return site_within(machine.current != nullptr ? machine.current->call : 0, caller(return_address));
}
#define EMULATOR_SITE ::emulator::site_of(__builtin_return_address(0))

}  // namespace emulator
