// piece: observed_threads observing
// What an operator took in former runs with as many members of the same graph: the least ticks by all threads and by one.
struct observed_threads {
    static constexpr int64 TRIES = 6, RUNS = 256;  // runs that try both in turns, and after how many they do so again
    const void* graph = nullptr;
    int64 size = 0, threads = 0, runs = 0;
    int64 least[2] = {0, 0};
    bool taken = false;  // by a run; others at the same time neither ask nor note anything

    // One thread has to be a fifth quicker: what follows has to fetch from its cache what it has changed.
    bool prefers_one() const { return runs < TRIES ? runs % 2 == 1 : least[1] < least[0] / 5 * 4; }
};

// Whether one thread runs an operator that has much work. Only where few threads share it, as it takes the run a multiple
// to find out otherwise.
struct observing {
    observed_threads& seen;
    bool mine, by_one;

    observing(observed_threads& seen, const graph_slice& g, int64 size, bool much)
        : seen(seen), mine(much && thread_count() <= 4 && !__atomic_exchange_n(&seen.taken, true, __ATOMIC_ACQUIRE)), by_one(false) {
        if (!mine) { return; }
        if (seen.graph != g.columns || seen.size != size || seen.threads != thread_count() || seen.runs == observed_threads::RUNS) {
            seen.graph = g.columns;
            seen.size = size;
            seen.threads = thread_count();
            seen.runs = seen.least[0] = seen.least[1] = 0;
        }
        by_one = seen.prefers_one();
    }
    observing(const observing&) = delete;
    observing& operator=(const observing&) = delete;
    ~observing() {
        if (mine) { __atomic_store_n(&seen.taken, false, __ATOMIC_RELEASE); }
    }
    void note(const run_state& run) {
        if (!mine) { return; }
        const int64 took = now_in_ticks() - run.began;
        int64& least = seen.least[by_one ? 1 : 0];
        least = least == 0 ? took : minimum(least, took);
        seen.runs += 1;
    }
};
