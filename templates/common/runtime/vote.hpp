// piece: candidate
// A key with its score; `kept`: it is the one that wins a tie.
template <class Key, class Score>
struct candidate {
    Key key;
    Score score;
    bool voted, kept;
};

// piece: beats
// Whether `a` is better than `b`; every score is larger than NaN.
template <class Key, class Score>
inline bool beats(const candidate<Key, Score>& a, const candidate<Key, Score>& b) {
    if (!a.voted || !b.voted) { return a.voted; }
    const bool a_number = a.score == a.score, b_number = b.score == b.score;
    if (a.score > b.score || (a_number && !b_number)) { return true; }
    if (b.score > a.score || (b_number && !a_number)) { return false; }
    return a.kept != b.kept ? a.kept : a.key < b.key;
}
