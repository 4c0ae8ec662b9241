// piece: pooled_blocks
// Large blocks of memory that runs reuse, because the system takes longer to clear new pages than a run to use them. For
// one thread at a time.
struct pooled_block {
    std::size_t room;    // bytes after this header
    bool used;           // whether this run uses it
};
static_assert(sizeof(pooled_block) % 16 == 0, "the memory after it must be aligned like malloc's");

struct pooled_blocks {
    static constexpr std::size_t SMALLEST = std::size_t(1) << 18, MOST = std::size_t(1) << 30;
    std::vector<pooled_block*> idle;
    std::size_t bytes = 0;   // bytes of all blocks

    ~pooled_blocks() { let_go(true); }

    // Frees all blocks, or those that this run did not use.
    void let_go(bool all) {
        std::size_t left = 0;
        for (pooled_block* const each : idle) {
            if (all || !each->used) {
                bytes -= each->room;
                std::free(each);
            } else {
                each->used = false;
                idle[left] = each;
                left += 1;
            }
        }
        idle.resize(left);
    }
    // The smallest free block of at least this size and at most twice the size; null if there is none.
    pooled_block* take(std::size_t wanted) {
        const auto fits = [=](std::size_t room) { return room >= wanted && room / 2 <= wanted; };
        auto best = idle.end();
        for (auto at = idle.begin(); at != idle.end(); ++at) {
            if (fits((*at)->room) && (best == idle.end() || (*at)->room < (*best)->room)) { best = at; }
        }
        if (best == idle.end()) { return nullptr; }
        pooled_block* const block = *best;
        idle.erase(best);
        bytes -= block->room;
        return block;
    }
    // False if the block is too small or the pool is full.
    bool keep(pooled_block* block) {
        if (block->room < SMALLEST || block->room > MOST - bytes) { return false; }
        try {
            idle.push_back(block);
        } catch (const std::exception&) { return false; }
        block->used = true;
        bytes += block->room;
        return true;
    }
};

// piece: between_runs
// The blocks of the last run, while no run uses them.
struct blocks_between_runs {
    pooled_blocks* blocks;
    ~blocks_between_runs() { let_go(); }
    pooled_blocks* replaced_by(pooled_blocks* others) { return __atomic_exchange_n(&blocks, others, __ATOMIC_ACQ_REL); }
    void let_go() { delete replaced_by(nullptr); }
};
blocks_between_runs between_runs = {nullptr};

// piece: memory_of_run blocks_of_run
// A run's thread takes the blocks for its duration.
thread_local pooled_blocks* blocks_of_run = nullptr;

struct memory_of_run {
    memory_of_run() {
        blocks_of_run = between_runs.replaced_by(nullptr);
        if (blocks_of_run == nullptr) { blocks_of_run = new (std::nothrow) pooled_blocks; }
    }
    ~memory_of_run() {
        if (blocks_of_run == nullptr) { return; }
        blocks_of_run->let_go(false);
        delete between_runs.replaced_by(blocks_of_run);
        blocks_of_run = nullptr;
    }
};

// piece: allocated freed
// Memory of this size; threads other than the run's allocate it from the system.
inline void* allocated(std::size_t bytes) {
    pooled_block* block = blocks_of_run != nullptr ? blocks_of_run->take(bytes) : nullptr;
    if (block == nullptr) {
        if (bytes > std::size_t(-1) - sizeof(pooled_block)) { throw std::bad_alloc(); }
        block = static_cast<pooled_block*>(std::malloc(bytes + sizeof(pooled_block)));
        if (block == nullptr && blocks_of_run != nullptr) {
            blocks_of_run->let_go(true);
            block = static_cast<pooled_block*>(std::malloc(bytes + sizeof(pooled_block)));
        }
        if (block == nullptr) { throw std::bad_alloc(); }
        block->room = bytes;
    }
    return block + 1;
}
inline void freed(void* memory) {
    pooled_block* const block = static_cast<pooled_block*>(memory) - 1;
    if (blocks_of_run == nullptr || !blocks_of_run->keep(block)) { std::free(block); }
}
