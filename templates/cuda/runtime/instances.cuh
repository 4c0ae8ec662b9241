// piece: instance_word INSTANCES
// A bit for each of 64 instances of the program that run together. A vertex has INSTANCE_WORDS of them, one behind the
// other, each of which is another lane's: what is said of an `own` word is said of that of this thread.
typedef uint64 instance_word;
constexpr uint32 INSTANCES = 64 * INSTANCE_WORDS;

// piece: own_word
__device__ __forceinline__ uint32 own_word() { return threadIdx.x % INSTANCE_WORDS; }

// piece: words_lanes
// The lanes that have the words of the same vertex as this one.
__device__ __forceinline__ uint32 words_lanes() {
    constexpr uint32 all = INSTANCE_WORDS == 32 ? FULL_WARP : (1u << INSTANCE_WORDS % 32) - 1;
    return all << lane_index() / INSTANCE_WORDS * INSTANCE_WORDS;
}

// piece: first_instance
// The lowest instance of a word that is not 0.
__device__ __forceinline__ int32 first_instance(instance_word word) { return __ffsll(int64(word)) - 1; }

// piece: or_of_words
// The bitwise or of all lanes' words.
__device__ __forceinline__ instance_word or_of_words(instance_word word) {
    return instance_word(or_of_warp(uint32(word >> 32))) << 32 | or_of_warp(uint32(word));
}

// piece: instance_storage
// What a block knows of all instances: the words of those in question, the outcomes of their tests, and the instances
// in which each set has members.
struct instance_storage {
    uint64 among[INSTANCE_WORDS];
    uint32 holds[2 * INSTANCE_WORDS];
    uint64 any[INSTANCE_SETS][INSTANCE_WORDS];
};

// piece: instance_set
// A set of vertices for each instance: the words of each vertex say in which it is a member. All threads of a block have
// the same.
struct instance_set {
    const block_storage& shared;
    uint64* words;
    uint32 slot;
    __device__ __forceinline__ instance_word any() const { return shared.instances.any[slot][own_word()]; }
    __device__ __forceinline__ bool any_in(int32 instance) const {
        return (shared.instances.any[slot][instance / 64] >> instance % 64 & 1) != 0;
    }
    __device__ __forceinline__ instance_word operator[](uint64 i) const { return words[i]; }
};

// piece: instance_set_at
__device__ __forceinline__ instance_set instance_set_at(enactor& run, uint32 slot) {
    return instance_set{run.shared, run.slice.instance_sets[slot], slot};
}

// piece: every_instance
// All vertices in all instances, as a set.
struct every_instance {
    __device__ __forceinline__ instance_word operator[](uint64) const { return ~instance_word(0); }
};

// piece: publish_instances
// The words of all threads become known to the block.
__device__ __forceinline__ void publish_instances(enactor& run, instance_word word) {
    __syncthreads();
    if (threadIdx.x < INSTANCE_WORDS) { run.shared.instances.among[threadIdx.x] = word; }
    __syncthreads();
}

// piece: is_among
__device__ __forceinline__ bool is_among(enactor& run, uint32 instance) {
    return (run.shared.instances.among[instance / 64] >> instance % 64 & 1) != 0;
}

// piece: instances_where
// Those of the instances `among` for which a test holds: the own word of them. Each thread tests instances of its own.
template <class Test>
__device__ __forceinline__ instance_word instances_where(enactor& run, instance_word among, Test test) {
    publish_instances(run, among);
    for (uint32 instance = threadIdx.x; instance < INSTANCES; instance += blockDim.x) {
        const uint32 holds = __ballot_sync(FULL_WARP, is_among(run, instance) && test(int32(instance)));
        if (lane_index() == 0) { run.shared.instances.holds[instance / 32] = holds; }
    }
    __syncthreads();
    const uint32* const halves = &run.shared.instances.holds[2 * own_word()];
    return instance_word(halves[1]) << 32 | halves[0];
}

// piece: any_instance
// Whether there is one; all threads of the block must ask.
__device__ __forceinline__ bool any_instance(instance_word word) { return __syncthreads_or(word != 0) != 0; }

