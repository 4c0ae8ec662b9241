// What exported programs share on the host: failures, memory, and what they read of a graph besides its lists.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace gdsl_export {

// Why something was refused or stopped: the number of gdsl's code (608 is E0608) and the message.
struct failure {
    int code;
    std::string text;
};

[[noreturn]] inline void fail(int code, const std::string& text) { throw failure{code, text}; }

// The message with the code in front.
inline std::string as_line(const failure& found) {
    const std::string digits = std::to_string(found.code);
    return "error E" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits + ": " + found.text;
}

template <class T>
std::string shown(T value) { return std::to_string(value); }
inline std::string shown(bool value) { return value ? "true" : "false"; }
// The fewest digits that read back as the same number, as Python writes them: 0.5, 2.0, 1e-05, inf.
template <class Float>
std::string shortest(Float value) {
    typedef std::numeric_limits<Float> limits;
    if (value != value) { return "nan"; }
    if (value == limits::infinity() || value == -limits::infinity()) { return value > 0 ? "inf" : "-inf"; }
    char text[64];
    for (int digits = limits::digits10; digits <= limits::max_digits10; ++digits) {
        std::snprintf(text, sizeof text, "%.*e", digits - 1, double(value));
        if (Float(std::strtod(text, nullptr)) == value) { break; }
    }
    const std::string whole = text, sign = whole[0] == '-' ? "-" : "";
    const std::size_t at = whole.find('e');
    const int exponent = std::atoi(whole.c_str() + at + 1);
    std::string digits;
    for (char each : whole.substr(0, at)) {
        if (each >= '0' && each <= '9') { digits += each; }
    }
    while (digits.size() > 1 && digits.back() == '0') { digits.pop_back(); }
    if (exponent < -4 || exponent >= 16) {
        const std::string rest = digits.size() > 1 ? "." + digits.substr(1) : "";
        return sign + digits[0] + rest + whole.substr(at);
    }
    if (exponent < 0) { return sign + "0." + std::string(std::size_t(-exponent - 1), '0') + digits; }
    const std::size_t before = std::size_t(exponent) + 1;
    if (digits.size() <= before) { return sign + digits + std::string(before - digits.size(), '0') + ".0"; }
    return sign + digits.substr(0, before) + "." + digits.substr(before);
}
inline std::string shown(double value) { return shortest(value); }
inline std::string shown(float value) { return shortest(value); }

// `text` with `value` in the place of `mark`.
inline std::string with(std::string text, const std::string& mark, const std::string& value) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
    }
    return text;
}

// What a run's checks say: the code, the message, that for values below 0, how many bits an index without a sign has, and
// whether values below 0 are said without their sign.
struct stop {
    int code;
    const char* text;
    const char* of_negative;
    int unsigned_bits;
    bool turned;
};

[[noreturn]] inline void refuse(const stop& found, long long value, long long length) {
    std::string text = value < 0 && found.unsigned_bits == 0 ? found.of_negative : found.text;
    std::string number = std::to_string(found.turned && value < 0 ? -value : value);
    if (found.unsigned_bits == 32) { number = std::to_string(std::uint32_t(value)); }
    if (found.unsigned_bits == 64) { number = std::to_string((unsigned long long)value); }
    fail(found.code, with(with(text, "{value}", number), "{length}", std::to_string(length)));
}

// Fails for an id that is not below the graph's `count`.
template <class Id>
void require_id(const std::string& what, Id value, long long count, const std::string& kind) {
    if (value >= 0 && value < count) { return; }
    const std::string plural = kind == "vertex" ? "vertices" : "edges";
    const std::string have = count > 0 ? plural + " 0 to " + std::to_string(count - 1) : "it has no " + plural;
    fail(604, what + " is " + std::to_string(value) + ", which is not " + (kind == "edge" ? "an " : "a ") + kind + " of the graph (" + have + ")");
}

// The same for the value at a place of an array, in which -1 is none.
template <class Id>
void require_id_or_none(const std::string& what, Id value, long long count, const std::string& kind, long long place) {
    if (value >= -1 && value < count) { return; }
    fail(604, what + ": value " + std::to_string(place) + " is " + std::to_string(value) + ", which is not " + (kind == "edge" ? "an " : "a ") + kind +
                  " of the graph");
}

// Refuses a set of fewer than `least` members; duplicates are one.
template <class Id>
void require_members(const std::string& what, const Id* members, long long count, long long least) {
    if (count >= least && least == 1) { return; }
    std::vector<Id> different(members, members + count);
    std::sort(different.begin(), different.end());
    const long long size = std::unique(different.begin(), different.end()) - different.begin();
    if (size >= least) { return; }
    const std::string wanted = least == 1 ? "one member" : std::to_string(least) + " members";
    const std::string have = size > 0 ? "has " + std::to_string(size) : "is empty";
    fail(608, what + " must have at least " + wanted + ", but it " + have);
}

