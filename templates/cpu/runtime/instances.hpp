// piece: instance_word
// A bit for each of up to 64 instances of the program that run together.
typedef uint64 instance_word;

// piece: first_instance
// The lowest instance of a word that is not 0.
inline int32 first_instance(instance_word word) { return __builtin_ctzll(word); }

// piece: each_instance
// Calls `visit(instance)` for each instance of a word.
template <class Visit>
inline void each_instance(instance_word word, Visit visit) {
    for (; word != 0; word &= word - 1) { visit(first_instance(word)); }
}

// piece: instances_where
// The instances of a word for which a test holds.
template <class Test>
inline instance_word instances_where(instance_word word, Test test) {
    instance_word holds = 0;
    each_instance(word, [&](int32 instance) { holds |= instance_word(test(instance)) << instance; });
    return holds;
}

// piece: instance_set
// A set of vertices for each instance: `words` says of each vertex in which it is a member, `queue` has the vertices
// that are members in any, each once, and `any` the instances that have members.
struct instance_set {
    std::vector<instance_word> words;
    std::vector<vertex> queue;
    int64 size = 0;
    instance_word any = 0;
    bool counted = false;
    int64 counts[64];

    explicit instance_set(int64 num_vertices) : words(std::size_t(num_vertices) + 1), queue(std::size_t(num_vertices) + 1) {}

    void add(vertex v, instance_word instances) {
        instance_word& word = words[v];
        if (instances == 0) { return; }
        if (word == 0) { queue[std::size_t(size++)] = v; }
        word |= instances;
        any |= instances;
    }
    void clear() {
        if (size > int64(words.size()) / 8) {
            std::memset(words.data(), 0, words.size() * sizeof(instance_word));
        } else {
            for (int64 i = 0; i < size; ++i) { words[queue[std::size_t(i)]] = 0; }
        }
        size = 0;
        any = 0;
        counted = false;
    }
    // Many members are visited in the order of memory.
    void sort() {
        if (size <= int64(words.size()) / 16) { return; }
        size = 0;
        for (std::size_t v = 0; v + 1 < words.size(); ++v) {
            queue[std::size_t(size)] = vertex(v);
            size += words[v] != 0;
        }
    }
    // The number of members in one instance.
    int64 members_in(int32 instance) {
        if (!counted) {
            std::memset(counts, 0, sizeof(counts));
            for (int64 i = 0; i < size; ++i) {
                each_instance(words[queue[std::size_t(i)]], [&](int32 each) { counts[each] += 1; });
            }
            counted = true;
        }
        return counts[instance];
    }
};

// piece: instances_run
// What all instances share: their data, the words of each test, and a set that is being made.
struct instances_run {
    control_block& control;
    const host_slice* hosts;
    data_slice* instances;
    instance_set next;
    std::vector<instance_word> tests[TESTS];
    int64 visited = 0;   // visits of edges
    int64 served = 0;    // and for how many instances
    bool apart = false;  // the instances had better run by themselves

    instances_run(control_block& control, const host_slice* hosts, data_slice* instances, int64 num_vertices)
        : control(control), hosts(hosts), instances(instances), next(num_vertices) {
        for (auto& words : tests) { words.resize(std::size_t(num_vertices) + 1); }
    }
};

// piece: renew_bit
// The bit of an instance becomes the outcome of its test.
inline void renew_bit(instance_word& word, int32 instance, bool holds) {
    word = (word & ~(instance_word(1) << instance)) | instance_word(holds) << instance;
}

// piece: renew_all
// The same for all vertices and the instances of a word; where these are alike, one test says it for all.
template <class Test>
inline void renew_all(instance_word* words, int64 num_vertices, instance_word instances, bool alike, Test test) {
    if (alike) {
        const int32 one = first_instance(instances);
        for (int64 v = 0; v < num_vertices; ++v) { words[v] = test(one, vertex(v)) ? instances : 0; }
        return;
    }
    each_instance(instances, [&](int32 instance) {
        for (int64 v = 0; v < num_vertices; ++v) { renew_bit(words[v], instance, test(instance, vertex(v))); }
    });
}

// piece: store_next
// The set that has been made becomes `set` for the `active` instances; the others keep theirs.
inline void store_next(instances_run& run, instance_set& set, instance_word active) {
    if ((set.any & ~active) != 0) {
        for (int64 i = 0; i < set.size; ++i) {
            const vertex v = set.queue[std::size_t(i)];
            run.next.add(v, set.words[v] & ~active);
        }
    }
    set.clear();
    run.next.sort();
    std::swap(set, run.next);
}

// piece: copy_instances
inline void copy_instances(instances_run& run, instance_set& set, const instance_set& other, instance_word active) {
    for (int64 i = 0; i < other.size; ++i) {
        const vertex v = other.queue[std::size_t(i)];
        run.next.add(v, other.words[v] & active);
    }
    store_next(run, set, active);
}

// piece: every_vertex
// All vertices, as a set.
struct every_vertex {
    const int64 size;
    vertex operator[](int64 i) const { return vertex(i); }
    instance_word in(vertex) const { return ~instance_word(0); }
};

// piece: members_of_instances
struct members_of_instances {
    const instance_set& set;
    const int64 size;
    explicit members_of_instances(const instance_set& set) : set(set), size(set.size) {}
    vertex operator[](int64 i) const { return set.queue[std::size_t(i)]; }
    instance_word in(vertex v) const { return set.words[v]; }
};

// piece: define_all_instances
inline void define_all_instances(instances_run& run, instance_set& set, int64 num_vertices, instance_word active) {
    for (int64 v = 0; v < num_vertices; ++v) { run.next.add(vertex(v), active); }
    store_next(run, set, active);
}

