// piece: frontier
// A set of vertices as a queue, a bitmap, or both. A bitmap that does not represent the set is all zeros.
struct frontier {
    vertex* queue;    // the members, in any order
    uint64* bitmap;   // one bit per vertex
    int64 size;       // number of members
    int64 edges;      // number of their edges, if a later operator needs it
    bool queued, mapped;
    int64 words;

    explicit frontier(int64 num_vertices)
        : size(0), edges(0), queued(true), mapped(false), words((num_vertices + 63) / 64) {
        queue = static_cast<vertex*>(std::malloc(std::size_t(num_vertices + 1) * sizeof(vertex)));
        bitmap = static_cast<uint64*>(std::calloc(std::size_t(words + 1), sizeof(uint64)));
        if (queue == nullptr || bitmap == nullptr) { throw std::bad_alloc(); }
    }
    frontier(const frontier&) = delete;
    frontier& operator=(const frontier&) = delete;
    ~frontier() {
        std::free(queue);
        std::free(bitmap);
    }

    void exchange_with(frontier& other) {
        std::swap(queue, other.queue);
        std::swap(bitmap, other.bitmap);
        std::swap(size, other.size);
        std::swap(edges, other.edges);
        std::swap(queued, other.queued);
        std::swap(mapped, other.mapped);
    }

    // Makes this the empty set.
    void clear() {
        if (mapped && queued && size < words / 4) {
            for (int64 i = 0; i < size; ++i) { bitmap[queue[i] / 64] = 0; }
        } else if (mapped) {
            std::memset(bitmap, 0, std::size_t(words) * sizeof(uint64));
        }
        size = edges = 0;
        queued = true;
        mapped = false;
    }
};

// piece: queue_members members_of
struct queue_members {
    const vertex* queue;
    const uint64* bitmap;
    int64 count;
    int64 size() const { return count; }
    vertex operator[](int64 i) const { return queue[i]; }
    bool contains(vertex v) const { return (bitmap[v / 64] >> (v % 64) & 1) != 0; }
};
inline queue_members members_of(const frontier& f) { return queue_members{f.queue, f.bitmap, f.size}; }

// piece: all_members
struct all_members {
    int64 count;
    int64 size() const { return count; }
    vertex operator[](int64 i) const { return vertex(i); }
    bool contains(vertex) const { return true; }
};

// piece: uncounted
// For results whose edges no later operator needs.
struct uncounted {
    static constexpr bool counts = false;
    int64 degree(vertex) const { return 0; }
};

// piece: lists_on for uncounted
inline uncounted lists_on(const graph_slice&, const uncounted&) { return uncounted{}; }

// piece: put_block
// Stores those of up to 64 members whose bits are set, and returns their number. Often almost none or almost all are set.
template <class Members>
inline int64 put_block(vertex* to, const Members& members, int64 first, int64 count, uint64 bits) {
    const int64 passed = __builtin_popcountll(bits);
    int64 at = 0;
    if (passed <= 8) {
        for (; at < passed; ++at, bits &= bits - 1) { to[at] = members[first + __builtin_ctzll(bits)]; }
    } else if (passed >= count - 4) {
        for (int64 next = 0; at < passed; ++next) {  // members between two gaps
            const uint64 gaps = ~bits >> next;
            const int64 end = minimum<int64>(count, next + (gaps == 0 ? 64 : __builtin_ctzll(gaps)));
            for (; next < end; ++next, ++at) { to[at] = members[first + next]; }
        }
    } else {
        for (int64 next = 0; at < passed; ++next) {
            to[at] = members[first + next];
            at += bits >> next & 1;
        }
    }
    return passed;
}

// piece: counted_in
// The number of their edges, if edges are counted.
template <class Counted, class Members>
inline int64 counted_in(const Counted& counted, const Members& members, int64 first, uint64 bits) {
    int64 edges = 0;
    for (; Counted::counts && bits != 0; bits &= bits - 1) { edges += counted.degree(members[first + __builtin_ctzll(bits)]); }
    return edges;
}

// piece: collector
// Collects one thread's accepted vertices in a buffer and appends them to the result when it is full.
template <class Counted>
struct collector {
    frontier& result;
    const Counted counted;
    int64 staged_size, edges;
    vertex staged[1024];

    collector(frontier& result, const Counted counted) : result(result), counted(counted), staged_size(0), edges(0) {}

