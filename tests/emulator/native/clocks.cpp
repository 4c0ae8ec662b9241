// What has happened before what, between blocks: releases, acquires and fences, as C++ and PTX define them.
#include "core.h"

#include <algorithm>
#include <unordered_map>

namespace emulator {

namespace {
std::unordered_map<const void*, Clock> clocks;  // of the words that somebody released through
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

void atomic_read(Fiber& fiber, const void* address, bool acquires) {
    if (!has_clock(address)) { return; }
    const Clock& clock = clocks[address];
    if (acquires) {
        acquire(fiber, clock);
    } else {
        if (!fiber.pending) { fiber.pending = std::make_unique<Clock>(); }
        fiber.pending->join(clock);
    }
}

void atomic_write(Fiber& fiber, const void* address, bool releases, bool replaces) {
    const bool tells = releases || fiber.fenced;
    if (replaces && has_clock(address) && !tells) {
        clocks.erase(address);
        set_has_clock(address, false);
    }
    if (!tells) { return; }
    Clock& clock = clocks[address];
    if (replaces) { clock = Clock(); }
    if (fiber.fenced) { clock.join(*fiber.fenced); }
    if (releases) { clock.join(release(fiber)); }
    set_has_clock(address, true);
}

void fence() {
    Fiber& fiber = *machine.current;
    if (fiber.pending) {
        acquire(fiber, *fiber.pending);
        fiber.pending.reset();
    }
    fiber.fenced = std::make_unique<Clock>(release(fiber));
}

void forget_clocks() {
    for (const auto& entry : clocks) { set_has_clock(entry.first, false); }
    clocks.clear();
}

}  // namespace emulator
