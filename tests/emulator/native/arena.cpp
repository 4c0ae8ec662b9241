// The memory that a device would have: one range of addresses, allocations with red zones between them.
#include "core.h"
#include "arena.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace emulator {

Arena arena;

namespace {

constexpr u64 RED_ZONE = 256;
constexpr u64 SHARED_BYTES = 64ull << 20, GLOBAL_BYTES = 512ull << 20;

void* reserve(u64 size) {
    void* place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) { std::abort(); }
    return place;
}

u64 shared_top = GLOBAL_BYTES;

void prepare_arena() {
    if (arena.base != 0) { return; }
    arena.size = GLOBAL_BYTES + SHARED_BYTES;
    arena.base = reinterpret_cast<u64>(reserve(arena.size));
    arena.bytes = static_cast<u8*>(reserve(arena.size));
    arena.slots = static_cast<Slot*>(reserve(arena.size / GRANULE * SLOTS * sizeof(Slot)));
}

void set_allocated(u64 start, u64 size, u8 value) { std::memset(arena.bytes + start, value, size); }

}  // namespace

// What was freed below something that is still live is used again where it is large enough.
static u64 freed_place(u64 size) {
    for (auto it = arena.allocations.begin(); it != arena.allocations.end(); ++it) {
        if (it->second.live) { continue; }
        const auto next = std::next(it);
        const u64 end = next == arena.allocations.end() ? arena.top : next->first - RED_ZONE;
        if (it->first + size <= end) { return it->first; }
    }
    return 0;
}

// Device memory, filled with a pattern; null when there is no room.
extern "C" u64 emulator_allocate(u64 size) {
    prepare_arena();
    u64 start = freed_place((size + 255) / 256 * 256);
    if (start == 0) {
        start = arena.top + RED_ZONE;
        const u64 room = (size + 255) / 256 * 256 + RED_ZONE;
        if (start + room > GLOBAL_BYTES) { return 0; }
        arena.top = start + (size + 255) / 256 * 256;
    }
    arena.allocations[start] = Allocation{size, true};
    std::memset(reinterpret_cast<void*>(arena.base + start), 0xa5, size);
    set_allocated(start, size, ALLOCATED);
    return arena.base + start;
}

// The space goes back to the top once all that was allocated later is free too.
extern "C" void emulator_free(u64 address) {
    const auto found = arena.allocations.find(address - arena.base);
    if (found == arena.allocations.end()) { return; }
    set_allocated(found->first, found->second.size, 0);
    found->second.live = false;
    while (!arena.allocations.empty() && !arena.allocations.rbegin()->second.live) {
        arena.top = arena.allocations.rbegin()->first - RED_ZONE;
        arena.allocations.erase(std::prev(arena.allocations.end()));
    }
}

// The host has written here.
extern "C" void emulator_mark_written(u64 address, u64 size) {
    set_allocated(address - arena.base, size, ALLOCATED | WRITTEN);
}

// Storage of one block, until the launch ends.
void* allocate_shared(u64 size) {
    prepare_arena();
    const u64 start = shared_top + RED_ZONE;
    if (start + size + RED_ZONE > arena.size) { fail(MISUSE, 0, 0, "too much shared memory in one launch"); }
    shared_top = start + (size + 255) / 256 * 256;
    std::memset(reinterpret_cast<void*>(arena.base + start), 0xcd, size);
    set_allocated(start, size, ALLOCATED | SHARED);
    return reinterpret_cast<void*>(arena.base + start);
}

void free_all_shared() {
    if (arena.base == 0) { return; }
    set_allocated(GLOBAL_BYTES, shared_top - GLOBAL_BYTES, 0);
    shared_top = GLOBAL_BYTES;
}

void* shared_storage(unsigned declaration, unsigned long long size) {
    Block& block = machine.blocks[machine.current->block];
    if (block.shared.size() <= declaration) { block.shared.resize(declaration + 1, nullptr); }
    if (block.shared[declaration] == nullptr) { block.shared[declaration] = allocate_shared(size); }
    return block.shared[declaration];
}

}  // namespace emulator