    // True for the first call with this vertex, in any thread.
    bool is_new(vertex v) {
        uint64* const word = &result.bitmap[v / 64];
        const uint64 bit = uint64(1) << (v % 64);
        return (load_now(word) & bit) == 0 && (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) == 0;
    }
    void append(vertex v) {
        staged[staged_size] = v;
        staged_size += 1;
        edges += counted.degree(v);
        if (staged_size == 1024) { write(); }
    }
    void append_if(vertex v, bool accepted) {
        staged[staged_size] = v;
        staged_size += accepted ? 1 : 0;
        if (Counted::counts && accepted) { edges += counted.degree(v); }
        if (staged_size == 1024) { write(); }
    }
    void append_new_if(vertex v, bool accepted) {
        if (accepted && is_new(v)) { append(v); }
    }
    template <class Members>
    void append_block(const Members& members, int64 first, int64 count, uint64 bits) {
        if (staged_size + count >= 1024) { write(); }
        edges += counted_in(counted, members, first, bits);
        staged_size += put_block(staged + staged_size, members, first, count, bits);
    }
    void write() {
        const int64 at = __atomic_fetch_add(&result.size, staged_size, __ATOMIC_RELAXED);
        std::memcpy(result.queue + at, staged, std::size_t(staged_size) * sizeof(vertex));
        staged_size = 0;
    }
    void flush() {
        write();
        reduce_add(&result.edges, edges);
    }
};

// piece: sifter
// The same for vertices that unpredictably pass a test or not. Those that pass are buffered without a branch, and some
// hundred at a time are checked for new ones, which alone need an atomic operation.
template <class Counted>
struct sifter {
    collector<Counted> out;
    int64 count;
    vertex passed[256];

    sifter(frontier& result, const Counted counted) : out(result, counted), count(0) {}

    void append_new_if(vertex v, bool passes) {
        passed[count] = v;
        count += passes ? 1 : 0;
        if (count == 256) { sift(); }
    }
    void sift() {
        for (int64 i = 0; i < count; ++i) {
            if (out.is_new(passed[i])) { out.append(passed[i]); }
        }
        count = 0;
    }
    void flush() {
        sift();
        out.flush();
    }
};

// piece: collector_by_one
// The same with one thread, which appends directly to the result.
template <class Counted>
struct collector_by_one {
    frontier& result;
    const Counted counted;
    int64 size, edges;

    collector_by_one(frontier& result, const Counted counted)
        : result(result), counted(counted), size(result.size), edges(result.edges) {}

    bool is_new(vertex v) {
        uint64& word = result.bitmap[v / 64];
        const uint64 bit = uint64(1) << (v % 64);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }
    void append(vertex v) {
        result.queue[size] = v;
        size += 1;
        edges += counted.degree(v);
    }
    void append_if(vertex v, bool accepted) {
        result.queue[size] = v;
        size += accepted ? 1 : 0;
        if (Counted::counts && accepted) { edges += counted.degree(v); }
    }
    template <class Members>
    void append_block(const Members& members, int64 first, int64 count, uint64 bits) {
        edges += counted_in(counted, members, first, bits);
        size += put_block(result.queue + size, members, first, count, bits);
    }
    // Whether a vertex passes and is new is unpredictable, so there is no branch; the place after all members is spare.
    void append_new_if(vertex v, bool passes) {
        uint64& word = result.bitmap[v / 64];
        const uint64 former = word, bit = uint64(passes) << (v % 64);
        word = former | bit;
        append_if(v, (bit & ~former) != 0);
    }
    void flush() {
        result.size = size;
        result.edges = edges;
    }
};

// piece: bitmap_collector
// Collects one thread's accepted vertices as words of the result's bitmap.
template <class Counted>
struct bitmap_collector {
    frontier& result;
    const Counted counted;
    int64 size, edges;

    bitmap_collector(frontier& result, const Counted counted) : result(result), counted(counted), size(0), edges(0) {}

    void put(int64 word, uint64 bits) {
        result.bitmap[word] = bits;
        for (size += __builtin_popcountll(bits); bits != 0; bits &= bits - 1) {
            edges += counted.degree(vertex(word * 64 + __builtin_ctzll(bits)));
        }
    }
    void flush() {
        reduce_add(&result.size, size);
        reduce_add(&result.edges, edges);
    }
};

// piece: bits_collector
// Stores one thread's accepted vertices directly in the result's bitmap, which removes duplicates.
template <class Counted>
struct bits_collector {
    frontier& result;
    const Counted counted;
    int64 size, edges;

    bits_collector(frontier& result, const Counted counted) : result(result), counted(counted), size(0), edges(0) {}

