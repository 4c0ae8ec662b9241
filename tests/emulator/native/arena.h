// Device memory and what is remembered about each of its bytes.
#pragma once

#include "core.h"

namespace emulator {

constexpr u64 GRANULE = 4;  // bytes that share slots
constexpr u32 SLOTS = 4;    // accesses remembered for each granule

// One access that later ones are compared with.
struct Slot {
    u32 thread, block_epoch, warp_epoch, own_epoch;
    u32 counter;  // the low bits of a program counter
    u32 call;     // that it is within
    u16 launch;
    u8 mask;  // bytes of the granule
    u8 flags;
};

enum ByteState : u8 { ALLOCATED = 1, WRITTEN = 2, SHARED = 4, HAS_CLOCK = 8 };

struct Allocation {
    u64 size;
    bool live;
};

struct Arena {
    u64 base = 0, size = 0, top = 0;
    u8* bytes = nullptr;  // a ByteState a byte
    Slot* slots = nullptr;
    u16 launch = 0;
    std::map<u64, Allocation> allocations;  // by offset
};

extern Arena arena;

}  // namespace emulator