// Memory for `count` values, one at least, at a multiple of 16 bytes; all zeros.
class room {
public:
    room(long long count, std::size_t size) {
        const std::size_t bytes = (std::size_t(count < 1 ? 1 : count) * size + 15) / 16 * 16;
        memory_.reset(std::aligned_alloc(16, bytes));
        if (!memory_) { throw std::bad_alloc(); }
        std::memset(memory_.get(), 0, bytes);
    }
    void* get() const { return memory_.get(); }

private:
    struct release {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, release> memory_;
};

// Memory that the caller of the C interface frees by `std::free`.
template <class T>
T* new_results(long long count) {
    void* made = std::malloc(std::size_t(count < 1 ? 1 : count) * sizeof(T));
    if (made == nullptr) { throw std::bad_alloc(); }
    return static_cast<T*>(made);
}

// The caller's graph, and further lists that programs read, built when first used.
template <class Vertex, class Edge>
class graph_lists {
public:
    template <class Graph>
    explicit graph_lists(const Graph& given)
        : num_vertices(given.num_vertices), num_edges(given.num_edges), directed_(given.directed),
          offsets_(reinterpret_cast<const long long*>(given.offsets)), columns_(given.columns) {
        check();
        static const Vertex nothing[1] = {};  // a checked place 0 is there
        if (num_edges == 0) { columns_ = nothing; }
    }

    const long long num_vertices, num_edges;

    // The edges of vertex v are offsets()[v] to offsets()[v + 1], their other ends are columns().
    const long long* offsets() const { return offsets_; }
    const Vertex* columns() const { return columns_; }

    // The edges that lead to v are in_offsets()[v] to in_offsets()[v + 1]. An undirected graph, which has each edge both
    // ways, has in its own lists what these would be; only the ids are others.
    const long long* in_offsets() { return directed_ ? (transpose(), in_offsets_.data()) : offsets_; }
    const Vertex* in_sources() { return directed_ ? (transpose(), in_sources_.data()) : columns_; }
    const Edge* in_edges() { return transpose(), in_edges_.data(); }

    // The source of each edge.
    const Vertex* edge_sources() {
        if (sources_.empty()) {
            sources_.resize(std::size_t(num_edges) + 1);
            for (long long v = 0; v < num_vertices; ++v) {
                for (long long e = offsets_[v]; e < offsets_[v + 1]; ++e) { sources_[std::size_t(e)] = Vertex(v); }
            }
        }
        return sources_.data();
    }

    // The reverse of each edge, or -1; for the k-th of parallel edges the k-th that leads back.
    const Edge* reverse_edges() {
        if (reverse_.empty()) {
            reverse_.resize(std::size_t(num_edges) + 1);
            for (long long v = 0; v < num_vertices; ++v) {
                long long first = offsets_[v];
                for (long long e = offsets_[v]; e < offsets_[v + 1]; ++e) {
                    const Vertex u = columns_[e];
                    if (u != columns_[first]) { first = e; }
                    const Vertex *begin = columns_ + offsets_[u], *end = columns_ + offsets_[u + 1];
                    const long long back = offsets_[u] + (std::lower_bound(begin, end, Vertex(v)) - begin) + (e - first);
                    const bool is_there = back < offsets_[u + 1] && columns_[back] == Vertex(v);
                    reverse_[std::size_t(e)] = is_there ? Edge(back) : Edge(-1);
                }
            }
        }
        return reverse_.data();
    }

    // The name of a part of the graph on GPUs in programs that build graphs.
    const Edge* edge_ids() {
        if (ids_.empty()) {
            ids_.resize(std::size_t(num_edges) + 1);
            for (long long e = 0; e < num_edges; ++e) { ids_[std::size_t(e)] = Edge(e); }
        }
        return ids_.data();
    }
    const Vertex* neighbors() const { return columns_; }

    // The most edges of a vertex, in either direction.
    long long largest_degree() const {
        long long largest = 0;
        for (long long v = 0; v < num_vertices; ++v) { largest = std::max(largest, offsets_[v + 1] - offsets_[v]); }
        std::vector<std::int32_t> entering(directed_ ? std::size_t(num_vertices) : 0);
        for (long long e = 0; directed_ && e < num_edges; ++e) { ++entering[std::size_t(columns_[e])]; }
        for (std::int32_t degree : entering) { largest = std::max<long long>(largest, degree); }
        return largest;
    }

    // What a message calls an edge.
    std::string edge_name(long long e) const {
        const long long source = std::upper_bound(offsets_, offsets_ + num_vertices + 1, e) - offsets_ - 1;
        return "edge " + std::to_string(e) + " (" + std::to_string(source) + " -> " + std::to_string(columns_[e]) + ")";
    }
    std::string vertex_name(long long v) const { return "vertex " + std::to_string(v); }

