// Graphs from Matrix Market files: coordinate; pattern, integer or real; general (directed) or symmetric (undirected).

#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "gdsl_graph.hpp"

namespace gdsl_export {

// The lists of a graph, and the values of its edges in their order.
template <class Vertex>
struct read_graph {
    std::int64_t num_vertices = 0;
    bool directed = true;
    enum { NO_VALUES, WHOLE, REAL } kind = NO_VALUES;
    std::vector<std::int64_t> offsets;
    std::vector<Vertex> columns;
    std::vector<std::int64_t> whole_values;
    std::vector<double> real_values;
};

class matrix_market_lines {
public:
    explicit matrix_market_lines(const std::string& path) : path_(path), file_(path) {
        if (!file_ || file_.peek() == std::ifstream::traits_type::eof()) {
            fail(file_.is_open() && !file_.bad() ? 716 : 701, "cannot read " + path + ", or it is empty");
        }
    }

    bool next() {
        file_.getline(buffer_.data(), std::streamsize(buffer_.size()));
        const std::size_t count = std::size_t(file_.gcount());
        if (file_.bad()) { fail(701, "cannot read " + path_); }
        if (file_.fail() && (count == 0 || file_.eof())) { return false; }
        ++number_;
        if (std::memchr(buffer_.data(), '\0', count - (file_.fail() || file_.eof() ? 0 : 1)) != nullptr) {
            refuse(710, "the line has a NUL byte, so this is a binary file");
        }
        if (file_.fail()) { refuse(705, "the line has more than " + std::to_string(count) + " characters"); }
        is_ended_ = !file_.eof();
        line.assign(buffer_.data(), count - (is_ended_ ? 1 : 0));
        at = line.c_str();
        return true;
    }

    bool is_ended() const { return is_ended_; }

    // Bytes of the file; less than 0 for a pipe or a device.
    long long size() const {
        std::error_code error;
        if (!std::filesystem::is_regular_file(path_, error)) { return -1; }
        const std::uintmax_t found = std::filesystem::file_size(path_, error);
        return error ? -1 : (long long)(found);
    }

    bool is_blank() const { return line.find_first_not_of(" \t\r\f\v") == std::string::npos; }

    // Counts a line that is a comment or blank: an endless input may consist of these alone.
    void skip_line() {
        skipped_ += (long long)(line.size()) + 1;
        if (skipped_ > MOST_SKIPPED) {
            refuse(705, "there are more than " + std::to_string(MOST_SKIPPED) + " bytes of comments and blank lines");
        }
    }

    [[noreturn]] void refuse(int code, const std::string& text) const {
        fail(code, path_ + ":" + std::to_string(number_) + ": " + text);
    }

    std::string line;
    const char* at = nullptr;

    void skip_blanks() {
        while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') { ++at; }
    }

    // An integer that is a word of its own.
    bool take(std::int64_t& found) {
        skip_blanks();
        const char* digits = at + (*at == '-' || *at == '+');
        if (*digits < '0' || *digits > '9') { return false; }
        char* end = nullptr;
        errno = 0;
        found = std::strtoll(at, &end, 10);
        return errno == 0 && ends(end);
    }

    // A number that is a word of its own, neither hexadecimal nor too large for its type.
    bool take(double& found) {
        skip_blanks();
        for (const char* each = at; *each != '\0' && *each != ' ' && *each != '\t'; ++each) {
            if (*each == 'x' || *each == 'X' || *each == '(') { return false; }
        }
        char* end = nullptr;
        errno = 0;
        found = std::strtod(at, &end);
        const bool overflows = errno == ERANGE && (found > 1 || found < -1);
        return end != at && !overflows && ends(end);
    }

private:
    bool ends(const char* end) {
        at = end;
        return *end == '\0' || *end == ' ' || *end == '\t' || *end == '\r' || *end == '\f' || *end == '\v';
    }