// piece: first_instances
// The own word of the first `count` instances.
__device__ __forceinline__ instance_word first_instances(uint64 count) {
    const uint64 before = 64 * own_word();
    if (count <= before) { return 0; }
    return count - before >= 64 ? ~instance_word(0) : (instance_word(1) << (count - before)) - 1;
}

// piece: each_instance
// Calls `visit(instance)` once for each active instance, by one thread of the first block.
template <class Visit>
__device__ __forceinline__ void each_instance(enactor& run, instance_word active, Visit visit) {
    if (block_index() != 0) { return; }
    publish_instances(run, active);
    for (uint32 instance = threadIdx.x; instance < INSTANCES; instance += blockDim.x) {
        if (is_among(run, instance)) { visit(int32(instance)); }
    }
}

// piece: all_threads_each_instance
// Calls `visit(instance)` for one active instance after the other, by all threads.
template <class Visit>
__device__ __forceinline__ void all_threads_each_instance(enactor& run, instance_word active, Visit visit) {
    publish_instances(run, active);
    for (uint32 w = 0; w < INSTANCE_WORDS; ++w) {
        for (instance_word rest = run.shared.instances.among[w]; rest != 0; rest &= rest - 1) {
            visit(int32(64 * w) + first_instance(rest));
        }
    }
}

// piece: instance_counts
// What the threads of a team count together in a step. Each step has counters of its own; the next ones are cleared
// before its barrier.
struct instance_counts {
    uint64 any[INSTANCE_WORDS];  // instances in which a set has members
    uint64 edges, served, open, chunks;
};

// piece: own_counts
__device__ __forceinline__ instance_counts* own_counts(enactor& run, uint64 after = 0) {
    return reinterpret_cast<instance_counts*>(run.slice.instance_counts[0]) + (run.operators + after) % 4;
}

// piece: end_counts
// Waits for all threads. Returns what they have counted; from now on they count anew.
// barriers: 1
__device__ __forceinline__ const instance_counts* end_counts(enactor& run) {
    const instance_counts* const counts = own_counts(run);
    if (leader()) { *own_counts(run, 1) = instance_counts(); }
    synchronize(run);
    run.operators += 1;
    return counts;
}

// piece: begin_instances
// Before anything else: sets are empty, and nothing is counted.
__device__ __forceinline__ void begin_instances(enactor& run, uint64 num_vertices) {
    for (uint32 slot = 0; slot < INSTANCE_SETS; ++slot) {
        uint64* const words = run.slice.instance_sets[slot];
        each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) { words[i] = 0; });
        if (threadIdx.x < INSTANCE_WORDS) { run.shared.instances.any[slot][threadIdx.x] = 0; }
    }
    if (leader()) { *own_counts(run) = instance_counts(); }
}

// piece: note_instances
// Adds the own word of instances that this thread has found.
__device__ __forceinline__ void note_instances(enactor& run, instance_word found) {
    for (uint32 step = 16; step >= INSTANCE_WORDS; step /= 2) { found |= __shfl_xor_sync(FULL_WARP, found, step); }
    if (lane_index() < INSTANCE_WORDS) {
        uint64* const any = &own_counts(run)->any[own_word()];
        if ((found & ~load_relaxed(any)) != 0) { atomicOr_grid(any, found); }
    }
}

// piece: end_set
// Ends a step that has made `set`: waits for all, and keeps in which instances it has members.
// barriers: 1
__device__ __forceinline__ void end_set(enactor& run, instance_set& set) {
    const instance_counts* const counts = end_counts(run);
    if (threadIdx.x < INSTANCE_WORDS) {
        run.shared.instances.any[set.slot][threadIdx.x] = load_relaxed(&counts->any[threadIdx.x]);
    }
    __syncthreads();
}

