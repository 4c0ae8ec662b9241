// What has happened before what, between blocks: releases, acquires and fences, as C++ and PTX define them.
#include "core.h"

#include <algorithm>
#include <unordered_map>

namespace emulator {

namespace {
// What is learned from a word that somebody released through: by the threads of each GPU, if they acquire with the scope
// of their device, and by all threads whose scope is the system.
struct Released {
    Clock system;
    std::map<u32, Clock> of_gpu;
};
std::unordered_map<const void*, Released> clocks;
}

void Clock::join(const Clock& other) {
    if (blocks.size() < other.blocks.size()) { blocks.resize(other.blocks.size(), 0); }
    for (std::size_t i = 0; i < other.blocks.size(); ++i) { blocks[i] = std::max(blocks[i], other.blocks[i]); }
    for (const auto& [warp, epoch] : other.warps) { warps[warp] = std::max(warps[warp], epoch); }
    for (const auto& [thread, epoch] : other.threads) { threads[thread] = std::max(threads[thread], epoch); }
}

const Clock& clock_of(const Fiber& fiber) { return fiber.known ? *fiber.known : machine.blocks[fiber.block].clock; }

void acquire(Fiber& fiber, const Clock& clock) {
    if (!fiber.known) { fiber.known = std::make_unique<Clock>(machine.blocks[fiber.block].clock); }
    fiber.known->join(clock);
}

// What others learn from this thread; what it does from now on is not part of that.
Clock release(Fiber& fiber) {
    Clock clock = clock_of(fiber);
    clock.blocks[fiber.block] = std::max(clock.blocks[fiber.block], fiber.block_epoch);
    clock.warps[fiber.warp] = fiber.warp_epoch;
    fiber.own_epoch += 1;
    clock.threads[fiber.id] = fiber.own_epoch;
    return clock;
}

namespace {
// What is read is known at once, or by the next fence.
void learn(Fiber& fiber, const Clock& clock, bool acquires, std::unique_ptr<Clock>& pending) {
    if (acquires) {
        acquire(fiber, clock);
    } else {
        if (!pending) { pending = std::make_unique<Clock>(); }
        pending->join(clock);
    }
}

void settle(Fiber& fiber, std::unique_ptr<Clock>& pending) {
    if (!pending) { return; }
    acquire(fiber, *pending);
    pending.reset();
}
}  // namespace

void atomic_read(Fiber& fiber, const void* address, bool acquires, bool system) {
    if (!has_clock(address)) { return; }
    const Released& released = clocks[address];
    const auto own = released.of_gpu.find(gpu_of(fiber.block));
    if (own != released.of_gpu.end()) { learn(fiber, own->second, acquires, fiber.pending); }
    if (system) { learn(fiber, released.system, acquires, fiber.pending_system); }
}

void atomic_write(Fiber& fiber, const void* address, bool releases, bool replaces, bool system) {
    const bool tells = releases || fiber.fenced;
    if (replaces && has_clock(address) && !tells) {
        clocks.erase(address);
        set_has_clock(address, false);
    }
    if (!tells) { return; }
    Released& released = clocks[address];
    if (replaces) { released = Released(); }
    Clock& own = released.of_gpu[gpu_of(fiber.block)];
    if (fiber.fenced) {
        own.join(*fiber.fenced);
        if (system && fiber.fenced_system) { released.system.join(*fiber.fenced); }
    }
    if (releases) {
        const Clock clock = release(fiber);
        own.join(clock);
        if (system) { released.system.join(clock); }
    }
    set_has_clock(address, true);
}

void fence(bool system) {
    Fiber& fiber = *machine.current;
    settle(fiber, fiber.pending);
    if (system) { settle(fiber, fiber.pending_system); }
    fiber.fenced = std::make_unique<Clock>(release(fiber));
    fiber.fenced_system = system;
}

void forget_clocks() {
    for (const auto& entry : clocks) { set_has_clock(entry.first, false); }
    clocks.clear();
}

}  // namespace emulator
