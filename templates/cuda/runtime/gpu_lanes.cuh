// piece: is_lane_writer
// Whether this is the waiting thread of the first block of its GPU, which writes this GPU's lane of the trace.
__device__ __forceinline__ bool is_lane_writer() { return own_block_index() == 0 && waits_for_others(); }

// piece: begin_lane
// Starts the clock of a lane; that of the first GPU is the trace's.
__device__ __forceinline__ void begin_lane(enactor& run) {
    if (!is_lane_writer() || block_index() == 0) { return; }
    start_clock(run.shared);
    run.shared.traced = 0;
}

// piece: begin_members
// Behind the initial values, which loops over all vertices write: what operators take is counted from here on.
__device__ __forceinline__ void begin_members() {
    if (is_lane_writer()) { members_taken() = 0; }
}

// piece: end_lane
// Stores how many records were written, and how long the kernel took by both clocks.
__device__ __forceinline__ void end_lane(enactor& run) {
    if (!is_lane_writer()) { return; }
    const block_storage& shared = run.shared;
    run.slice.lanes[0] = lane_record{shared.traced, cycles() - shared.started, nanoseconds() - shared.started_at, 0};
}

// piece: members_taken
// How many members of the operator this GPU takes, as far as loops divide them before they begin; only the lane writer
// has the number.
__device__ __forceinline__ uint64& members_taken() {
    __shared__ uint64 taken;
    return taken;
}

// piece: take_turns
// Counts what this GPU takes of `size` members that all blocks take in turns, `width` at a time.
__device__ __forceinline__ void take_turns(uint64 size, uint64 width) {
    if (!is_lane_writer()) { return; }
    const uint64 blocks = block_count(), first = block_index(), own = own_block_count();
    const uint64 turns = size / width, left = turns % blocks;  // the block of this number has what is left of a turn
    const uint64 taken = turns / blocks * own + (left > first ? min(left - first, own) : 0);
    members_taken() += taken * width + (left >= first && left < first + own ? size % width : 0);
}

// piece: take_part
// Counts the members from `first` to `last`, which are this GPU's own.
__device__ __forceinline__ void take_part(uint64 first, uint64 last) {
    if (is_lane_writer() && first < last) { members_taken() += last - first; }
}

// piece: own_thread
// A count is that of an array's elements, for which no operator runs.
__device__ __forceinline__ uint64 own_thread(int64 count) {
    if (!own_turns(count)) { return thread_index(); }
    return own_part(uint64(count), own_gpu()) + uint64(own_block_index()) * blockDim.x + threadIdx.x;
}
template <class Members>
__device__ __forceinline__ uint64 own_thread(const Members& members) {
    if (own_turns(members)) {
        take_part(own_first(members), own_end(members));
        return own_first(members) + uint64(own_block_index()) * blockDim.x + threadIdx.x;
    }
    take_turns(own_size(members), blockDim.x);
    return thread_index();
}

// piece: turn_base
__device__ __forceinline__ uint64 turn_base(uint64 size, uint32 width) {
    take_turns(size, width);
    return warp_index() * width;
}

// piece: own_base
// Operators that share the warps are not counted: the lane writer has members of one of them.
template <class Warps, class Members>
__device__ __forceinline__ uint64 own_base(const Members& members, uint32 width) {
    if (Warps::operators == 1 && own_turns(members)) {
        take_part(own_first(members), own_end(members));
    } else if (Warps::operators == 1) {
        take_turns(own_size(members), width);
    }
    return first_base<Warps>(members, width);
}

// piece: own_word
__device__ __forceinline__ uint64 own_word(uint64 count) {
    const all_members words{(count + 31) / 32};
    if (own_turns(words)) {
        take_part(own_part(own_size(words), own_gpu()) * 32, own_words_end(count));
    } else {
        take_turns(count, 32);
    }
    return first_base<all_warps>(words, 1);
}

// piece: begin_operator
__device__ __forceinline__ void begin_operator(enactor& run) {
    if (is_lane_writer()) {
        run.shared.began = cycles();
        members_taken() = 0;
    }
    if (is_trace_writer()) { run.control->counters[(run.operators + 2) % 8] = operator_counters(); }
}

// piece: write_lane
// The first GPU's times are those of the trace, too, which goes on with them.
__device__ OUTLINED void write_lane(block_storage& shared, lane_record* lane, uint64 capacity) {
    const uint64 traced = shared.traced, now = cycles();
    if (traced < capacity) {
        lane[traced + 1] = lane_record{members_taken(), now - shared.began, shared.began - shared.noted, shared.waited};
    }
    members_taken() = 0;
    if (block_index() == 0) { return; }
    shared.began = shared.noted = now;
    shared.waited = 0;
    shared.traced = traced + 1;
}

// piece: note_operator
// Writes the trace record of an operator, and that of each GPU.
__device__ __forceinline__ void note_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    if (is_lane_writer()) { write_lane(run.shared, run.slice.lanes, run.slice.trace_capacity); }
    if (is_trace_writer()) {
        write_record(run.shared, run.control, run.slice.trace, run.slice.trace_capacity, site, iteration, size, edges, pulled);
    }
}

// piece: measures_waits
// Each lane has the times of the first block of its GPU.
__device__ __forceinline__ bool measures_waits() { return own_block_index() == 0; }

// piece: follow_trace
// What the first GPU has run alone took this one no time; how long it has waited is part of the next record.
__device__ __forceinline__ void follow_trace(enactor& run) {
    if (!is_lane_writer()) { return; }
    const uint64 traced = load_relaxed(&run.control->solo_traced), capacity = run.slice.trace_capacity;
    for (uint64 at = run.shared.traced; at < traced && at < capacity; ++at) { run.slice.lanes[at + 1] = lane_record{0, 0, 0, 0}; }
    run.shared.traced = traced;
}
