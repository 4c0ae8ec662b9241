// The check of every access: bounds, alignment, and races with what other threads did since they last met.
#include "arena.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace emulator {

namespace {

bool happened_before(const Slot& slot, const Fiber& fiber) {
    const Fiber& other = machine.fibers[slot.thread];
    if (other.block == fiber.block) {
        if (slot.block_epoch < fiber.block_epoch) { return true; }
        if (other.warp == fiber.warp && slot.warp_epoch < fiber.warp_epoch) { return true; }
    }
    const Clock& clock = clock_of(fiber);
    if (other.block != fiber.block && clock.blocks[other.block] > slot.block_epoch) { return true; }
    const auto warp = clock.warps.find(other.warp);
    if (warp != clock.warps.end() && warp->second > slot.warp_epoch) { return true; }
    const auto thread = clock.threads.find(slot.thread);
    return thread != clock.threads.end() && thread->second > slot.own_epoch;
}

// Atomics of two GPUs are atomic to each other only if both have the scope of the system.
bool conflict(const Slot& slot, const Fiber& fiber, u32 flags) {
    if (!((slot.flags | flags) & WRITE)) { return false; }
    if (!(slot.flags & flags & ATOMIC)) { return true; }
    const bool same_gpu = gpu_of(machine.fibers[slot.thread].block) == gpu_of(fiber.block);
    return !same_gpu && !(slot.flags & flags & SYSTEM);
}

// Whether whoever races with the old access races with the new one too.
bool covers(u32 flags, u8 mask, const Slot& old) {
    return (flags & WRITE) >= (old.flags & WRITE) && (flags & ATOMIC) <= (old.flags & ATOMIC) &&
           (flags & SYSTEM) <= (old.flags & SYSTEM) &&
           (old.flags & READ_ONLY) == (flags & READ_ONLY) && (old.mask & ~mask) == 0;
}

// All code lies within one shared object, so a counter has the high bits of one `near` it.
u64 site_of(const Slot& slot, u64 near) {
    constexpr u64 HIGH = (1ull << COUNTER_BITS) - (1ull << 32);
    return site_within(slot.call, (near & HIGH) | slot.counter);
}

void report_race(const Slot& slot, u64 address, u32 size, u32 flags, u64 site) {
    const Fiber& other = machine.fibers[slot.thread];
    const bool stale = (slot.flags | flags) & READ_ONLY;
    Report& found = report(stale ? STALE : RACE, site, site_of(slot, site));
    if (found.count > 1) { return; }
    found.other_thread = other.id % machine.options.block;
    found.other_block = other.block;
    found.address = address;
    found.size = size;
    found.flags = flags | ((arena.bytes[address - arena.base] & SHARED) ? u32(IN_SHARED) : 0u);
    found.other_flags = slot.flags;
}

void remember(Slot* slots, Slot* place, const Fiber& fiber, u8 mask, u32 flags, u64 site) {
    if (place == nullptr) { place = &slots[next_random() % SLOTS]; }
    *place = Slot{fiber.id,   fiber.block_epoch, fiber.warp_epoch, fiber.own_epoch, u32(site),
                  fiber.call, arena.launch,      mask,             u8(flags)};
}

void check_granule(u64 granule, u8 mask, const Fiber& fiber, u32 size, u32 flags, u64 site) {
    Slot* const slots = &arena.slots[granule * SLOTS];
    Slot* place = nullptr;
    for (u32 i = 0; i < SLOTS; ++i) {
        Slot& slot = slots[i];
        if (slot.launch != arena.launch) {
            place = &slot;
            break;
        }
        if (!(slot.mask & mask)) { continue; }
        if (slot.thread == fiber.id) {
            if (covers(flags, mask, slot)) { place = &slot; }
            continue;
        }
        const bool stale = ((slot.flags | flags) & READ_ONLY) && ((slot.flags | flags) & WRITE);
        if (!stale && !conflict(slot, fiber, flags)) { continue; }
        if (stale || !happened_before(slot, fiber)) {
            report_race(slot, arena.base + granule * GRANULE, size, flags, site);
            place = &slot;
        } else if (covers(flags, mask, slot)) {
            place = &slot;
        }
    }
    remember(slots, place, fiber, mask, flags, site);
}

// A thread's local variables: many lie in registers and are not seen at all, so nobody takes turns there.
bool is_own(const void* address, u32 size) {
    const char* const at = static_cast<const char*>(address);
    return at >= machine.current->stack_low && at + size <= machine.current->stack_high;
}

// Not device memory: what the program and the emulator hold for reading.
void check_outside(const void* address, u32 size, u32 flags, u64 site) {
    const Fiber& fiber = *machine.current;
    const char* const at = static_cast<const char*>(address);
    if (!(flags & (WRITE | ATOMIC)) && is_module_data(address)) { return; }
    for (const Fiber& other : machine.fibers) {
        if (at < other.stack_low || at >= other.stack_high) { continue; }
        machine.current->site = site;
        fail(BOUNDS, site, 0, "thread %u of block %u reaches a local variable of thread %u of block %u",
             fiber.id % machine.options.block, fiber.block, other.id % machine.options.block, other.block);
    }
    const char* const kind = flags & WRITE ? "write" : "read";
    fail(BOUNDS, site, 0, "a %s of %u bytes at %p, which is no device memory", kind, size, address);
}

void report_bounds(u64 offset, u32 size, u32 flags, u64 site) {
    const char* const kind = flags & ATOMIC ? "an atomic access" : flags & WRITE ? "a write" : "a read";
    if (offset >= arena.top) { fail(BOUNDS, site, 0, "%s of %u bytes outside all allocations", kind, size); }
    auto after = arena.allocations.upper_bound(offset);
    if (after == arena.allocations.begin()) {
        fail(BOUNDS, site, 0, "%s of %u bytes before all allocations", kind, size);
    }
    const auto before = std::prev(after);
    const u64 past = offset - before->first;
    if (!before->second.live && past < before->second.size) {
        fail(BOUNDS, site, 0, "%s of %u bytes in memory that was freed", kind, size);
    }
    fail(BOUNDS, site, 0, "%s of %u bytes at byte %llu of an allocation of %llu bytes", kind, size,
         static_cast<unsigned long long>(past), static_cast<unsigned long long>(before->second.size));
}

void check_written(u64 offset, u32 size, u64 site) {
    for (u32 i = 0; i < size; ++i) {
        const u8 state = arena.bytes[offset + i];
        if (state & (WRITTEN | SHARED)) { continue; }
        Report& found = report(UNINITIALIZED, site, 0);
        found.address = arena.base + offset;
        found.size = size;
        return;
    }
}

// What the block's cache holds of the words that a thread of it writes is no longer what lies there.
void note_overwritten(u64 address, u32 size) {
    Block& block = machine.blocks[machine.current->block];
    if (block.seen.empty()) { return; }
    for (u64 word = address / 8 * 8; word < address + size; word += 4) {  // a cached read takes 4 or 8 bytes
        const auto found = block.seen.find(word);
        if (found == block.seen.end()) { continue; }
        found->second.writer = machine.current->id;
        block.overwritten.push_back(word);
    }
}

}  // namespace

