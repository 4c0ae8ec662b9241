// piece: must_stop
inline bool must_stop(const control_block& control) {
    return (load_now(&control.host_stop) | load_now(&control.halted)) != 0;
}

// piece: stop_requested
// For loops inside functors.
inline bool stop_requested(const data_slice& d, uint32& polls) {
    polls += 1;
    return polls % 1024 == 0 && must_stop(*d.run);
}

// piece: stop_requested_in_recursion
// For functions that call each other recursively.
inline bool stop_requested_in_recursion(const data_slice& d) { return must_stop(*d.run); }

// piece: checked_index
// `index` if the element exists; otherwise 0, and the run stops after this operator.
template <class Index>
inline uint64 checked_index(const data_slice& d, Index index, int64 length, int64 check) {
    if (uint64(index) < uint64(length)) { return uint64(index); }
    if (compare_and_swap(&d.run->failure, int64(0), check + 1)) {
        d.run->failed_value = from_id<int64>(index);
        d.run->failed_length = length;
    }
    store_shared(&d.run->halted, uint32(1));
    return 0;
}

// piece: hub_chunk
// A part of one long list of edges, for one thread.
struct hub_chunk {
    vertex near;
    int64 first, last;
    uint64 reduced[2];   // its reduced values
};

// piece: hub_chunks
// The lists of at least HUB_DEGREE edges, cut into chunks that the threads share.
struct hub_chunks {
    std::vector<hub_chunk> chunks;
    bool lost = false;   // out of memory for some; threads must not throw

    void defer(vertex near, int64 first, int64 last) {
#pragma omp critical(gdsl_hubs)
        try {
            for (int64 start = first; start < last; start += HUB_CHUNK) {
                chunks.push_back(hub_chunk{near, start, minimum(start + HUB_CHUNK, last), {0, 0}});
            }
        } catch (const std::exception&) { lost = true; }
    }
    // A list that is not cut.
    void set_aside(vertex near) {
#pragma omp critical(gdsl_hubs)
        try {
            chunks.push_back(hub_chunk{near, 0, 0, {0, 0}});
        } catch (const std::exception&) { lost = true; }
    }
    int64 size() const { return int64(chunks.size()); }
    hub_chunk& operator[](int64 i) { return chunks[std::size_t(i)]; }
    void clear() { chunks.clear(); }
};

// piece: other_thread
// The second of two threads, which a run keeps off the first thread's processor. Linux may wake it there, especially on
// virtual machines whose idle processors look busy, and takes about ten milliseconds to migrate it. Until then, two
// threads that wait for each other take twice as long as one.
struct other_thread {
#if defined(_OPENMP) && defined(__linux__)
    bool there = false;  // it exists, and no third thread does
    pthread_t thread;
    cpu_set_t allowed;   // the processors it may use before and after the run
    int kept_off = -1;   // the processor it must not use now

    // Starts all threads. Those of a nested region end with it and are left alone.
    other_thread() {
        const bool lasts = omp_get_level() == 0;
#pragma omp parallel
        if (omp_get_num_threads() == 2 && omp_get_thread_num() == 1 && lasts) {
            thread = pthread_self();
            there = pthread_getaffinity_np(thread, sizeof(allowed), &allowed) == 0;
        }
        keep_off();
    }
    ~other_thread() {
        if (kept_off >= 0) { pthread_setaffinity_np(thread, sizeof(allowed), &allowed); }
    }
    void keep_off() {
        const int own = there ? sched_getcpu() : -1;
        if (own < 0 || own == kept_off || own >= CPU_SETSIZE) { return; }
        cpu_set_t rest = allowed;
        CPU_CLR(own, &rest);
        if (CPU_COUNT(&rest) > 0 && pthread_setaffinity_np(thread, sizeof(rest), &rest) == 0) { kept_off = own; }
    }
#else
    other_thread() {
        int32 threads = 0;
#pragma omp parallel reduction(+ : threads)
        threads += 1;
    }
    void keep_off() {}
#endif
};

// piece: own_parts
// A worker's members of sets; one process has them all.
struct own_parts {};

// piece: run_state
// What the operators of one run share.
struct run_state {
    control_block& control;
    hub_chunks hubs;
    frontier next;     // what an operator collects before it becomes its result
    int64 visited;     // edges of the elements that the operator runs on
    int64 began;       // ticks when the operator began
    int64 noted;       // and when the last record was written
    other_thread& other;
    bool alone = false;  // the data are in this thread's cache
    own_parts own;
    bool shared = false; // all threads have taken part in this operator
    bool awake = false;  // and in the one before, so that they still look for work

    run_state(control_block& control, other_thread& other, int64 num_vertices)
        : control(control), next(num_vertices), visited(0), began(now_in_ticks()), noted(began), other(other) {}
};

// piece: run_stopped
// Thrown by a run that ends early; its control block says why.
struct run_stopped {};

// piece: leave_if_stopped
// A step relies on what those before it have done: on the form of a set, or on the range of an index. So none runs after
// one that was left out or cut short.
inline void leave_if_stopped(const control_block& control) {
    if (must_stop(control)) { throw run_stopped(); }
}

// piece: begin_operator
inline void begin_operator(run_state& run) {
    leave_if_stopped(run.control);
    run.visited = 0;
    run.awake = run.shared;
    run.shared = false;
    run.began = now_in_ticks();
    run.hubs.clear();
}

// piece: end_operator
inline void end_operator(run_state& run, int32 site, int32 iteration, int64 size, int64 edges, bool pulled) {
    if (run.hubs.lost) { throw std::bad_alloc(); }
    control_block& control = run.control;
    const int64 now = now_in_ticks(), took = now - run.began, before = run.began - run.noted;
    run.noted = now;
    const int64 place = minimum<int64>(control.trace_length, TRACE_CAPACITY);
    if (place == control.trace_capacity) {
        const int64 capacity = maximum<int64>(256, 2 * control.trace_capacity);
        void* const grown = std::realloc(control.trace, std::size_t(capacity) * sizeof(trace_record));
        if (grown == nullptr) { return leave_if_stopped(control); }
        control.trace = static_cast<trace_record*>(grown);
        control.trace_capacity = capacity;
    }
    control.trace[place] = trace_record{site, iteration, size, edges, pulled, took, before};
    control.trace_length += 1;
    leave_if_stopped(control);
}

// piece: begin_pass
// Checks the caller's limit on iterations.
inline void begin_pass(run_state& run, int32 loop, int32 iteration) {
    if (iteration >= run.control.max_iterations && !must_stop(run.control)) {
        run.control.exhausted = int64(loop) + 1;
        run.control.halted = 1;
    }
    leave_if_stopped(run.control);
}