// piece: unite_instances
template <class First, class Second>
inline void unite_instances(instances_run& run, instance_set& set, const First& first, const Second& second, instance_word active) {
    for (int64 i = 0; i < first.size; ++i) { run.next.add(first[i], first.in(first[i]) & active); }
    for (int64 i = 0; i < second.size; ++i) { run.next.add(second[i], second.in(second[i]) & active); }
    store_next(run, set, active);
}

// piece: intersect_instances
template <class First, class Second>
inline void intersect_instances(instances_run& run, instance_set& set, const First& first, const Second& second, instance_word active) {
    for (int64 i = 0; i < first.size; ++i) { run.next.add(first[i], first.in(first[i]) & second.in(first[i]) & active); }
    store_next(run, set, active);
}

// piece: subtract_instances
template <class First, class Second>
inline void subtract_instances(instances_run& run, instance_set& set, const First& first, const Second& second, instance_word active) {
    for (int64 i = 0; i < first.size; ++i) { run.next.add(first[i], first.in(first[i]) & ~second.in(first[i]) & active); }
    store_next(run, set, active);
}

// piece: each_member_in_instances
// Visits each member in each active instance: `visit(v, instance)`.
template <class Visit>
inline void each_member_in_instances(const instance_set& set, instance_word active, Visit visit) {
    for (int64 i = 0; i < set.size; ++i) {
        const vertex v = set.queue[std::size_t(i)];
        each_instance(set.words[v] & active, [&](int32 instance) { visit(v, instance); });
    }
}
// Of all vertices, one instance after the other, whose data are read in the order of memory.
template <class Visit>
inline void each_member_in_instances(const every_vertex& all, instance_word active, Visit visit) {
    each_instance(active, [&](int32 instance) {
        for (int64 v = 0; v < all.size; ++v) { visit(vertex(v), instance); }
    });
}

// piece: count_visits
// Counts the edges of all members, and for how many instances each will be visited. Returns the former.
template <class Members, class Lists>
inline int64 count_visits(instances_run& run, const Members& members, const Lists& lists, instance_word active) {
    int64 edges = 0, served = 0;
    for (int64 i = 0; i < members.size; ++i) {
        const vertex near = members[i];
        const int64 degree = lists.degree(near);
        edges += degree;
        served += degree * __builtin_popcountll(members.in(near) & active);
    }
    run.visited += edges;
    run.served += served;
    return edges;
}

// piece: push_instances
// Visits the edges of every member once for all instances that have it: `near_test(near)` and `far_test(far)` say in
// which of them the ends pass their tests, `shared(near, far, e)` whether the edge passes those that are the same for
// all, and `visit(near, far, e, instances)` runs the rest for each.
template <class Members, class Lists, class NearTest, class FarTest, class Shared, class Visit>
inline void push_instances(
    const Members& members, const Lists& lists, instance_word active, NearTest near_test, FarTest far_test, Shared shared, Visit visit) {
    for (int64 i = 0; i < members.size; ++i) {
        const vertex near = members[i];
        const instance_word from = members.in(near) & active & near_test(near);
        if (from == 0) { continue; }
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) {
            const vertex far = lists.neighbor(at);
            const instance_word instances = from & far_test(far);
            if (instances != 0 && shared(near, far, lists.id(at))) { visit(near, far, lists.id(at), instances); }
        }
    }
}

// piece: pull_instances
// The same from the far ends, whose lists are walked until they have been reached in all instances that they are open in.
template <class Members, class Lists, class NearTest, class FarTest, class Shared, class Visit>
inline void pull_instances(
    int64 num_vertices, const Members& members, const Lists& lists, instance_word active, NearTest near_test, FarTest far_test, Shared shared, Visit visit) {
    for (int64 v = 0; v < num_vertices; ++v) {
        const vertex far = vertex(v);
        instance_word open = active & far_test(far);
        for (int64 at = lists.first(far), last = lists.last(far); open != 0 && at < last; ++at) {
            const vertex near = lists.neighbor(at);
            instance_word instances = open & members.in(near);
            if (instances == 0) { continue; }
            instances &= near_test(near);
            if (instances != 0 && shared(near, far, lists.id(at))) {
                open &= ~instances;
                visit(near, far, lists.id(at), instances);
            }
        }
    }
}

// piece: open_edges
// The edges into vertices that pass the tests of far ends in any active instance.
template <class Lists, class FarTest>
inline int64 open_edges(int64 num_vertices, const Lists& lists, instance_word active, FarTest far_test) {
    int64 edges = 0;
    for (int64 v = 0; v < num_vertices; ++v) { edges += (far_test(vertex(v)) & active) != 0 ? lists.degree(vertex(v)) : 0; }
    return edges;
}

// piece: begin_pass_of_instances
// Whether the loop runs another pass for any instance. Checks the caller's limit on iterations.
inline bool begin_pass_of_instances(instances_run& run, instance_word active, int32 loop, int32 iteration) {
    if (active == 0) { return false; }
    if (iteration >= run.control.max_iterations && !must_stop(run.control)) {
        run.control.exhausted = int64(loop) + 1;
        run.control.halted = 1;
    }
    leave_if_stopped(run.control);
    return true;
}

// piece: worth_it
// Whether the instances share enough visits of edges; they do not where few of them meet at a vertex in the same pass.
inline bool worth_it(instances_run& run) {
    const int64 enough = 4 * (run.hosts->graph.num_edges + run.hosts->graph.num_vertices);
    run.apart = run.visited > enough && run.served < run.visited * SHARED_VISITS;
    return !run.apart;
}
