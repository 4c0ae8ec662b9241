// piece: begin_proposals
// Before edges are proposed: each GPU clears its bitmap, number `marks`, and says where that and its proposals are.
// barriers: 1
__device__ __forceinline__ void begin_proposals(enactor& run, uint32 number, uint32 marks, uint64 count) {
    uint32* const bitmap = own_copy<uint32>(run, marks);
    const uint64 words = (count + 31) / 32, threads = uint64(own_block_count()) * blockDim.x;
    const uint64 own = uint64(own_block_index()) * blockDim.x + threadIdx.x;
    for (uint64 i = own; i < words; i += threads) { store_relaxed(&bitmap[i], 0u); }
    if (own == 0) {
        run.slice.addresses[number][own_gpu()] = reinterpret_cast<uint64>(run.slice.mirrors[number]);
        run.slice.addresses[marks][own_gpu()] = reinterpret_cast<uint64>(run.slice.mirrors[marks]);
    }
    synchronize(run);
}

// piece: propose
// Notes an edge for its far end, if it is this GPU's first one there.
__device__ __forceinline__ void propose(uint32* marks, vertex* proposals, vertex near, vertex far) {
    if (mark(marks, far)) { proposals[far] = near; }
}

// piece: settle_proposals
// After a barrier: visits one of the edges that GPUs have noted for each far end; this GPU's own first, as that is read
// from near memory. Each GPU takes the words of marks of the vertices that it has. A warp takes 32 words at a time, and
// reads `several` proposals before it visits the first of them, so that it waits for another GPU once for all. `visit` says
// whether it accepts a far end; if `found` is not null, it becomes the bitmap of those.
template <class Visit>
__device__ __forceinline__ void settle_proposals(enactor& run, uint32 number, uint32 marks, uint64 count, uint32* found, Visit visit) {
    constexpr uint32 several = 4;
    const uint32 lane = lane_index(), this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const all_members words{(count + 31) / 32};
    const uint64 end = own_last<all_warps>(words), step = own_warps<all_warps>(words) * 32;
    for (uint64 base = first_base<all_warps>(words, 32); base < end; base += step) {
        uint32 settled = 0, accepted = 0;  // of this lane's word
        for (uint32 turn = 0; turn < gpus; ++turn) {
            const uint32 gpu = this_gpu + turn < gpus ? this_gpu + turn : this_gpu + turn - gpus;
            const vertex* const proposals = copy_of_gpu<vertex>(run, number, gpu);
            const uint32 word = base + lane < end ? copy_of_gpu<uint32>(run, marks, gpu)[base + lane] : 0;
            const uint32 taken = word & ~settled;
            settled |= word;
            uint32 rows = __ballot_sync(FULL_WARP, taken != 0);
            while (rows != 0) {
                bool active[several];
                uint32 word_of[several];  // the lane that has the word
                vertex far[several], near[several];
                side_by_side<several>([&](uint32 k) {
                    const uint32 row = rows != 0 ? __ffs(rows) - 1 : 0, is_row = rows != 0 ? 1 : 0;
                    rows &= rows - 1;
                    word_of[k] = row;
                    active[k] = (__shfl_sync(FULL_WARP, taken, row) >> lane & is_row) != 0;
                    far[k] = vertex((base + row) * 32 + lane);
                    near[k] = active[k] ? proposals[far[k]] : vertex(0);
                });
                side_by_side<several>([&](uint32 k) {
                    const uint32 votes = __ballot_sync(FULL_WARP, visit(active[k], near[k], far[k], edge(0)));
                    accepted |= lane == word_of[k] ? votes : 0;
                });
            }
        }
        if (found != nullptr && base + lane < end) { found[base + lane] = accepted; }
    }
}
