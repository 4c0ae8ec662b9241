// Collectives of a warp and barriers of a block: everybody named must come, to the same place in the source.
#include "core.h"

#include <algorithm>

namespace emulator {

namespace {

enum Operation : u32 {
    SYNC, BALLOT, ANY, ALL, SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, MATCH_ANY,
    ADD, MIN_SIGNED, MAX_SIGNED, MIN_UNSIGNED, MAX_UNSIGNED, AND, OR, XOR
};

// True when all lanes of the current fiber's mask have come.
bool all_came(const Fiber& fiber) {
    Machine& m = machine;
    const u32 first = first_of_warp(fiber), end = end_of_warp(fiber);
    bool all = true;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(fiber.mask >> lane & 1)) { continue; }
        if (first + lane >= end) {
            fail(DIVERGENCE, fiber.site, 0, "the mask names lane %u, which does not exist", lane);
        }
        const Fiber& other = m.fibers[first + lane];
        if (&other == &fiber) { continue; }
        if (other.state == State::done) {
            fail(DIVERGENCE, fiber.site, 0, "lane %u waits for lane %u, which has left the kernel", fiber.lane, lane);
        }
        if (other.state == State::block) {
            fail(DIVERGENCE, fiber.site, other.site, "lane %u is at a warp's collective, lane %u at a block's barrier",
                 fiber.lane, lane);
        }
        if (other.state != State::warp) {
            all = false;
        } else if (other.mask != fiber.mask) {
            all = false;
        } else if (other.operation != fiber.operation || !same_site(other.site, fiber.site)) {
            fail(DIVERGENCE, fiber.site, other.site, "lanes %u and %u of one warp are at different collectives",
                 fiber.lane, lane);
        }
    }
    return all;
}

u64 reduced(const Fiber& fiber, u32 first) {
    u64 total = 0;
    bool begun = false;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(fiber.mask >> lane & 1)) { continue; }
        const u32 x = u32(machine.fibers[first + lane].value), former = u32(total);
        switch (fiber.operation) {
        case BALLOT: total |= u64(x != 0) << lane; continue;
        case ANY: total = begun ? total | x : x; break;
        case ALL: total = begun ? total & x : x; break;
        case ADD: total = u32(former + x); break;
        case MIN_SIGNED: total = begun ? u32(std::min(int(former), int(x))) : x; break;
        case MAX_SIGNED: total = begun ? u32(std::max(int(former), int(x))) : x; break;
        case MIN_UNSIGNED: total = begun ? std::min(former, x) : x; break;
        case MAX_UNSIGNED: total = begun ? std::max(former, x) : x; break;
        case AND: total = begun ? former & x : x; break;
        case OR: total = begun ? former | x : x; break;
        case XOR: total = begun ? former ^ x : x; break;
        default: break;
        }
        begun = true;
    }
    return total;
}

u64 shuffled(const Fiber& fiber, u32 first) {
    u32 from = fiber.lane;
    switch (fiber.operation) {
    case SHUFFLE: from = fiber.argument & 31; break;
    case SHUFFLE_UP: from = fiber.argument > fiber.lane ? fiber.lane : fiber.lane - fiber.argument; break;
    case SHUFFLE_DOWN: from = fiber.lane + fiber.argument > 31 ? fiber.lane : fiber.lane + fiber.argument; break;
    case SHUFFLE_XOR: from = (fiber.lane ^ fiber.argument) & 31; break;
    default: break;
    }
    if (!(fiber.mask >> from & 1)) {
        fail(DIVERGENCE, fiber.site, 0, "lane %u reads from lane %u, which is not in the mask", fiber.lane, from);
    }
    return machine.fibers[first + from].value;
}

u64 matching(const Fiber& fiber, u32 first) {
    u64 lanes = 0;
    for (u32 lane = 0; lane < 32; ++lane) {
        if ((fiber.mask >> lane & 1) && machine.fibers[first + lane].value == fiber.value) { lanes |= 1ull << lane; }
    }
    return lanes;
}

// Only __syncwarp orders what the lanes do in memory; the others exchange values and nothing else.
void synchronize_lanes(const Fiber& fiber, u32 first) {
    Machine& m = machine;
    Clock known;
    bool any = false;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(fiber.mask >> lane & 1)) { continue; }
        Fiber& other = m.fibers[first + lane];
        if (fiber.mask == 0xffffffffu) { other.warp_epoch += 1; }
        if (other.known) {
            known.join(*other.known);
            any = true;
        }
    }
    if (!any) { return; }
    for (u32 lane = 0; lane < 32; ++lane) {
        if (fiber.mask >> lane & 1) { acquire(m.fibers[first + lane], known); }
    }
}

