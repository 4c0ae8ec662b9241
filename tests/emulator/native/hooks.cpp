// What g++ -fsanitize=thread calls at each access of the generated text; libtsan itself is not linked.
#include "core.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace emulator {

namespace {
struct Range {
    u64 low, high;
};
std::vector<Range> module_ranges;

int collect(dl_phdr_info* info, std::size_t, void* wanted) {
    if (std::strstr(info->dlpi_name, static_cast<const char*>(wanted)) == nullptr) { return 0; }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) { continue; }
        const u64 low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        module_ranges.push_back(Range{low, low + info->dlpi_phdr[i].p_memsz});
    }
    return 0;
}
}  // namespace

bool is_module_data(const void* address) {
    const u64 at = reinterpret_cast<u64>(address);
    for (const Range& range : module_ranges) {
        if (at >= range.low && at < range.high) { return true; }
    }
    return false;
}

// The shared object that a program counter belongs to, and where it was loaded.
extern "C" const char* emulator_module_of(u64 site, u64* base) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(site), &info) == 0) { return nullptr; }
    *base = reinterpret_cast<u64>(info.dli_fbase);
    return info.dli_fname;
}

// Constants of the shared object whose path contains `name` may be read.
extern "C" void emulator_add_module(const char* name) { dl_iterate_phdr(collect, const_cast<char*>(name)); }

extern "C" {

#define PLAIN(size) \
    void __tsan_read##size(void* at) { check_access(at, size, READ, EMULATOR_SITE); } \
    void __tsan_write##size(void* at) { check_access(at, size, WRITE, EMULATOR_SITE); } \
    void __tsan_volatile_read##size(void* at) { check_access(at, size, READ | ATOMIC | SYSTEM, EMULATOR_SITE); } \
    void __tsan_volatile_write##size(void* at) { check_access(at, size, WRITE | ATOMIC | SYSTEM, EMULATOR_SITE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
#undef PLAIN
#define UNALIGNED(size) \
    void __tsan_unaligned_read##size(void* at) { check_access(at, size, READ, EMULATOR_SITE); } \
    void __tsan_unaligned_write##size(void* at) { check_access(at, size, WRITE, EMULATOR_SITE); }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
#undef UNALIGNED
void __tsan_read_range(void* at, unsigned long size) { check_access(at, u32(size), READ, EMULATOR_SITE); }
void __tsan_write_range(void* at, unsigned long size) { check_access(at, u32(size), WRITE, EMULATOR_SITE); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init() {}

}  // extern "C"

}  // namespace emulator
