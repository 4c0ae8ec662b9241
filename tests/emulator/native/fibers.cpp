// Stacks, and the switch between them: by hand on x86-64, because swapcontext asks the kernel at each switch.
#include "core.h"

#include <sys/mman.h>

#include <cstdlib>

namespace emulator {

namespace {
constexpr std::size_t STACK = 128 * 1024, GUARD = 4096;
std::vector<char*> stacks;  // kept for the next launch

char* stack_number(u32 i) {
    while (stacks.size() <= i) {
        void* place = mmap(nullptr, STACK + GUARD, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (place == MAP_FAILED) { std::abort(); }
        mprotect(place, GUARD, PROT_NONE);
        stacks.push_back(static_cast<char*>(place));
    }
    return stacks[i];
}
}  // namespace

#if defined(__x86_64__)

asm(R"(
    .text
    .globl emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, .-emulator_switch
)");

void prepare_stack(Fiber& fiber, void (*entry)()) {
    char* const low = stack_number(fiber.id);
    fiber.stack_low = low + GUARD;
    fiber.stack_high = low + GUARD + STACK;
    u64* top = reinterpret_cast<u64*>(fiber.stack_high) - 2;
    *--top = 0;                                // where `entry` would return to, and the alignment that it expects
    *--top = reinterpret_cast<u64>(entry);
    for (int saved = 0; saved < 6; ++saved) { *--top = 0; }
    fiber.stack_pointer = top;
}

#else

}  // namespace emulator
#include <ucontext.h>
namespace emulator {

// A stack pointer is the address of the context that was saved last.
extern "C" void emulator_switch(void** save, void* load) {
    ucontext_t here;
    *save = &here;
    swapcontext(&here, static_cast<ucontext_t*>(load));
}

namespace {
std::vector<std::unique_ptr<ucontext_t>> contexts;
}

void prepare_stack(Fiber& fiber, void (*entry)()) {
    char* const low = stack_number(fiber.id);
    fiber.stack_low = low + GUARD;
    fiber.stack_high = low + GUARD + STACK;
    while (contexts.size() <= fiber.id) { contexts.push_back(std::make_unique<ucontext_t>()); }
    ucontext_t* const context = contexts[fiber.id].get();
    getcontext(context);
    context->uc_stack.ss_sp = fiber.stack_low;
    context->uc_stack.ss_size = STACK;
    context->uc_link = nullptr;
    makecontext(context, entry, 0);
    fiber.stack_pointer = context;
}

#endif

}  // namespace emulator
