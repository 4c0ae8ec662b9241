// Which fiber runs next, from a seed; launches; and the collectives of warps and blocks.
#include "core.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace emulator {

Machine machine;

namespace {
typedef bool (*SiteCallback)(u64, u64);
SiteCallback site_callback = nullptr;

// Under some seeds one block, or one GPU, is left behind as long as others can go on: orders that chance alone would
// never try.
std::vector<u32>& list_of(const Fiber& fiber) {
    const bool slow = fiber.block >= machine.slow_from && fiber.block < machine.slow_to;
    return slow ? machine.left_behind : machine.runnable;
}

void leave_runnable(Fiber& fiber) {
    std::vector<u32>& runnable = list_of(fiber);
    const u32 last = runnable.back();
    runnable[fiber.place] = last;
    machine.fibers[last].place = fiber.place;
    runnable.pop_back();
}

void new_budget() {
    Machine& m = machine;
    m.steps += m.granted;
    m.granted = m.budget = 1 + u32(next_random() % (2 * m.stride));
}

void start_block(u32 block);
void run_kernel();
}  // namespace

u64 next_random() {
    u64& x = machine.random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x * 0x2545f4914f6cdd1dull >> 11;
}

void make_runnable(Fiber& fiber) {
    fiber.state = State::runnable;
    std::vector<u32>& runnable = list_of(fiber);
    fiber.place = u32(runnable.size());
    runnable.push_back(fiber.id);
}

namespace {

bool nobody_can_go_on() { return machine.runnable.empty() && machine.left_behind.empty(); }

Fiber* choose() {
    Machine& m = machine;
    const bool left_behind = m.runnable.empty() || (!m.left_behind.empty() && next_random() % 65536 == 0);
    const std::vector<u32>& list = left_behind ? m.left_behind : m.runnable;
    return &m.fibers[list[next_random() % list.size()]];
}

}  // namespace

// To any fiber that can go on, perhaps the current one; to the launch's own stack when there is none.
void switch_to_other() {
    Machine& m = machine;
    Fiber* const from = m.current;
    void* to = m.main_stack;
    m.current = nullptr;
    if (!nobody_can_go_on() && !m.failed) {
        m.current = choose();
        if (m.current == from) { return; }
        to = m.current->stack_pointer;
    }
    emulator_switch(&from->stack_pointer, to);
}

void end_of_budget(u64 site) {
    new_budget();
    Machine& m = machine;
    if (m.steps > m.options.max_steps) {
        fail(STEPS, site, 0, "the kernel has not ended after %llu accesses", static_cast<unsigned long long>(m.steps));
    }
    switch_to_other();
}

void block_current(State state) {
    Fiber& fiber = *machine.current;
    leave_runnable(fiber);
    fiber.state = state;
    switch_to_other();
}

void end_launch() {
    machine.failed = true;
    Fiber* const from = machine.current;
    machine.current = nullptr;
    void* unused;
    emulator_switch(from ? &from->stack_pointer : &unused, machine.main_stack);
    __builtin_unreachable();
}

// Whether two sites are one place in the source: the compiler may have copied code. Python knows, and is
// asked on the launch's own stack.
bool same_site(u64 a, u64 b) {
    if (a == b) { return true; }
    Machine& m = machine;
    Fiber* const from = m.current;
    m.question[0] = a;
    m.question[1] = b;
    emulator_switch(&from->stack_pointer, m.main_stack);
    return m.answer;
}

void wake_waiters(const void* address) {
    std::vector<u32>& waiting = machine.waiting;
    for (std::size_t i = 0; i < waiting.size();) {
        Fiber& fiber = machine.fibers[waiting[i]];
        if (fiber.address != address) {
            ++i;
            continue;
        }
        waiting[i] = waiting.back();
        waiting.pop_back();
        make_runnable(fiber);
    }
}