// piece: count_members_of_instances
// Counts the members of a set in each instance.
// barriers: 2
__device__ __forceinline__ void count_members_of_instances(enactor& run, const instance_set& set, uint64 num_vertices) {
    uint64* const sizes = run.slice.instance_sizes[set.slot];
    each_id(INSTANCES, [&](uint64 i) { sizes[i] = 0; });
    synchronize(run);
    for (uint32 w = 0; w < INSTANCE_WORDS; ++w) {
        uint64 low = 0, high = 0;  // of the instances lane_index() and lane_index() + 32 of the word
        for (uint64 base = warp_index() * 32; base < num_vertices; base += grid_warps() * 32) {
            const uint64 v = base + lane_index();
            const instance_word word = v < num_vertices ? set[v * INSTANCE_WORDS + w] : 0;
            for (instance_word rest = or_of_words(word); rest != 0; rest &= rest - 1) {
                const uint32 bit = uint32(first_instance(rest));
                const uint32 count = __popc(__ballot_sync(FULL_WARP, (word >> bit & 1) != 0));
                if (bit % 32 == lane_index()) { (bit < 32 ? low : high) += count; }
            }
        }
        if (low != 0) { atomicAdd_grid(&sizes[64 * w + lane_index()], low); }
        if (high != 0) { atomicAdd_grid(&sizes[64 * w + 32 + lane_index()], high); }
    }
    synchronize(run);
}

// piece: members_in_instance
__device__ __forceinline__ int64 members_in_instance(enactor& run, const instance_set& set, int32 instance) {
    return int64(load_relaxed(&run.slice.instance_sizes[set.slot][instance]));
}

// piece: close_instances
// Clears the bits of some instances, and returns those that no other thread has cleared before.
__device__ __forceinline__ instance_word close_instances(uint64* open, instance_word instances) {
    return instances & atomicAnd_grid(open, ~instances);
}

// piece: add_instances
// Sets the bits of some instances.
__device__ __forceinline__ void add_instances(uint64* members, instance_word instances) {
    if ((instances & ~load_relaxed(members)) != 0) { atomicOr_grid(members, instances); }
}

// piece: renew_bit
// The bit of an instance becomes the outcome of its test; other threads may change other bits of the word.
__device__ __forceinline__ void renew_bit(uint64* words, uint64 v, int32 instance, bool holds) {
    uint64* const word = &words[v * INSTANCE_WORDS + uint64(instance / 64)];
    const uint64 bit = 1ull << instance % 64;
    if (holds) { atomicOr_grid(word, bit); } else { atomicAnd_grid(word, ~bit); }
}

// piece: renew_all
// The bits of all vertices in the active instances become the outcomes of their test. Where these are `alike`, that of
// one says it for all.
template <class Test>
__device__ __forceinline__ void renew_all(enactor& run, uint64* words, uint64 num_vertices, instance_word active, bool alike, Test test) {
    publish_instances(run, active);
    if (alike) {
        each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) { words[i] = test(0, vertex(i / INSTANCE_WORDS)) ? active : 0; });
        return;
    }
    for (uint64 base = warp_index() * 32; base < num_vertices; base += grid_warps() * 32) {
        const uint64 v = base + lane_index();
        for (uint32 w = 0; w < INSTANCE_WORDS && v < num_vertices; ++w) {
            const instance_word among = run.shared.instances.among[w];
            instance_word word = words[v * INSTANCE_WORDS + w] & ~among;
            for (instance_word rest = among; rest != 0; rest &= rest - 1) {
                const int32 bit = first_instance(rest);
                word |= instance_word(test(int32(64 * w) + bit, vertex(v))) << bit;
            }
            words[v * INSTANCE_WORDS + w] = word;
        }
    }
}

// piece: store_instances
// A set becomes `combine(i)` for the active instances, for each word `i` of a vertex; the others keep theirs.
// barriers: 1
template <class Combine>
__device__ __forceinline__ void store_instances(enactor& run, instance_set& set, uint64 num_vertices, instance_word active, Combine combine) {
    instance_word any = 0;
    each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) {
        const instance_word word = (combine(i) & active) | (set.words[i] & ~active);
        set.words[i] = word;
        any |= word;
    });
    note_instances(run, any);
    end_set(run, set);
}

