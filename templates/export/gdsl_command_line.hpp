// What the commands of exported programs share: params as text, arrays from files, and results as tables.

#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "gdsl_graph.hpp"
#include "gdsl_matrix_market.hpp"

namespace gdsl_export {

// A mistake in the words of the command: the process ends with status 2.
struct misuse {
    std::string text;
};

// The words GRAPH, NAME=VALUE and OPTION FILE of a command.
class command_words {
public:
    command_words(int count, char** words, const std::vector<std::string>& options) {
        for (int at = 1; at < count; ++at) {
            std::string word = words[at];
            if (word == "-p" && at + 1 < count) { word = words[++at]; }
            const std::size_t equals = word.find('=');
            bool is_option = false;
            for (const std::string& option : options) {
                if (word != option) { continue; }
                if (at + 1 == count) { throw misuse{option + " needs the name of a file"}; }
                files_[option] = words[++at];
                is_option = true;
            }
            if (is_option) { continue; }
            if (word.size() > 1 && word[0] == '-') { throw misuse{"there is no option " + word}; }
            if (equals != std::string::npos && equals > 0 && !graph.empty()) {
                if (!given_.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
                    throw misuse{word.substr(0, equals) + " is given twice"};
                }
            } else if (graph.empty()) {
                graph = word;
            } else {
                throw misuse{"'" + word + "' is one word too many; params are NAME=VALUE"};
            }
        }
        if (graph.empty()) { throw misuse{"the name of a graph's file is missing"}; }
    }

    std::string graph;

    // The text of a param or an input; null if it is not given.
    const std::string* find(const std::string& name) const {
        const auto found = given_.find(name);
        return found == given_.end() ? nullptr : &found->second;
    }

    // The file after an option; empty if there is none.
    std::string file(const std::string& option) const {
        const auto found = files_.find(option);
        return found == files_.end() ? std::string() : found->second;
    }