void complete(const Fiber& fiber) {
    Machine& m = machine;
    const u32 first = first_of_warp(fiber);
    const bool shuffles = fiber.operation >= SHUFFLE && fiber.operation <= SHUFFLE_XOR;
    if (fiber.operation == SYNC) { synchronize_lanes(fiber, first); }
    const bool matches = fiber.operation == MATCH_ANY;
    const u64 common = shuffles || matches || fiber.operation == SYNC ? 0 : reduced(fiber, first);
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(fiber.mask >> lane & 1)) { continue; }
        Fiber& other = m.fibers[first + lane];
        other.result = shuffles ? shuffled(other, first) : matches ? matching(other, first) : common;
        if (&other != &fiber) { make_runnable(other); }
    }
}

}  // namespace

namespace {

// Whether the current fiber is the last that its collective waits for.
bool arrive(Fiber& fiber) {
    Warp& warp = machine.warps[fiber.warp];
    const u32 own = 1u << fiber.lane;
    if (!(fiber.mask & own)) {
        fail(DIVERGENCE, fiber.site, 0, "lane %u is not in the mask that it names", fiber.lane);
    }
    if (fiber.mask & warp.done) {
        fail(DIVERGENCE, fiber.site, 0, "lane %u waits for lane %d, which has left the kernel", fiber.lane,
             __builtin_ctz(fiber.mask & warp.done));
    }
    if (warp.waiting == 0) {
        warp.mask = fiber.mask;
        warp.operation = fiber.operation;
        warp.site = fiber.site;
        warp.mixed = fiber.mask != 0xffffffffu || end_of_warp(fiber) - first_of_warp(fiber) < 32;
    }
    warp.mixed |= warp.mask != fiber.mask || warp.operation != fiber.operation || warp.site != fiber.site;
    const bool all = warp.mixed ? all_came(fiber) : (warp.waiting | own) == fiber.mask;
    warp.waiting = all ? warp.waiting & ~fiber.mask : warp.waiting | own;
    return all;
}

}  // namespace

unsigned long long warp_collective(unsigned operation, unsigned mask, unsigned long long value, unsigned argument) {
    Fiber& fiber = *machine.current;
    fiber.operation = operation;
    fiber.mask = mask;
    fiber.value = value;
    fiber.argument = argument;
    fiber.site = EMULATOR_SITE;
    spend(fiber.site);
    if (arrive(fiber)) {
        complete(fiber);
    } else {
        block_current(State::warp);
    }
    return fiber.result;
}

int block_barrier(unsigned operation, int predicate) {
    Machine& m = machine;
    Fiber& fiber = *m.current;
    Block& block = m.blocks[fiber.block];
    spend(EMULATOR_SITE);
    fiber.operation = operation;
    fiber.site = EMULATOR_SITE;
    const u32 size = m.options.block, first = fiber.block * size;
    if (block.finished > 0) {
        fail(DIVERGENCE, fiber.site, 0, "thread %u waits at a barrier, but %u threads of its block have left",
             fiber.id - first, block.finished);
    }
    if (block.arrived > 0) {
        for (u32 i = first; i < first + size; ++i) {
            const Fiber& other = m.fibers[i];
            if (other.state != State::block) { continue; }
            if (other.operation != operation || !same_site(other.site, fiber.site)) {
                fail(DIVERGENCE, fiber.site, other.site, "threads %u and %u of one block are at different barriers",
                     fiber.id - first, i - first);
            }
            break;
        }
    }
    block.arrived += 1;
    block.ones += predicate != 0;
    if (block.arrived < size) {
        block_current(State::block);
        return int(fiber.result);
    }
    const u32 ones = block.ones;
    const int result = operation == 1 ? ones > 0 : operation == 2 ? ones == size : int(ones);
    block.arrived = block.ones = 0;
    for (const u64 word : block.overwritten) { block.seen.erase(word); }
    block.overwritten.clear();
    for (u32 i = first; i < first + size; ++i) {
        Fiber& other = m.fibers[i];
        if (other.known) { block.clock.join(*other.known); }
        other.known.reset();
        other.fenced.reset();
        other.pending.reset();
        other.pending_system.reset();
        other.block_epoch += 1;
        other.result = u64(result);
        if (&other != &fiber) { make_runnable(other); }
    }
    block.clock.blocks[fiber.block] = fiber.block_epoch;
    return result;
}

}  // namespace emulator
