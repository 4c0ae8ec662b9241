// piece: check_width
// Stops the run where levels have no width.
template <class Width>
inline void check_width(run_state&, const data_slice& d, Width width, int64 check) {
    checked_index(d, width > Width(0) ? 0 : -1, 1, check);
}
