// Whole lines of text as columns of numbers: decimal digits, a minus, a point and an exponent of `e`, and nothing else.
// Anything else is left to the exact reader, which knows what it means or reports the error.
#include <cfloat>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace gdsl_text {

enum Kind : int32_t { INT32, INT64, UINT64, FLOAT64 };

// The result for a block that is not all rows.
constexpr int64_t UNUSUAL = -1, TOO_WIDE = -2;

// A real number that is left to the caller: its row and column, and where its word is.
struct Left {
    int64_t row, column, begin, length;
};

constexpr int64_t MOST_LEFT = 256;
constexpr int MOST_DIGITS_OF_A_WHOLE = 18;  // more may not fit in an int64
constexpr int MOST_DIGITS_OF_A_REAL = 19;   // more may not fit in a uint64
constexpr int MOST_DIGITS_OF_AN_EXPONENT = 4;

// The powers of ten that float64 represents exactly.
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

inline bool is_digit(char byte) { return static_cast<unsigned char>(byte - '0') < 10; }

// Up to eight bytes, the first in the lowest; zeros, which are not digits, after the end.
inline uint64_t eight(const char* at, const char* end) {
    uint64_t bytes = 0;
    if (end - at >= 8) {
        std::memcpy(&bytes, at, 8);
    } else {
        std::memcpy(&bytes, at, end - at);
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

// The highest bit of each of eight bytes that is not a digit.
inline uint64_t others_among(uint64_t bytes) {
    const uint64_t digits = bytes ^ 0x3030303030303030u;
    return (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
}

// The value of the first `count` of them, zero to seven, which are shifted to the highest bytes; or of all eight.
inline uint64_t value_of(uint64_t bytes) {
    bytes = bytes * 10 + (bytes >> 8);
    return ((bytes & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((bytes >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
}
inline uint64_t value_of(uint64_t bytes, int count) {
    return value_of(((bytes ^ 0x3030303030303030u) << 8) << (56 - 8 * count));
}

// Appends the digits at `at` to `value`, adds their number to `length`, and returns the place after them. More digits
// than fit in 64 bits wrap.
inline const char* append_digits(const char* at, const char* end, uint64_t& value, int& length) {
    uint64_t bytes = eight(at, end), others = others_among(bytes);
    for (; others == 0; others = others_among(bytes)) {
        value = value * 100000000 + value_of(bytes ^ 0x3030303030303030u);
        length += 8;
        at += 8;
        bytes = eight(at, end);
    }
    const int count = __builtin_ctzll(others) >> 3;
    value = value * TENS[count] + value_of(bytes, count);
    length += count;
    return at + count;
}

inline bool is_blank(char byte, char other = '\t') { return byte == ' ' || byte == other; }

// A whole number; false where it is anything else or has too many digits.
inline bool whole(const char*& at, const char* end, int64_t& value) {
    const uint64_t bytes = eight(at, end), others = others_among(bytes);
    const int count = others ? __builtin_ctzll(others) >> 3 : 0;
    if (count != 0) {  // the usual case: fewer than eight digits
        value = static_cast<int64_t>(value_of(bytes, count));
        at += count;
        return true;
    }
    const bool negative = *at == '-';
    uint64_t digits = 0;
    int length = 0;
    at = append_digits(at + negative, end, digits, length);
    value = negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
    return length >= 1 && length <= MOST_DIGITS_OF_A_WHOLE;
}

enum class Real { READ, LEFT, NONE };

// A real number with more digits, or a larger exponent, than one exact operation handles.
inline Real far_real(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
    const std::from_chars_result found = std::from_chars(begin, end, value);
    if (found.ec == std::errc() && found.ptr == end) return Real::READ;
#endif
    return Real::LEFT;
}

// The float64 nearest to a real number. LEFT if that is not known here, NONE if it is not a number. Unpredictable
// things, such as signs, are not branches.
inline Real real(const char*& word, const char* end, double& value) {
    const char* at = word;
    const bool negative = *at == '-';
    at += negative;
    const char* first = at;
    uint64_t digits = 0;
    int length = 0, power = 0;
    at = append_digits(at, end, digits, length);
    if (at != end && *at == '.') {
        const int before = length;
        at = append_digits(at + 1, end, digits, length);
        power = before - length;
    }
    if (length == 0) return Real::NONE;
    if (at != end && (*at == 'e' || *at == 'E')) {
        at++;
        const bool below = at != end && *at == '-';
        at += below | (at != end && *at == '+');
        uint64_t exponent = 0;
        int size = 0;
        at = append_digits(at, end, exponent, size);
        if (size < 1 || size > MOST_DIGITS_OF_AN_EXPONENT) return Real::NONE;
        const int sign = -static_cast<int>(below);
        power += (static_cast<int>(exponent) ^ sign) - sign;
    }
    const char* begin = std::exchange(word, at);
    if (length > MOST_DIGITS_OF_A_REAL) {  // zeros in front do not count
        for (; first != at && (*first == '0' || *first == '.'); first++) length -= *first == '0';
    }
    // Both factors are float64, and the processor rounds their exact product or quotient, once.
    if (FLT_EVAL_METHOD == 0 && length <= MOST_DIGITS_OF_A_REAL && digits <= uint64_t{1} << 53 && power >= -22 && power <= 22) {
        const int up = power > 0 ? power : 0, down = up - power;  // one of them is 0, and 10^0 changes nothing
        const double found = static_cast<double>(static_cast<int64_t>(digits)) * POWERS[up] / POWERS[down];
        uint64_t bits;
        std::memcpy(&bits, &found, 8);
        bits ^= static_cast<uint64_t>(negative) << 63;
        std::memcpy(&value, &bits, 8);
        return Real::READ;
    }
    return far_real(begin, at, value);
}

template <typename Number>
bool keep(void* column, int64_t row, int64_t value) {
    static_cast<Number*>(column)[row] = static_cast<Number>(value);
    return value >= static_cast<int64_t>(std::numeric_limits<Number>::min()) &&
           (sizeof(Number) == 8 || value <= static_cast<int64_t>(std::numeric_limits<Number>::max()));
}

inline bool keep_whole(int32_t kind, void* column, int64_t row, int64_t value) {
    if (kind == INT32) return keep<int32_t>(column, row, value);
    return kind == INT64 ? keep<int64_t>(column, row, value) : keep<uint64_t>(column, row, value);
}

// The number of rows of the text, which is that of its lines, or a negative code. WIDTH is `width` unless it is 0.
template <int WIDTH>
int64_t rows_of(const char* text, const char* end, int32_t width, const int32_t* kinds, char mark, void* const* columns,
                Left* left, int64_t* num_left) {
    const int32_t last = (WIDTH != 0 ? WIDTH : width) - 1;
    const char* at = text;
    const char other = mark == '\t' ? ' ' : '\t';  // between tabs, an empty word is a word
    int64_t row = 0;
    for (; at != end; row++) {
#pragma GCC unroll 4
        for (int32_t place = 0; place <= last; place++) {
            while (is_blank(*at, other)) at++;
            if (kinds[place] == FLOAT64) {
                const char* begin = at;
                const Real found = real(at, end, static_cast<double*>(columns[place])[row]);
                if (found == Real::NONE) return UNUSUAL;
                if (found == Real::LEFT) {
                    if (*num_left == MOST_LEFT) return UNUSUAL;
                    left[(*num_left)++] = {row, place, begin - text, at - begin};
                }
            } else {
                int64_t value;
                if (!whole(at, end, value)) return UNUSUAL;
                if (!keep_whole(kinds[place], columns[place], row, value)) return TOO_WIDE;
            }
            // The text ends with a line end, so a byte follows every word.
            if (place != last && !(mark != 0 ? *at == mark : is_blank(*at, other))) return UNUSUAL;
            at += place != last;
        }
        while (is_blank(*at, other)) at++;
        if (*at != '\n') return UNUSUAL;
        at++;
    }
    return row;
}

}  // namespace gdsl_text

// Writes the rows of `size` bytes of whole lines to `columns`, and returns their number or a negative code. The columns
// have room for as many rows as there may be, where a word and the byte after it are two bytes or more, and for one
// incomplete row. `delimiter` directly follows all words of a line but the last; 0: blanks do.
extern "C" int64_t gdsl_columns(const char* text, int64_t size, int32_t width, const int32_t* kinds, int32_t delimiter,
                                void* const* columns, gdsl_text::Left* left, int64_t* num_left) {
    using namespace gdsl_text;
    *num_left = 0;
    if (size == 0 || text[size - 1] != '\n') return UNUSUAL;
    const auto rows = width == 2 ? rows_of<2> : width == 3 ? rows_of<3> : rows_of<0>;
    return rows(text, text + size, width, kinds, static_cast<char>(delimiter), columns, left, num_left);
}

// Writes the whole numbers of `size` bytes of whole lines and the count of each of the `num_lines` lines; returns how
// many numbers there are. There is room for a number every two bytes, and for a line each byte.
extern "C" int64_t gdsl_numbers(const char* text, int64_t size, int64_t* numbers, int64_t* lengths, int64_t* num_lines) {
    using namespace gdsl_text;
    const char *at = text, *end = text + size;
    int64_t count = 0, before = 0, line = 0;
    if (size == 0 || end[-1] != '\n') return UNUSUAL;
    while (at != end) {
        while (is_blank(*at)) at++;
        if (*at == '\n') {
            lengths[line++] = count - before;
            before = count;
            at++;
            continue;
        }
        if (*at == '-' || !whole(at, end, numbers[count++])) return UNUSUAL;
        if (!is_blank(*at) && *at != '\n') return UNUSUAL;
    }
    *num_lines = line;
    return count;
}
