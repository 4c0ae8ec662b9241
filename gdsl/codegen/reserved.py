"""Words that generated C++ and CUDA give a meaning to, so that a program's own names must be printed differently."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words("""
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
    char char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false final float
    for friend goto if import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq
    override private protected public reflexpr register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch synchronized template this thread_local throw transaction_safe true try
    typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq restrict
    """)
"""C++ keywords of every standard, and the alternative tokens."""

MACROS = _words("""
    alloca assert errno fpclassify i386 isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan
    isnormal isunordered linux major makedev minor offsetof setjmp signbit stderr stdin stdout unix va_arg va_copy
    va_end va_start
    """)
"""Lower-case macros of compilers and the C library (upper-case names are never printed as they are)."""

PRINTED = _words("""
    int32 uint32 int64 uint64 float32 float64 vertex edge bool data_slice graph_slice d iteration totals accepted polls
    id NO_VERTEX NO_EDGE FLOAT32_INF FLOAT64_INF out_degree in_degree place_of divide modulo shift_left shift_right
    add_saturating subtract_saturating wrapping_add wrapping_subtract wrapping_multiply wrapping_negate minimum maximum
    absolute convert from_id to_id floor ceil sqrt exp log pow load_now store_shared checked_index stop_requested
    compare_and_swap plain_compare_and_swap out run seen at in_lists in_neighbors out_lists first_places
    """) | frozenset(
    f"{prefix}{operation}"
    for prefix in ("reduce_", "plain_", "changed_", "plain_changed_")
    for operation in ("min", "max", "add", "subtract", "multiply", "and", "or", "xor")
)
"""Names that the printer, or a template around a call of a functor, writes into functions."""

DATA_MEMBERS = frozenset({"graph", "run"})
"""Members of `data_slice` that are not the program's."""

_CUDA = """
    threadIdx blockIdx blockDim gridDim warpSize dim3 clock clock64 trap brkpt printf assert malloc free memcpy memset
    tex1D tex2D tex3D surf1Dread surf2Dread surf3Dread half half2 nv_bfloat16 cuda std nvcuda cudaStream_t cudaError_t
    """
_VECTORS = [
    f"{kind}{width}"
    for kind in sorted(_words("char uchar short ushort int uint long ulong longlong ulonglong float double"))
    for width in "1234"
]
_ATOMICS = [
    f"atomic{word}{scope}"
    for word in sorted(_words("Add Sub Exch Min Max Inc Dec CAS And Or Xor"))
    for scope in ("", "_block", "_system")
]
_MATH = """
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 div drem
    erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide finite floor fma fmax fmin fmod frexp gamma
    hypot ilogb isinf isnan j0 j1 jn labs ldexp ldiv lgamma llabs lldiv llmax llmin llrint llround log log10 log1p log2
    logb lrint lround max min modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv pow pow10 powi rcbrt
    remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalb scalbln scalbn significand signbit sin sincos
    sincospi sinh sinpi sqrt tan tanh tgamma trunc ullmax ullmin umax umin y0 y1 yn lerp clamp midpoint gcd lcm
    """
_LIBRARY = """
    abort accept access acct alarm atexit atof atoi atol atoll basename bcmp bcopy bind bsearch btowc bzero calloc chdir
    chmod chown chroot close connect creat crypt ctermid daemon dup dup2 environ exit fclose fdopen feof ferror fflush
    ffs fgetc fgetpos fgets fileno fopen fork fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell fwrite
    getchar getenv getopt getpid gets index insque ioctl isalnum isalpha isatty isblank iscntrl isdigit isgraph islower
    isprint ispunct isspace isupper isxdigit kill link listen localeconv lockf longjmp lseek main malloc mblen mbstowcs
    mbtowc memchr memcmp memcpy memmove memset mkstemp nice open optarg optind pause perror pipe printf putc putchar
    putenv puts qsort raise rand random read realloc recv reduce remove remque rename rewind rindex rmdir scanf select
    send setenv setlocale signal sleep sort srand srandom stat strcat strchr strcmp strcoll strcpy strcspn strdup
    strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold strtoll
    strtoul strtoull strxfrm swab swap sync syscall system tempnam time times timezone tmpfile tmpnam tolower toupper
    towctrans truncate tsearch twalk ungetc unlink valloc vfork wait wcscat wcschr wcslen write run stop plan
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ssize_t ptrdiff_t intptr_t uintptr_t
    int_fast8_t intmax_t uintmax_t uint ulong ushort u_char u_int u_long quad_t time_t off_t pid_t max_align_t nullptr_t
    """
LIBRARY = _words(f"{_CUDA} {_MATH} {_LIBRARY}") | frozenset(
    [*_VECTORS, *_ATOMICS, *(f"{name}{width}" for name in sorted(_words(_MATH)) for width in "fl")]
)
"""What headers and compilers put into the global namespace (functions of the program are printed there)."""