    std::string path_;
    std::ifstream file_;
    std::vector<char> buffer_ = std::vector<char>(std::size_t(1) << 20);  // a device may have lines without an end
    static constexpr long long MOST_SKIPPED = 1LL << 26;
    long long number_ = 0, skipped_ = 0;
    bool is_ended_ = true;
};

struct matrix_market_head {
    std::int64_t num_vertices = 0, entries = 0;
    bool directed = true, has_values = false, is_real = false;
};

inline std::vector<std::string> lower_words(const std::string& line) {
    std::vector<std::string> words(1);
    for (char each : line) {
        if (each == ' ' || each == '\t' || each == '\r') {
            if (!words.back().empty()) { words.emplace_back(); }
        } else {
            words.back() += each >= 'A' && each <= 'Z' ? char(each - 'A' + 'a') : each;
        }
    }
    if (words.back().empty()) { words.pop_back(); }
    return words;
}

inline matrix_market_head read_head(matrix_market_lines& lines) {
    matrix_market_head head;
    lines.next();
    const std::vector<std::string> words = lower_words(lines.line);
    const std::string first = words.empty() ? "" : words[0].substr(words[0].rfind("%%", 0) == 0);
    if (first.rfind("%matrixmarket", 0) != 0) {  // some files have one percent sign
        lines.refuse(703, "this is not a Matrix Market file: it does not begin with %%MatrixMarket");
    }
    if (words.size() != 5 || first != "%matrixmarket" || words[1] != "matrix") {
        lines.refuse(703, "the first line is not `%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric`");
    }
    if (words[2] == "array") { lines.refuse(704, "the matrix is dense (`array`); write it as `coordinate`"); }
    if (words[2] != "coordinate") { lines.refuse(703, "unknown layout `" + words[2] + "`; `coordinate` is read"); }
    const std::string& field = words[3];
    if (field == "complex") { lines.refuse(704, "the matrix has complex values; weights are integers or real numbers"); }
    head.is_real = field == "real" || field == "double";
    head.has_values = head.is_real || field == "integer" || field == "unsigned-integer";
    if (!head.has_values && field != "pattern") {
        lines.refuse(703, "unknown kind of values `" + field + "`; `pattern`, `integer` and `real` are read");
    }
    if (words[4] != "general" && words[4] != "symmetric") {
        const bool known = words[4] == "skew-symmetric" || words[4] == "hermitian";
        lines.refuse(known ? 704 : 703, "the matrix is " + words[4] + "; a graph is `general` or `symmetric`");
    }
    head.directed = words[4] == "general";
    bool found = false;
    while (!found && lines.next()) {
        found = !lines.is_blank() && lines.line[0] != '%';
        if (!found) { lines.skip_line(); }
    }
    if (!found) { lines.refuse(706, "the file ends before its line `rows columns entries`"); }
    std::int64_t columns = 0;
    const bool sizes = lines.take(head.num_vertices) && lines.take(columns) && lines.take(head.entries);
    lines.skip_blanks();
    if (!sizes || *lines.at != '\0' || head.num_vertices < 0 || columns < 0 || head.entries < 0) {
        lines.refuse(703, "this is not `rows columns entries`, three whole numbers");
    }
    if (head.num_vertices != columns) {
        lines.refuse(704, "the matrix is rectangular (" + std::to_string(head.num_vertices) + " x " +
                              std::to_string(columns) + "); a graph's matrix is square");
    }
    return head;
}

// Bytes of memory that are free; less than 0 where the system does not say.
inline long long free_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        long long kilobytes = 0;
        if (word == "MemAvailable:" && file >> kilobytes) { return kilobytes * 1024; }
    }
    return -1;
}

// Places by a key below `count`, those of one key in the order of `places`.
template <class Key>
std::vector<std::int64_t> in_order(const std::vector<std::int64_t>& places, std::int64_t count, Key key) {
    std::vector<std::int64_t> first(std::size_t(count) + 1, 0), sorted(places.size());
    for (std::int64_t place : places) { ++first[std::size_t(key(place)) + 1]; }
    for (std::size_t at = 0; at < std::size_t(count); ++at) { first[at + 1] += first[at]; }
    for (std::int64_t place : places) { sorted[std::size_t(first[std::size_t(key(place))]++)] = place; }
    return sorted;
}

