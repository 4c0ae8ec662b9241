// Who called whom. Functions that the GPU's compiler inlines are functions here, which g++ compiles in a fraction of the
// time; two ways to one place are still two places, and a finding names the calls that led to it.
#include "core.h"

namespace emulator {

namespace {
struct Call {
    u32 outer;  // the call around it
    u64 counter;
    std::vector<u32> inner;
};
std::vector<Call> calls(1);  // the first stands for none

u32 call_from(u32 outer, u64 counter) {
    for (const u32 inner : calls[outer].inner) {
        if (calls[inner].counter == counter) { return inner; }
    }
    const u32 number = u32(calls.size());
    calls[outer].inner.push_back(number);
    calls.push_back(Call{outer, counter, {}});
    return number;
}
}  // namespace

void forget_calls() { calls.assign(1, Call{}); }

// The site of the call that `site` is within; 0 for a kernel, which nothing in the text calls.
extern "C" u64 emulator_site_around(u64 site) {
    const u32 call = u32(site >> COUNTER_BITS);
    if (call == 0 || call >= calls.size() || calls[call].outer == 0) { return 0; }
    return site_within(calls[call].outer, calls[call].counter);
}

extern "C" void __tsan_func_entry(void* return_address) {
    if (Fiber* const fiber = machine.current) { fiber->call = call_from(fiber->call, caller(return_address)); }
}
extern "C" void __tsan_func_exit() {
    if (Fiber* const fiber = machine.current) { fiber->call = calls[fiber->call].outer; }
}

}  // namespace emulator