    // Fails for anything but `names`.
    void require_known(const std::string& program, const std::vector<std::string>& names) const {
        for (const auto& each : given_) {
            bool known = false;
            for (const std::string& name : names) { known = known || name == each.first; }
            if (!known) { fail(602, "program " + program + " has no param and no input `" + each.first + "`"); }
        }
    }

private:
    std::map<std::string, std::string> given_, files_;
};

// Whether a float represents a number: an integer exactly, a fraction if it prints the same digits.
template <class T>
bool stands_for(double value, T found) {
    if (double(found) == value || value - value != 0) { return true; }
    if (value == std::floor(value)) { return false; }
    char digits[64];
    for (int count = 6; count <= 9; ++count) {
        std::snprintf(digits, sizeof digits, "%.*g", count, double(found));
        if (std::strtod(digits, nullptr) == value) { return true; }
    }
    return false;
}

// The same for a whole number of 64 bits.
template <class T>
bool stands_for_whole(long long value, T found) {
    return found < T(9223372036854775808.0) && (long long)(found) == value;
}

template <class T>
bool read_number(const std::string& word, T& found) {
    const char* begin = word.c_str();
    char* end = nullptr;
    errno = 0;
    if constexpr (std::is_same<T, bool>::value) {
        if (word == "true" || word == "1" || word == "on") { return found = true, true; }
        found = false;
        return word == "false" || word == "0" || word == "off";
    } else if constexpr (std::is_floating_point<T>::value) {
        if (word.empty() || word.find_first_of("xX( \t") != std::string::npos) { return false; }
        const double value = std::strtod(begin, &end);
        found = T(value);
        const bool overflows = (errno == ERANGE && (value > 1 || value < -1)) ||
                               (found - found != 0 && value - value == 0);
        if (*end != '\0' || overflows) { return false; }
        errno = 0;
        const long long whole = std::strtoll(begin, &end, 10);
        return *end == '\0' && errno == 0 ? stands_for_whole(whole, found) : stands_for(value, found);
    } else {
        const std::size_t sign = word.empty() ? 0 : word[0] == '-' || word[0] == '+';
        if (word.size() == sign || word.find_first_not_of("0123456789", sign) != std::string::npos) { return false; }
        if constexpr (std::is_unsigned<T>::value) {
            const unsigned long long value = std::strtoull(begin, &end, 10);
            found = T(value);
            return errno == 0 && (word[0] != '-' || value == 0) && value <= std::numeric_limits<T>::max();
        } else {
            const long long value = std::strtoll(begin, &end, 10);
            found = T(value);
            return errno == 0 && value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
        }
    }
}

// The value of a param or of an input that is one number.
template <class T>
T number_of(const std::string& what, const std::string& kind, const std::string& text) {
    T found;
    if (!read_number(text, found)) { fail(603, what + ": '" + text.substr(0, 40) + "' is not a value of type " + kind); }
    return found;
}

// How many values of `bytes` each a quarter of the free memory holds.
inline long long most_values(std::size_t bytes) {
    const long long free = free_memory();
    return free < 0 ? std::numeric_limits<long long>::max() : free / 4 / (long long)(bytes);
}

// The numbers in a file, between blanks, commas or line ends, or in `text` itself if it does not begin with @. A file
// may be a device that never ends, so that no more than `most` numbers are read, and blanks between them are bounded.
template <class T>
std::vector<T> numbers_of(const std::string& what, const std::string& kind, const std::string& text, bool is_set, long long most) {
    constexpr std::size_t LONGEST = 1000, MOST_BLANKS = std::size_t(1) << 26;
    std::ifstream file;
    std::istringstream given(text);
    const bool is_file = !text.empty() && text[0] == '@';
    if (is_file) {
        file.open(text.substr(1), std::ios::binary);
        file.peek();
        if (!file.is_open() || file.bad()) { fail(611, what + ": cannot read " + text.substr(1)); }
    } else if (!is_set) {
        fail(607, what + " takes an array, not one value; write NAME=@FILE, a file of one value a line");
    }
    std::istream& input = is_file ? static_cast<std::istream&>(file) : given;
    const int code = is_set ? 603 : 611;
    std::vector<T> values;
    std::string word;
    std::size_t blanks = 0;
    const auto take = [&] {
        if (word.empty()) { return; }
        T found;
        if (word.size() > LONGEST || !read_number(word, found)) {
            fail(code, what + ": '" + word.substr(0, 40) + "' is not a value of type " + kind);
        }
        if ((long long)(values.size()) >= most) {
            fail(is_set ? 603 : 606, what + " has more than " + std::to_string(most) + " values");
        }
        values.push_back(found);
        word.clear();
    };
    std::vector<char> buffer(std::size_t(1) << 16);
    do {
        input.read(buffer.data(), std::streamsize(buffer.size()));
        for (std::size_t at = 0; at < std::size_t(input.gcount()); ++at) {
            const char each = buffer[at];
            if (each == '\0') { fail(code, what + ": there is a NUL byte, so this is a binary file"); }
            if (each != ' ' && each != ',' && each != '\n' && each != '\t' && each != '\r') {
                if (word.size() <= LONGEST) { word += each; }
                continue;
            }
            take();
            if (++blanks > MOST_BLANKS + 100 * values.size()) {
                fail(code, what + ": there are too many blanks and commas between the values");
            }
        }
        if (word.size() > LONGEST) { take(); }
    } while (input);
    if (input.bad()) { fail(611, what + ": cannot read " + text.substr(1)); }
    take();
    return values;
}

// The values of a file's edges as an input; `integers` and `floats` are the options that export it with other types.
template <class T, class Vertex>
std::vector<T> weights_of(const std::string& what, const std::string& kind, const read_graph<Vertex>& graph,
                          const std::string& integers, const std::string& floats) {
    typedef typename std::remove_const<T>::type value_type;
    if (graph.kind == graph.NO_VALUES) {
        fail(605, what + ": the graph's file has no values for its edges, and no array was given");
    }
    const bool is_real = graph.kind == graph.REAL;
    if ((is_real && !std::is_floating_point<T>::value) || std::is_same<T, bool>::value) {
        fail(607, what + " is " + kind + ", but the values of the graph's file are " + (is_real ? "real" : "integer") +
                      (is_real && !floats.empty() ? "; export the program with " + floats : ""));
    }
    std::vector<value_type> values;
    for (std::size_t at = 0; at < graph.columns.size(); ++at) {
        const std::string text = is_real ? std::string() : std::to_string(graph.whole_values[at]);
        value_type found{};
        bool fits = true;
        if (is_real) {
            found = value_type(graph.real_values[at]);
            fits = !(found - found != 0 && graph.real_values[at] - graph.real_values[at] == 0);
            if constexpr (std::is_floating_point<value_type>::value) {
                fits = fits && stands_for(graph.real_values[at], found);
            }
        } else {
            fits = read_number<value_type>(text, found);
        }
        if (!fits) {
            const std::string& way_out = is_real ? floats : integers;
            const auto after = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), std::int64_t(at));
            fail(607, what + ": edge " + std::to_string(at) + " (" + std::to_string(after - graph.offsets.begin() - 1) +
                          " -> " + std::to_string(graph.columns[at]) + ") has " +
                          (is_real ? shown(graph.real_values[at]) : text) + ", which " + kind + " cannot hold" +
                          (way_out.empty() ? "" : "; export the program with " + way_out));
        }
        values.push_back(found);
    }
    return values;
}

// A table of results, a line for each vertex or edge: written under another name, and renamed once it is whole. Links
// are followed; a device or a pipe stays what it is, and is written directly.
class table_file {
public:
    explicit table_file(const std::string& path) : path_(path), target_(path) {
        namespace files = std::filesystem;
        std::error_code error;
        const files::file_status there = files::status(path, error);
        if (files::is_regular_file(there)) { target_ = files::canonical(path, error).string(); }
        is_direct_ = files::exists(there) && !files::is_regular_file(there);
        written_ = is_direct_ ? target_ : target_ + ".part";
        file_ = std::fopen(written_.c_str(), "wb");
        if (file_ == nullptr) { fail(911, "cannot write " + path_); }
    }
    ~table_file() {
        if (file_ != nullptr) {
            std::fclose(file_);
            remove_part();
        }
    }
    table_file(const table_file&) = delete;
    table_file& operator=(const table_file&) = delete;

    void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), file_); }

    void close() {
        const bool failed = std::ferror(file_) != 0;
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        if (failed || !closed || (!is_direct_ && std::rename(written_.c_str(), target_.c_str()) != 0)) {
            remove_part();
            fail(911, "cannot write " + path_);
        }
    }

private:
    void remove_part() {
        if (!is_direct_) { std::remove(written_.c_str()); }
    }

    std::string path_, target_, written_;
    bool is_direct_ = false;
    std::FILE* file_ = nullptr;
};

}  // namespace gdsl_export