void check_access(const void* address, u32 size, u32 flags, u64 site) {
    Machine& m = machine;
    if (m.current == nullptr || is_own(address, size)) { return; }
    spend(site);
    const u64 offset = reinterpret_cast<u64>(address) - arena.base;
    if (offset >= arena.size) {
        check_outside(address, size, flags, site);
        return;
    }
    for (u32 i = 0; i < size; ++i) {
        if (!(arena.bytes[offset + i] & ALLOCATED)) { report_bounds(offset + i, size, flags, site); }
    }
    if ((flags & ATOMIC) && offset % size != 0) {
        fail(MISALIGNED, site, 0, "an atomic of %u bytes is not aligned", size);
    }
    if (flags & WRITE) {
        for (u32 i = 0; i < size; ++i) { arena.bytes[offset + i] |= WRITTEN; }
        note_overwritten(reinterpret_cast<u64>(address), size);
    } else if (m.options.check_uninitialized) {
        check_written(offset, size, site);
    }
    const Fiber& fiber = *m.current;
    for (u64 at = offset, end = offset + size; at < end;) {
        const u64 granule = at / GRANULE, first = at % GRANULE;
        const u64 last = std::min(end - granule * GRANULE, GRANULE);
        check_granule(granule, u8((1u << last) - (1u << first)), fiber, size, flags, site);
        at = (granule + 1) * GRANULE;
    }
}

// What is fetched into a cache is no access, but lies in memory that there is, unless a program has no use for the array,
// which is null then.
void fetch(const void* address) {
    constexpr u64 beside_null = 1ull << 24;
    if (machine.current == nullptr || reinterpret_cast<u64>(address) < beside_null) { return; }
    const u64 offset = reinterpret_cast<u64>(address) - arena.base;
    if (offset >= arena.size) {
        check_outside(address, 1, 0, EMULATOR_SITE);
    } else if (!(arena.bytes[offset] & ALLOCATED)) {
        report_bounds(offset, 1, 0, EMULATOR_SITE);
    }
}

void begin_shadow_epoch() {
    if (++arena.launch != 0 || arena.slots == nullptr) { return; }
    std::memset(static_cast<void*>(arena.slots), 0, arena.size / GRANULE * SLOTS * sizeof(Slot));
    arena.launch = 1;
}

bool has_clock(const void* address) {
    const u64 offset = reinterpret_cast<u64>(address) - arena.base;
    return offset < arena.size && (arena.bytes[offset] & HAS_CLOCK);
}

void set_has_clock(const void* address, bool has) {
    const u64 offset = reinterpret_cast<u64>(address) - arena.base;
    if (offset >= arena.size) { return; }
    arena.bytes[offset] = has ? arena.bytes[offset] | HAS_CLOCK : arena.bytes[offset] & ~HAS_CLOCK;
}

}  // namespace emulator
