// piece: solo_state solo_of_block is_alone
// Whether the first GPU runs a loop's rounds alone, which a block keeps for its threads. `barriers`: what the block's
// waiting thread has passed of those of its GPU while that is alone, and of those of all GPUs otherwise if it is alone.
struct solo_state {
    bool alone;
    uint64 barriers;
};
__device__ __forceinline__ solo_state& solo_of_block() {
    __shared__ solo_state state;
    return state;
}
__device__ __forceinline__ bool is_alone() { return solo_of_block().alone; }

// piece: begin_solo_state
// Before anything that all blocks take turns with.
__device__ __forceinline__ void begin_solo_state() {
    if (threadIdx.x == 0) { solo_of_block() = solo_state{false, 0}; }
    __syncthreads();
}

// piece: block_count
// Of the GPUs that take part: `block_index` counts the blocks of the first GPU from 0 in any case.
__device__ __forceinline__ uint32 block_count() { return is_alone() ? own_block_count() : all_block_count(); }

// piece: gpu_count members_by_owner
__device__ __forceinline__ uint64 gpu_count() { return is_alone() ? 1 : all_gpu_count(); }
__device__ __forceinline__ bool members_by_owner() { return !is_alone() && all_by_owner(); }

// piece: lead_arrivals
// As for all GPUs. While the first one is alone, its blocks arrive at a word of their own, and requests to stop are
// still made in that of all.
__device__ __forceinline__ void lead_arrivals(block_storage& shared, control_block* control, uint64 stop, bool stopped) {
    const uint64 value = shared.stop_requested && !stopped ? stop + 1 : 1ull;
    uint64 before;
    if (is_alone()) {
        arrive_on_gpu(&control->solo_arrived, value);
        before = load_relaxed(&control->arrived);
    } else {
        before = arrive_everywhere(&control->arrived, value);
    }
    shared.stop_requested = (before & STOP_REQUEST) != 0;
}

// piece: follow_arrivals
// The arrival of any other block.
__device__ __forceinline__ void follow_arrivals(control_block* control) {
    if (is_alone()) {
        arrive_on_gpu(&control->solo_arrived, 1);
    } else {
        arrive_everywhere_without_result(&control->arrived);
    }
}

// piece: await_arrivals
// The arrivals of all blocks that take part.
__device__ __forceinline__ uint64 await_arrivals(const control_block* control, uint64 target) {
    return is_alone() ? wait_on_gpu(&control->solo_arrived, target) : wait_here_for_arrivals(&control->arrived, target);
}

// piece: in_words
// A value as words of 64 bits, in which the first GPU saves it.
template <class T>
union in_words {
    T value;
    uint64 words[(sizeof(T) + 7) / 8];
    __device__ __forceinline__ in_words() {}
};

// piece: save_state
// The leader stores values one after the other.
__device__ __forceinline__ void save_state(uint64*) {}
template <class T, class... Others>
__device__ __forceinline__ void save_state(uint64* room, const T& value, const Others&... others) {
    in_words<T> copy;
    copy.words[sizeof(copy) / 8 - 1] = 0;
    copy.value = value;
#pragma unroll
    for (uint32 i = 0; i < sizeof(copy) / 8; ++i) { room[i] = copy.words[i]; }
    save_state(room + sizeof(copy) / 8, others...);
}

// piece: restore_state
// What `save_state` has stored, from the block's copy.
__device__ __forceinline__ void restore_state(const uint64*) {}
template <class T, class... Others>
__device__ __forceinline__ void restore_state(const uint64* room, T& value, Others&... others) {
    in_words<T> copy;
#pragma unroll
    for (uint32 i = 0; i < sizeof(copy) / 8; ++i) { copy.words[i] = room[i]; }
    value = copy.value;
    restore_state(room + sizeof(copy) / 8, others...);
}

// piece: restore_state for near_far_state
// All threads of a block have it together.
template <class... Others>
__device__ __forceinline__ void restore_state(const uint64* room, near_far_state& value, Others&... others) {
    in_words<near_far_state> copy;
#pragma unroll
    for (uint32 i = 0; i < sizeof(copy) / 8; ++i) { copy.words[i] = room[i]; }
    if (threadIdx.x == 0) { value = copy.value; }
    restore_state(room + sizeof(copy) / 8, others...);
}

// piece: RESUME_WORDS change_solo
// All threads of a block of the first GPU: it is alone from here on, or no longer.
constexpr uint32 RESUME_WORDS = sizeof(control_block::resume_state) / 8;
__device__ __forceinline__ void change_solo(enactor& run, bool alone) {
    __syncthreads();
    if (waits_for_others()) {
        solo_state& solo = solo_of_block();
        const uint64 barriers = run.shared.barriers;
        run.shared.barriers = solo.barriers;
        solo = solo_state{alone, barriers};
        if (is_trace_writer()) { run.control->solo_traced = run.shared.traced; }
    }
    __syncthreads();
}

// piece: follow_trace
// Where each GPU writes a lane of the trace, it has records of what the first one has run alone.
__device__ __forceinline__ void follow_trace(enactor&) {}

// piece: wait_for_solo
// The other GPUs wait until the first one needs them again, and go on from where it is. False if the loop has ended. If the
// host lets all leave the run, nothing may be saved: since they wait, no operator has ended.
// barriers: 1
template <class... State>
__device__ __forceinline__ bool wait_for_solo(enactor& run, int32& iteration, State&... state) {
    __shared__ uint64 state_words[RESUME_WORDS];
    synchronize(run);
    for (uint32 i = threadIdx.x; i < RESUME_WORDS; i += BLOCK_THREADS) {
        state_words[i] = load_relaxed(&run.control->resume_state[i]);
    }
    __syncthreads();
    if (uint32(state_words[2]) <= uint32(run.operators)) { return false; }
    uint64 over, stopped, now;
    restore_state(state_words, over, stopped, run.operators, now, state...);
    iteration = int32(now);
    run.stopped |= stopped != 0;
    follow_trace(run);
    __syncthreads();  // until all threads have read
    return over == 0 && !run.stopped;
}

// piece: choose_gpus
// Before a pass of a loop whose members have about `edges / part` edges: whether there is one, as all that take part know.
// With fewer edges than a GPU has threads (times SOLO_EDGES) the first GPU goes on alone, since such a pass takes as long
// as its barriers, and accesses that wait for each other. With more than twice as many, or when the loop ends, all take
// part again. `state` is what a pass changes in each thread.
// barriers: 0 to 2
template <class... State>
__device__ __forceinline__ bool choose_gpus(enactor& run, bool goes_on, uint64 edges, uint64 part, int32& iteration,
                                            State&... state) {
    const uint64 most = uint64(all_block_count() / uint32(all_gpu_count())) * blockDim.x * SOLO_EDGES * part;
    const bool alone = is_alone();
    if (alone ? goes_on && edges <= 2 * most : !goes_on || edges > most) { return goes_on; }
    static_assert(((4 * sizeof(uint64)) + ... + sizeof(in_words<State>)) <= sizeof(control_block::resume_state), "no room");
    if (alone) {
        if (leader()) {
            save_state(run.control->resume_state, uint64(!goes_on), uint64(run.stopped), run.operators, uint64(iteration), state...);
        }
        change_solo(run, false);
    }
    synchronize(run);  // before the first GPU is alone, until all others are done with what came before
    if (alone || run.stopped) { return goes_on && !run.stopped; }
    if (own_gpu() > 0) { return wait_for_solo(run, iteration, state...); }
    change_solo(run, true);
    return true;
}