namespace {

void finish_current() {
    Machine& m = machine;
    Fiber& fiber = *m.current;
    leave_runnable(fiber);
    fiber.state = State::done;
    const u32 size = m.options.block;
    m.warps[fiber.warp].done |= 1u << fiber.lane;
    for (u32 i = first_of_warp(fiber); i < end_of_warp(fiber); ++i) {
        const Fiber& other = m.fibers[i];
        if (other.state == State::warp && (other.mask >> fiber.lane & 1)) {
            fail(DIVERGENCE, other.site, 0, "lane %u has left the kernel while lane %u waits for it", fiber.lane,
                 other.lane);
        }
    }
    Block& block = m.blocks[fiber.block];
    block.finished += 1;
    if (block.arrived > 0) {
        for (u32 i = fiber.block * size; i < (fiber.block + 1) * size; ++i) {
            if (m.fibers[i].state != State::block) { continue; }
            fail(DIVERGENCE, m.fibers[i].site, 0,
                 "thread %u of the block has left the kernel while others wait at a barrier", fiber.id % size);
        }
    }
    if (block.finished == size) {
        m.finished_blocks += 1;
        if (m.started_blocks < m.options.grid) { start_block(m.started_blocks); }
    }
    switch_to_other();
    __builtin_unreachable();
}

void run_kernel() {
    const u32 gpu = gpu_of(machine.current->block);
    machine.kernel(machine.arguments + u64(gpu) * machine.options.arguments);
    finish_current();
}

void start_block(u32 number) {
    Machine& m = machine;
    m.started_blocks += 1;
    for (u32 i = number * m.options.block; i < (number + 1) * m.options.block; ++i) { make_runnable(m.fibers[i]); }
}

void set_up(const Options& options) {
    Machine& m = machine;
    m.options = options;
    const u32 threads = options.grid * options.block, warps = (options.block + 31) / 32;
    m.fibers.clear();
    m.fibers.resize(threads);
    m.warps.assign(options.grid * warps, Warp());
    m.blocks.clear();
    m.blocks.resize(options.grid);
    for (Block& block : m.blocks) {
        block.arrived = block.finished = block.ones = 0;
        block.clock.blocks.assign(options.grid, 0);
    }
    m.runnable.clear();
    m.left_behind.clear();
    m.waiting.clear();
    for (u32 i = 0; i < threads; ++i) {
        Fiber& fiber = m.fibers[i];
        fiber.id = i;
        fiber.block = i / options.block;
        fiber.warp = fiber.block * warps + i % options.block / 32;
        fiber.lane = i % options.block % 32;
        fiber.state = State::idle;
        fiber.call = 0;
        fiber.block_epoch = fiber.warp_epoch = fiber.own_epoch = 1;
        prepare_stack(fiber, run_kernel);
    }
    m.random = (options.seed + 1) * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; ++i) { next_random(); }
    static const u32 strides[] = {1, 3, 10, 40, 400};
    m.stride = options.stride ? options.stride : strides[next_random() % 5];
    m.slow_from = next_random() % 3 == 0 ? u32(next_random() % options.grid) : options.grid;
    m.slow_to = m.slow_from + 1;
    if (options.gpus > 1 && m.slow_from < options.grid && next_random() % 2 == 0) {
        const u32 gpu = gpu_of(m.slow_from);
        while (m.slow_from > 0 && gpu_of(m.slow_from - 1) == gpu) { m.slow_from -= 1; }
        while (m.slow_to < options.grid && gpu_of(m.slow_to) == gpu) { m.slow_to += 1; }
    }
    m.steps = m.granted = 0;
    m.finished_blocks = m.started_blocks = 0;
    m.failed = false;
    m.question[0] = m.question[1] = 0;
    new_budget();
}

void report_deadlock() {
    Machine& m = machine;
    std::map<std::pair<u64, int>, u32> places;
    for (const Fiber& fiber : m.fibers) {
        if (fiber.state != State::done && fiber.state != State::idle) { places[{fiber.site, int(fiber.state)}] += 1; }
    }
    std::string text = "nobody can go on:";
    u64 sites[2] = {0, 0};
    int number = 0;
    for (const auto& [place, count] : places) {
        static const char* const names[] = {
            "", "", "in a warp's collective", "at a block's barrier", "for another block", ""};
        text += (number ? ", " : " ") + std::to_string(count) + " wait " + names[place.second];
        if (number < 2) { sites[number] = place.first; }
        number += 1;
    }
    Report& found = report(number > 1 ? DIVERGENCE : DEADLOCK, sites[0], sites[1]);
    std::snprintf(found.text, sizeof found.text, "%s", text.c_str());
}

}  // namespace

extern "C" void emulator_set_site_callback(SiteCallback callback) { site_callback = callback; }

// Runs a kernel to its end or its first fatal finding; true if it came to the end.
extern "C" bool emulator_launch(void (*kernel)(void**), void** arguments, const Options* options) {
    Machine& m = machine;
    set_up(*options);
    forget_calls();
    begin_shadow_epoch();
    m.kernel = kernel;
    m.arguments = arguments;
    const u32 resident = options->resident ? std::min(options->resident, options->grid) : options->grid;
    while (m.started_blocks < resident) { start_block(m.started_blocks); }
    while (m.finished_blocks < options->grid && !m.failed) {
        if (m.question[0] != 0) {
            m.answer = site_callback != nullptr && site_callback(m.question[0], m.question[1]);
            m.question[0] = 0;
        } else if (nobody_can_go_on()) {
            report_deadlock();
            m.failed = true;
            break;
        } else {
            m.current = choose();
        }
        emulator_switch(&m.main_stack, m.current->stack_pointer);
    }
    m.current = nullptr;
    free_all_shared();
    forget_clocks();
    return !m.failed;
}

extern "C" u64 emulator_steps() { return machine.steps; }

}  // namespace emulator