// piece: define_instances
// A set becomes what `add(instance, put)` puts into it, for each active instance.
// barriers: 2
template <class Add>
__device__ __forceinline__ void define_instances(enactor& run, instance_set& set, uint64 num_vertices, instance_word active, Add add) {
    instance_word any = 0;
    each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) {
        const instance_word word = set.words[i] & ~active;
        set.words[i] = word;
        any |= word;
    });
    synchronize(run);
    each_instance(run, active, [&](int32 instance) {
        add(instance, [&](vertex v) {
            const uint64 bit = 1ull << instance % 64;
            atomicOr_grid(&set.words[uint64(v) * INSTANCE_WORDS + uint64(instance / 64)], bit);
            atomicOr_grid(&own_counts(run)->any[instance / 64], bit);
        });
    });
    note_instances(run, any);
    end_set(run, set);
}

// piece: each_member_of_instances
// Visits each member in each active instance. A warp has one word of some vertices, those of a lane side by side, in one
// instance after the other, so that their data are read in the order of memory: `visit(v, instance, totals)` says (if it
// `says` anything) whether it accepts one, and `combine(instance, totals)` is called by all lanes after them.
// `keep(i, accepted, active)` gets the accepted of the word `i` and returns all that are there then, and `note(w, any)` is
// called by all lanes.
template <class Totals, bool says, class Members, class Visit, class Combine, class Result>
__device__ __forceinline__ void each_member_of_instances(enactor& run, const Members& members, uint64 num_vertices, instance_word active,
                                                         Visit visit, Combine combine, Result result) {
    publish_instances(run, active);
    constexpr uint64 tile = 32 * MEMBERS_AT_ONCE;
    const uint64 parts = (num_vertices + tile - 1) / tile * INSTANCE_WORDS;
    for (uint64 part = warp_index(); part < parts; part += grid_warps()) {
        const uint32 w = uint32(part % INSTANCE_WORDS);
        const uint64 own = part / INSTANCE_WORDS * tile + lane_index();
        const instance_word among = run.shared.instances.among[w];
        instance_word accepted[MEMBERS_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
            const uint64 v = own + 32 * k;
            accepted[k] = v < num_vertices ? members[v * INSTANCE_WORDS + w] & among : 0;
        }
#pragma unroll
        for (uint32 half = 0; half < 2; ++half) {  // shifts of 32 bits are one instruction each
            uint32 some = 0;
#pragma unroll
            for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) { some |= uint32(accepted[k] >> 32 * half); }
            for (uint32 rest = or_of_warp(some); rest != 0; rest &= rest - 1) {
                const uint32 bit = rest & -rest;
                const int32 instance = int32(64 * w + 32 * half) + __ffs(int32(rest)) - 1;
                Totals totals;
#pragma unroll
                for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
                    if ((uint32(accepted[k] >> 32 * half) & bit) == 0) { continue; }
                    const bool accepts = visit(vertex(own + 32 * k), instance, totals);
                    if (says && !accepts) { accepted[k] &= ~(instance_word(bit) << 32 * half); }
                }
                __syncwarp();
                combine(instance, totals);
            }
        }
        instance_word any = 0;
#pragma unroll
        for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
            const uint64 v = own + 32 * k;
            if (v < num_vertices) { any |= result.keep(v * INSTANCE_WORDS + w, accepted[k], among); }
        }
        result.note(w, any);
    }
}

// piece: no_totals
struct no_totals {};

// piece: note_word
// Adds the instances of word `w` that the lanes of a warp have found.
__device__ __forceinline__ void note_word(enactor& run, uint32 w, instance_word found) {
    found = or_of_words(found);
    uint64* const any = &own_counts(run)->any[w];
    if (lane_index() == 0 && (found & ~load_relaxed(any)) != 0) { atomicOr_grid(any, found); }
}

// piece: discard_members
struct discard_members {
    __device__ __forceinline__ instance_word keep(uint64, instance_word, instance_word) const { return 0; }
    __device__ __forceinline__ void note(uint32, instance_word) const {}
};

// piece: keep_members
// Accepted members become those of a set, in the active instances.
struct keep_members {
    enactor& run;
    instance_set& set;
    __device__ __forceinline__ instance_word keep(uint64 i, instance_word accepted, instance_word active) const {
        return set.words[i] = accepted | (set.words[i] & ~active);
    }
    __device__ __forceinline__ void note(uint32 w, instance_word any) const { note_word(run, w, any); }
};