// The graph in the file at `path`. Ids count from 1 there, and from 0 in what is returned; edges are ordered by source,
// then by destination, then as in the file; those of a symmetric matrix both ways, self-loops once.
template <class Vertex>
read_graph<Vertex> read_matrix_market(const std::string& path) {
    matrix_market_lines lines(path);
    const matrix_market_head head = read_head(lines);
    read_graph<Vertex> graph;
    if (head.num_vertices >= std::int64_t(std::numeric_limits<Vertex>::max())) {
        lines.refuse(610, "the graph needs 64 bits an id; export the program with --tune schedule.ids=64");
    }
    const long long free = free_memory();
    if (free >= 0 && head.num_vertices > free / 32) {  // offsets, those of the other direction, and what sorting takes
        lines.refuse(708, "there is not enough free memory for a graph of " + std::to_string(head.num_vertices) + " vertices");
    }
    // Of a file that is too short for its header this is not what is wrong.
    const bool is_short = lines.size() >= 0 && head.entries > lines.size() / 2;
    if (free >= 0 && !is_short && head.entries > free / 48) {  // both ends, a value, and what sorting takes
        lines.refuse(708, "there is not enough free memory for " + std::to_string(head.entries) + " entries");
    }
    std::vector<std::int64_t> sources, destinations, whole;
    std::vector<double> real;
    while (lines.next()) {
        if (lines.is_blank()) {
            lines.skip_line();
            continue;
        }
        if (std::int64_t(sources.size()) == head.entries) {
            lines.refuse(706, "the file goes on after the " + std::to_string(head.entries) + " entries of its header");
        }
        std::int64_t row = 0, column = 0, number = 0;
        double value = 0;
        bool is_entry = lines.take(row) && lines.take(column);
        if (is_entry && head.has_values) { is_entry = head.is_real ? lines.take(value) : lines.take(number); }
        if (is_entry) { lines.skip_blanks(); }
        if (!is_entry || *lines.at != '\0') {
            lines.refuse(705, std::string("this is not `row column") + (head.has_values ? " value`" : "`"));
        }
        for (std::int64_t id : {row, column}) {
            if (id < 1 || id > head.num_vertices) {
                lines.refuse(707, std::to_string(id) + " is not a vertex: Matrix Market ids count from 1, here to " +
                                      std::to_string(head.num_vertices));
            }
        }
        sources.push_back(row - 1);
        destinations.push_back(column - 1);
        if (head.is_real) { real.push_back(value); }
        if (head.has_values && !head.is_real) { whole.push_back(number); }
    }
    if (std::int64_t(sources.size()) < head.entries) {
        lines.refuse(706, "the file ends after " + std::to_string(sources.size()) + " entries, and its header says " +
                              std::to_string(head.entries));
    }
    if (!lines.is_ended() && !sources.empty() && (head.has_values || (destinations.back() + 1) * 10 <= head.num_vertices)) {
        lines.refuse(706, "the last line has no line end, so its last number may be cut off");
    }
    // An arc at an even place is that of the file, at an odd one the other way.
    std::vector<std::int64_t> arcs;
    for (std::size_t at = 0; at < sources.size(); ++at) {
        arcs.push_back(std::int64_t(2 * at));
        if (!head.directed && sources[at] != destinations[at]) { arcs.push_back(std::int64_t(2 * at + 1)); }
    }
    const auto end = [&](std::int64_t arc, bool is_source) {
        const std::size_t at = std::size_t(arc / 2);
        return (arc % 2 == 0) == is_source ? sources[at] : destinations[at];
    };
    arcs = in_order(arcs, head.num_vertices, [&](std::int64_t arc) { return end(arc, false); });
    arcs = in_order(arcs, head.num_vertices, [&](std::int64_t arc) { return end(arc, true); });
    graph.num_vertices = head.num_vertices;
    graph.directed = head.directed;
    graph.kind = head.is_real ? graph.REAL : head.has_values ? graph.WHOLE : graph.NO_VALUES;
    graph.offsets.assign(std::size_t(head.num_vertices) + 1, 0);
    for (std::int64_t arc : arcs) {
        ++graph.offsets[std::size_t(end(arc, true)) + 1];
        graph.columns.push_back(Vertex(end(arc, false)));
        if (head.is_real) { graph.real_values.push_back(real[std::size_t(arc / 2)]); }
        if (head.has_values && !head.is_real) { graph.whole_values.push_back(whole[std::size_t(arc / 2)]); }
    }
    for (std::size_t v = 0; v < std::size_t(head.num_vertices); ++v) { graph.offsets[v + 1] += graph.offsets[v]; }
    return graph;
}

}  // namespace gdsl_export
