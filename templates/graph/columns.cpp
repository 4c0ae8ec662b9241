// Whole lines of text as columns of numbers: decimal digits, a minus, a point and an exponent of `e`, and nothing else.
// What is anything else, or wrong, is left to the exact reader, which knows what it means.
#include <cfloat>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gdsl_text {

enum Kind : int32_t { INT32, INT64, UINT64, FLOAT64 };

// What the rows of a block came to, where they are not as many as there are lines.
constexpr int64_t UNUSUAL = -1, TOO_WIDE = -2;

// A real number that is left to the caller: its row and column, and where its word stands.
struct Left {
    int64_t row, column, begin, length;
};

constexpr int64_t MOST_LEFT = 256;
constexpr int MOST_DIGITS_OF_A_WHOLE = 18;  // more may not fit in an int64
constexpr int MOST_DIGITS_OF_A_REAL = 19;   // more may not fit in a uint64
constexpr int MOST_DIGITS_OF_AN_EXPONENT = 4;

// The powers of ten that are float64, exactly.
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

inline bool is_digit(char byte) { return static_cast<unsigned char>(byte - '0') < 10; }

// Up to eight bytes, the first in the lowest; zeros, which are no digits, behind the end.
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

// How many of eight bytes are digits before the first that is none.
inline int digits_among(uint64_t bytes) {
    const uint64_t digits = bytes ^ 0x3030303030303030u;
    const uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

// The value of the first `count` of them, one to eight.
inline uint64_t value_of(uint64_t bytes, int count) {
    bytes ^= 0x3030303030303030u;
    bytes <<= 64 - 8 * count;
    bytes = bytes * 10 + (bytes >> 8);
    return ((bytes & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((bytes >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
}

// The digits at `at`, which is moved behind them, appended to `value`; how many they were. What has more of them than
// fit in a number of 64 bits wraps.
inline int append_digits(const char*& at, const char* end, uint64_t& value) {
    int length = 0;
    for (;;) {
        const uint64_t bytes = eight(at, end);
        const int count = digits_among(bytes);
        if (count == 0) return length;
        value = value * TENS[count] + value_of(bytes, count);
        length += count;
        at += count;
        if (count < 8) return length;
    }
}

inline bool is_between(char byte, char delimiter) {
    return byte == ' ' || byte == '\n' || byte == '\t' || (delimiter != 0 && byte == delimiter);
}

// A whole number; false where it is anything else or has too many digits.
inline bool whole(const char*& at, const char* end, int64_t& value) {
    const bool negative = *at == '-';
    at += negative;
    uint64_t digits = 0;
    const int length = append_digits(at, end, digits);
    value = negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
    return length >= 1 && length <= MOST_DIGITS_OF_A_WHOLE;
}

enum class Real { READ, LEFT, NONE };

// A real number, the nearest float64. LEFT where that is not known here, NONE where it is none.
inline Real real(const char*& at, const char* end, double& value) {
    const char* begin = at;
    const bool negative = *at == '-';
    at += negative;
    const char* first = at;
    uint64_t digits = 0;
    int length = append_digits(at, end, digits), power = 0;
    if (at != end && *at == '.') {
        at++;
        power = -append_digits(at, end, digits);
        length -= power;
    }
    if (length == 0) return Real::NONE;
    if (at != end && (*at == 'e' || *at == 'E')) {
        at++;
        const bool below = at != end && *at == '-';
        if (below || (at != end && *at == '+')) at++;
        uint64_t exponent = 0;
        const int size = append_digits(at, end, exponent);
        if (size < 1 || size > MOST_DIGITS_OF_AN_EXPONENT) return Real::NONE;
        power += below ? -static_cast<int>(exponent) : static_cast<int>(exponent);
    }
    if (length > MOST_DIGITS_OF_A_REAL) {  // zeros in front do not count
        for (; first != at && (*first == '0' || *first == '.'); first++) length -= *first == '0';
    }
    // Both factors are float64, and the processor rounds their exact product or quotient, once.
    if (FLT_EVAL_METHOD == 0 && length <= MOST_DIGITS_OF_A_REAL && digits <= uint64_t{1} << 53 && power >= -22 && power <= 22) {
        const double exact = static_cast<double>(digits);
        value = power < 0 ? exact / POWERS[-power] : exact * POWERS[power];
        if (negative) value = -value;
        return Real::READ;
    }
#ifdef __cpp_lib_to_chars
    const std::from_chars_result found = std::from_chars(begin, at, value);
    if (found.ec == std::errc() && found.ptr == at) return Real::READ;
#else
    (void)begin;
#endif
    return Real::LEFT;
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

}  // namespace gdsl_text

// The rows of `size` bytes of whole lines in `columns`, which have room for a row a line, or why there are none.
// `delimiter` stands right behind all words of a line but the last; 0: blanks do.
extern "C" int64_t gdsl_columns(const char* text, int64_t size, int32_t width, const int32_t* kinds, int32_t delimiter,
                                void* const* columns, gdsl_text::Left* left, int64_t* num_left) {
    using namespace gdsl_text;
    const char *at = text, *end = text + size;
    const char mark = static_cast<char>(delimiter);
    int64_t row = 0;
    *num_left = 0;
    if (size == 0 || end[-1] != '\n') return UNUSUAL;
    for (; at != end; row++) {
        for (int32_t place = 0; place < width; place++) {
            while (*at == ' ' || *at == '\t') at++;
            const char* begin = at;
            if (kinds[place] == FLOAT64) {
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
            // The text ends with the end of a line, so there is a byte behind every word.
            if (!is_between(*at, mark)) return UNUSUAL;
            if (place + 1 < width) {
                if (*at == '\n' || (mark != 0 && *at != mark)) return UNUSUAL;
                at++;
            }
        }
        while (*at == ' ' || *at == '\t') at++;
        if (*at != '\n') return UNUSUAL;
        at++;
    }
    return row;
}
