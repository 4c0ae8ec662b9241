// piece: out_degree
__device__ __forceinline__ int32 out_degree(const graph_slice& g, vertex v) { return int32(__ldg(&g.offsets[v + 1]) - __ldg(&g.offsets[v])); }

// piece: in_degree
__device__ __forceinline__ int32 in_degree(const graph_slice& g, vertex v) { return int32(__ldg(&g.in_offsets[v + 1]) - __ldg(&g.in_offsets[v])); }

// piece: place_of
// The number of edges before `e` in its source's list.
__device__ __forceinline__ int32 place_of(const graph_slice& g, vertex source, edge e) { return int32(e - __ldg(&g.offsets[source])); }

// piece: fetch_list
// The degree of a vertex whose edges are walked next. The first of these edges are prefetched into the L2 cache.
__device__ __forceinline__ edge fetch_list(edge first, edge last, const vertex* neighbors) {
    if (first < last) { prefetch_to_l2(&neighbors[first]); }
    return last - first;
}

// piece: out_lists
struct out_lists {
    const graph_slice& g;
    __device__ __forceinline__ edge first(vertex v) const { return __ldg(&g.offsets[v]); }
    __device__ __forceinline__ edge last(vertex v) const { return __ldg(&g.offsets[v + 1]); }
    __device__ __forceinline__ edge degree(vertex v) const { return last(v) - first(v); }
    __device__ __forceinline__ edge degree_with_prefetch(vertex v) const { return fetch_list(first(v), last(v), g.columns); }
    __device__ __forceinline__ vertex neighbor(edge at) const { return __ldg(&g.columns[at]); }
    __device__ __forceinline__ edge id(edge at) const { return at; }
    __device__ __forceinline__ void add(operator_counters* counters, uint64 edges) const { count_edges(counters, edges); }
    __device__ __forceinline__ void begin(block_storage& shared) const { hold_no_edges(shared); }
    __device__ __forceinline__ void hold(block_storage& shared, uint64 edges) const { hold_edges(shared, edges); }
    __device__ __forceinline__ void publish(block_storage& shared, operator_counters* c) const { publish_edges(shared, c); }
};

// piece: first_places
// The first `limit` edges of each vertex.
struct first_places {
    const graph_slice& g;
    const int32 limit;
    __device__ __forceinline__ edge first(vertex v) const { return out_lists{g}.first(v); }
    __device__ __forceinline__ edge last(vertex v) const {
        const edge begin = first(v), degree = out_lists{g}.last(v) - begin;
        return begin + (limit < 0 ? edge(0) : min(degree, edge(limit)));
    }
    __device__ __forceinline__ edge degree(vertex v) const { return out_lists{g}.degree(v); }
    __device__ __forceinline__ vertex neighbor(edge at) const { return out_lists{g}.neighbor(at); }
};

// piece: in_lists
struct in_lists {
    const graph_slice& g;
    __device__ __forceinline__ edge first(vertex v) const { return __ldg(&g.in_offsets[v]); }
    __device__ __forceinline__ edge last(vertex v) const { return __ldg(&g.in_offsets[v + 1]); }
    __device__ __forceinline__ edge degree(vertex v) const { return last(v) - first(v); }
    __device__ __forceinline__ edge degree_with_prefetch(vertex v) const { return fetch_list(first(v), last(v), g.in_sources); }
    __device__ __forceinline__ vertex neighbor(edge at) const { return __ldg(&g.in_sources[at]); }
    __device__ __forceinline__ edge id(edge at) const { return __ldg(&g.in_edges[at]); }
    __device__ __forceinline__ void add(operator_counters* counters, uint64 edges) const { count_edges(counters, edges); }
    __device__ __forceinline__ void begin(block_storage& shared) const { hold_no_edges(shared); }
    __device__ __forceinline__ void hold(block_storage& shared, uint64 edges) const { hold_edges(shared, edges); }
    __device__ __forceinline__ void publish(block_storage& shared, operator_counters* c) const { publish_edges(shared, c); }
};

// piece: all_lists
// Both lists of a vertex, for their degrees.
struct all_lists {
    const graph_slice& g;
    __device__ __forceinline__ edge degree(vertex v) const { return out_lists{g}.degree(v) + in_lists{g}.degree(v); }
    __device__ __forceinline__ edge degree_with_prefetch(vertex v) const {
        return out_lists{g}.degree_with_prefetch(v) + in_lists{g}.degree_with_prefetch(v);
    }
    __device__ __forceinline__ void add(operator_counters* counters, uint64 edges) const { count_edges(counters, edges); }
    __device__ __forceinline__ void begin(block_storage& shared) const { hold_no_edges(shared); }
    __device__ __forceinline__ void hold(block_storage& shared, uint64 edges) const { hold_edges(shared, edges); }
    __device__ __forceinline__ void publish(block_storage& shared, operator_counters* c) const { publish_edges(shared, c); }
};

// piece: hold_no_edges hold_edges publish_edges
// The number of a result's edges that a warp has counted, until it adds them; only its first lane has the number.
__device__ __forceinline__ void hold_no_edges(block_storage& shared) {
    if (lane_index() == 0) { shared.held_edges[threadIdx.x / 32] = 0; }
}
__device__ __forceinline__ void hold_edges(block_storage& shared, uint64 edges) {
    edges = warp_sum(edges);
    if (lane_index() == 0) { shared.held_edges[threadIdx.x / 32] += edges; }
}
__device__ __forceinline__ void publish_edges(block_storage& shared, operator_counters* counters) {
    const uint64 edges = lane_index() == 0 ? shared.held_edges[threadIdx.x / 32] : 0;
    if (edges == 0) { return; }
    atomicAdd_grid(&counters->edges, edges);
    shared.held_edges[threadIdx.x / 32] = 0;  // chunks of long lists may still come
}

// piece: count_edges
// Adds the counts of the lanes of a warp to the edges of the result.
__device__ __forceinline__ void count_edges(operator_counters* counters, uint64 edges) {
    edges = warp_sum(edges);
    if (lane_index() == 0 && edges > 0) { atomicAdd_grid(&counters->edges, edges); }
}