    // Refuses a graph with an edge that has no opposite.
    void require_symmetric() {
        if (!directed_) { return; }
        const Edge* back = reverse_edges();
        for (long long e = 0; e < num_edges; ++e) {
            if (back[e] == Edge(-1)) {
                const std::string u = std::to_string(edge_sources()[e]), v = std::to_string(columns_[e]);
                fail(609, "the program requires a symmetric graph, but the edge " + u + " -> " + v + " has no edge " + v +
                              " -> " + u);
            }
        }
    }

    // Refuses a graph with self-loops or parallel edges.
    void require_simple() const {
        for (long long v = 0; v < num_vertices; ++v) {
            for (long long e = offsets_[v]; e < offsets_[v + 1]; ++e) {
                const bool loops = columns_[e] == Vertex(v);
                if (loops || (e > offsets_[v] && columns_[e] == columns_[e - 1])) {
                    fail(609, "the program requires a simple graph, but the edge " + std::to_string(v) + " -> " +
                                  std::to_string(columns_[e]) + (loops ? " is a self-loop" : " is a parallel edge"));
                }
            }
        }
    }

private:
    // Everything that the program's code relies on.
    void check() const {
        if (num_vertices < 0 || num_edges < 0 || offsets_ == nullptr || (columns_ == nullptr && num_edges > 0)) {
            fail(711, "the graph has no offsets or no columns, or fewer than 0 vertices or edges");
        }
        const long long most_vertices = std::numeric_limits<Vertex>::max(), most_edges = std::numeric_limits<Edge>::max();
        if (num_vertices >= most_vertices || num_edges >= most_edges) {
            fail(610, "the graph needs 64 bits an id; export the program with --tune schedule.ids=64");
        }
        if (offsets_[0] != 0 || offsets_[num_vertices] != num_edges) {
            fail(711, "offsets do not ascend from 0 to the number of edges, " + std::to_string(num_edges));
        }
        for (long long v = 0; v < num_vertices; ++v) {
            if (offsets_[v + 1] < offsets_[v] || offsets_[v + 1] > num_edges) {
                fail(711, "offsets do not ascend from 0 to the number of edges, " + std::to_string(num_edges));
            }
            if (offsets_[v + 1] - offsets_[v] > std::numeric_limits<std::int32_t>::max()) {
                fail(709, "a vertex has more edges than int32 can count");
            }
            for (long long e = offsets_[v]; e < offsets_[v + 1]; ++e) {
                if (columns_[e] < 0 || columns_[e] >= num_vertices) {
                    fail(707, "columns[" + std::to_string(e) + "] is " + std::to_string(columns_[e]) + ", which is not a vertex");
                }
                if (e > offsets_[v] && columns_[e] < columns_[e - 1]) {
                    fail(711, "the columns of vertex " + std::to_string(v) + " do not ascend");
                }
            }
        }
    }

    void transpose() {
        if (!in_offsets_.empty()) { return; }
        in_offsets_.assign(std::size_t(num_vertices) + 1, 0);
        in_sources_.resize(std::size_t(num_edges) + 1);
        in_edges_.resize(std::size_t(num_edges) + 1);
        for (long long e = 0; e < num_edges; ++e) { ++in_offsets_[std::size_t(columns_[e]) + 1]; }
        for (std::size_t v = 0; v < std::size_t(num_vertices); ++v) { in_offsets_[v + 1] += in_offsets_[v]; }
        std::vector<long long> next(in_offsets_);
        for (long long v = 0; v < num_vertices; ++v) {
            for (long long e = offsets_[v]; e < offsets_[v + 1]; ++e) {
                const std::size_t at = std::size_t(next[std::size_t(columns_[e])]++);
                in_sources_[at] = Vertex(v);
                in_edges_[at] = Edge(e);
            }
        }
    }

    const bool directed_;
    const long long* const offsets_;
    const Vertex* columns_;
    std::vector<long long> in_offsets_;
    std::vector<Vertex> in_sources_, sources_;
    std::vector<Edge> in_edges_, reverse_, ids_;
};

// Pairs as programs store them: the rank of each part, which orders as its values do, in half a word or in a word.
template <class T, class Word>
T of_rank(std::uint64_t rank) {
    Word found = Word(rank);
    const Word sign = Word(Word(1) << (8 * sizeof(Word) - 1));
    if (!std::numeric_limits<T>::is_integer) {
        found = Word(found ^ Word((found & sign) != 0 ? sign : Word(~Word(0))));
    } else if (std::numeric_limits<T>::is_signed) {
        found = Word(found ^ sign);
    }
    T value;
    std::memcpy(&value, &found, sizeof value);
    return value;
}

}  // namespace gdsl_export