    void append(vertex v) {
        uint64* const word = &result.bitmap[v / 64];
        const uint64 bit = uint64(1) << (v % 64);
        if ((load_now(word) & bit) != 0 || (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) != 0) { return; }
        size += 1;
        edges += counted.degree(v);
    }
    void append_if(vertex v, bool accepted) {
        if (accepted) { append(v); }
    }
    template <class Members>
    void append_block(const Members& members, int64 first, int64, uint64 bits) {
        for (; bits != 0; bits &= bits - 1) { append(members[first + __builtin_ctzll(bits)]); }
    }
    void flush() {
        reduce_add(&result.size, size);
        reduce_add(&result.edges, edges);
    }
};

// piece: discarder
// For operators without a result.
struct discarder {
    void put(int64, uint64) {}
    void flush() {}
};

// piece: need_bitmap
// Builds the bitmap of a frontier that has only a queue.
inline void need_bitmap(frontier& f) {
    if (f.mapped) { return; }
    if (f.size <= little_work(4)) {
        for (int64 i = 0; i < f.size; ++i) { f.bitmap[f.queue[i] / 64] |= uint64(1) << (f.queue[i] % 64); }
    } else {
#pragma omp parallel for schedule(static)
        for (int64 i = 0; i < f.size; ++i) {
            const vertex v = f.queue[i];
            __atomic_fetch_or(&f.bitmap[v / 64], uint64(1) << (v % 64), __ATOMIC_RELAXED);
        }
    }
    f.mapped = true;
}

// piece: need_queue
// Builds the queue of a frontier that has only a bitmap.
inline void need_queue(frontier& f) {
    if (f.queued) { return; }
    int64 size = 0;
#pragma omp parallel if (f.words * 64 > SMALL_WORK)
    {
        vertex members[64];
#pragma omp for schedule(dynamic, 256)
        for (int64 word = 0; word < f.words; ++word) {
            uint64 bits = f.bitmap[word];
            if (bits == 0) { continue; }
            int64 count = 0;
            for (; bits != 0; bits &= bits - 1) {
                members[count] = vertex(word * 64 + __builtin_ctzll(bits));
                count += 1;
            }
            const int64 at = __atomic_fetch_add(&size, count, __ATOMIC_RELAXED);
            std::memcpy(f.queue + at, members, std::size_t(count) * sizeof(vertex));
        }
    }
    f.queued = true;
}

// piece: finish_queue
// Makes the vertices that an operator has collected its result. If it marked vertices, the bitmap is part of the result.
inline void finish_queue(run_state& run, frontier& result, bool marked) {
    run.next.mapped = marked;
    run.next.exchange_with(result);
    run.next.clear();
}

// piece: finish_bitmap
inline void finish_bitmap(run_state& run, frontier& result) {
    run.next.queued = false;
    run.next.mapped = true;
    run.next.exchange_with(result);
    run.next.clear();
}

// piece: define_frontier
// Defines a set from a few vertices, possibly with duplicates.
template <class Counted>
inline void define_frontier(frontier& f, std::initializer_list<vertex> members, const Counted counted) {
    f.clear();
    for (const vertex v : members) {
        bool is_duplicate = false;
        for (int64 i = 0; i < f.size; ++i) { is_duplicate = is_duplicate || f.queue[i] == v; }
        if (is_duplicate) { continue; }
        f.queue[f.size] = v;
        f.size += 1;
        f.edges += counted.degree(v);
    }
}

// piece: define_everything
template <class Counted>
inline void define_everything(frontier& f, int64 num_vertices, const Counted counted) {
    f.clear();
    int64 edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (num_vertices > SMALL_WORK)
    for (int64 i = 0; i < num_vertices; ++i) {
        f.queue[i] = vertex(i);
        edges += counted.degree(vertex(i));
    }
    f.size = num_vertices;
    f.edges = edges;
}

// piece: copy_frontier
inline void copy_frontier(frontier& f, const frontier& other) {
    if (&f == &other) { return; }
    f.clear();
    if (other.queued) { std::memcpy(f.queue, other.queue, std::size_t(other.size) * sizeof(vertex)); }
    if (other.mapped) { std::memcpy(f.bitmap, other.bitmap, std::size_t(other.words) * sizeof(uint64)); }
    f.size = other.size;
    f.edges = other.edges;
    f.queued = other.queued;
    f.mapped = other.mapped;
}

// piece: copy_and_count
// A copy of a set of which other edges are counted than of the set copied.
template <class Counted>
inline void copy_and_count(frontier& f, const frontier& other, const Counted counted) {
    copy_frontier(f, other);
    const int64 places = f.queued ? f.size : f.words;
    int64 edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (places > SMALL_WORK)
    for (int64 i = 0; i < places; ++i) {
        edges += f.queued ? counted.degree(f.queue[i]) : counted_in(counted, all_members{f.words * 64}, i * 64, f.bitmap[i]);
    }
    f.edges = edges;
}
