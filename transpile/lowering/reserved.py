"""The names that a user's variable or function cannot have in C++, CUDA or HIP text: tables, and the question
`is_reserved`.

A macro must never be used as a name, nor a word of the language. The other tables hold what the emitted text itself
spells, which a variable of that name would hide. All of it stands in a namespace, so that other functions of the
headers do no harm.
"""

from __future__ import annotations

import re
from typing import Final

from transpile.ops.table import OPERATIONS

KEYWORDS: Final = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    compl concept const consteval constexpr constinit const_cast continue contract_assert co_await co_return
    co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for
    friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast requires return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned
    using virtual void volatile wchar_t while xor xor_eq final override import module restrict typeof
    typeof_unqual nullptr_t complex imaginary noreturn asm fortran atomic_cancel atomic_commit atomic_noexcept
    reflexpr synchronized
    """.split()
)

# Object-like and function-like macros of the C, C++, CUDA and HIP headers and of the compilers themselves.
MACROS: Final = frozenset(
    """
    NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL SNAN SNANF SNANL MAXFLOAT BUFSIZ CSIGNAL FILENAME_MAX
    FOPEN_MAX BIG_ENDIAN LITTLE_ENDIAN PDP_ENDIAN BYTE_ORDER CHAR_BIT WORD_BIT LONG_BIT CLOCKS_PER_SEC
    EXIT_FAILURE EXIT_SUCCESS TMP_MAX MAX_CANON MAX_INPUT RAND_MAX TIME_UTC NZERO NFDBITS TEMP_FAILURE_RETRY
    PIPE_BUF PTHREAD_CANCELED DEPRECATED DEPRECATED_MSG TRUE FALSE MIN MAX CONST VOID IN OUT OPTIONAL STRICT BIT
    ICMP_NE MASK1 MASK2 HW_ID GENERIC_GRID_LAUNCH GETREG_IMMED USE_PEER_NON_UNIFIED ADDRESS_SPACE_CONSTANT
    IF_DEVICE_OR_CUDACC WCONTINUED WEXITED WNOHANG WNOWAIT WSTOPPED WUNTRACED WEXITSTATUS WIFCONTINUED WIFEXITED
    WIFSIGNALED WIFSTOPPED WSTOPSIG WTERMSIG WCOREDUMP WEOF P_tmpdir L_ctermid L_cuserid L_tmpnam unix linux
    i386 near far small interface huge hyper pascal cdecl stdcall major minor makedev alloca assert
    assert_perror errno isascii toascii issubnormal iszero iscanonical iseqsig issignaling isgreater
    isgreaterequal isless islessequal islessgreater isunordered isnan isinf isfinite isnormal signbit fpclassify
    math_errhandling offsetof stdin stdout stderr strdupa strndupa sched_priority va_arg va_copy va_end va_start
    launch_bounds_impl0 launch_bounds_impl1 select_impl_ I
    """.split()
)

# Errno names and families of macros: all capitals behind a known prefix or before a known ending.
_MACRO_PATTERNS: Final = re.compile(
    r"""
    E[A-Z0-9]*(?:ACCES|ADDR|ADV|FNO|AGAIN|ALREADY|BAD|BFONT|BUSY|CANCEL|CHILD|CHRNG|COMM|CONN|DEAD|DEST|DOM|DOT|DQUOT|EXIST
        |FAULT|FBIG|HOST|HW|IDRM|ILSEQ|INPROG|INTR|INVAL|IO|IS|KEY|L2|L3|LIB|LNRNG|LOOP|MEDIUM|MFILE|MLINK|MSG|MULTI|NAME
        |NAVAIL|NET|NFILE|NO|NX|OP|OVER|OWNER|PERM|PFNO|PIPE|PROTO|RANGE|REM|RESTART|RFKILL|ROFS|SHUT|SOCK|SPIPE|SRCH|SRMNT
        |STALE|STR|TIME|TOO|TXT|UCLEAN|UNATCH|USERS|WOULD|XDEV|XFULL|2BIG)[A-Z0-9]*
    |
    (?:ADJ|AIO|ATOMIC|BC|CHARCLASS|CLOCK|CLONE|CLOSE_RANGE|COLL|CPU|CUDA|CUDART|CU|DECLOP|DELAYTIMER|EXPR|FD|FP|F|HIP|HOST
        |HW|INT\w*|IOV|LC|LOGIN|L|MATH|MB|MOD|MQ|M|NAME|NGROUPS|NL|NV|PATH|PTHREAD|RENAME|RE|RTSIG|SCHED|SEEK|SEM|SIG
        |SNAN\w*|STA|STD\w*|TEXTURE|TIMER|TTY|UINT\w*|XATTR|HUGE_VAL)_\w*[A-Z]\w*
    | [A-Z][A-Z0-9_]*_(?:MAX|MIN|WIDTH|C|OK|EXCEPT|ERRNO|INIT|INITIALIZER)
    | SNAN[A-Z]*\d+X?
    | M_[A-Z0-9_]+\w*
    | CUDARTAPI\w*
    | cuda[A-Z]\w* | hip[A-Z]\w* | nv[A-Z]\w*
    | (?:h|l|b)e(?:16|32|64)toh | htob?[bl]e(?:16|32|64)
    | pthread_\w+
    | (?:is|to)[a-z]+_l
    """,
    re.VERBOSE,
)

# Types, variables and functions that the emitted text spells inside functions, or that the vendors predefine.
BUILTINS: Final = frozenset(
    """
    size_t ptrdiff_t intptr_t uintptr_t intmax_t uintmax_t int8_t int16_t int32_t int64_t uint8_t uint16_t
    uint32_t uint64_t half half2 bfloat16 threadIdx blockIdx blockDim gridDim warpSize dim3 uint3
    """.split()
)
# The vendors' atomics, and the helpers that stand for those which they lack.
_ATOMICS: Final = re.compile(r"atomic(?:[A-Z]\w*|_\w+)")
_VECTOR_TYPES: Final = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4](?:_16a|_32a)?")

# What the emitted text declares and spells besides: its helpers, and the parameters of its entry points.
PRELUDE: Final = frozenset(
    """
    absolute across add bf16 bits_of block_dim block_id block_x block_y block_z both checked_abs checked_floordiv
    checked_int checked_mod checked_neg checked_shl checked_shr div divide divided either exp2f f16 f8e4m3 f8e5m2
    failed fast_gelu_tanh fast_sigmoid fast_silu fast_softplus floor_div floor_mod fold from_bits given_block
    grid_dim grid_x grid_y grid_z group_size groups hidden is_block lane_in_group launch load load_aligned maximum
    maximum_number minimum minimum_number mul narrowed nearest neg negated num_programs place_in_grid program_id
    range reciprocal reduce remainder round_to_odd rsqrtf saturate scan scan_group scan_stage share shift_down
    shift_left shift_right status store store_aligned stream sub sync_group thread_id_x thread_id_y thread_id_z
    thread_in_block threads_of times to_bf16 to_bits to_f16 to_f8e4m3 to_f8e5m2 truth vec with_block x_of xyz y_of z_of
    """.split()
)

# What `print` and `assert` are spelled with, in functions and around them.
REPORTS: Final = frozenset("fail last_failure printf shown".split())
REPORTS_SCOPE: Final = frozenset(
    "assertion assertion_failed assertions failure failures record tell the_record".split()
)

# The functions of `runtime_cpp/math/`, which a text takes in as they stand there, and what these are made of: kernels
# never spell that, but no function may have such a name.
FUNCTIONS: Final = frozenset(row.name for row in OPERATIONS.values() if row.in_runtime)
PIECES: Final = frozenset(
    """
    angle32 angle64 exp2_of_two exp_in_two high_product log2_in_two log_tail logistic power32 power64 power_of_two
    quarters_near quarters_of quarters_of_large sine_at two two_over_pi
    """.split()
)

# What its namespace holds besides, which no function may be called.
PRELUDE_SCOPE: Final = frozenset(
    """
    bad_block bad_grid bad_shared context count_threads cpu_set_t fits getpid is_aligned job launch_failed main ok
    overflow pack pid_t place pool run_in_parallel sched_getaffinity threads_of_process transpiled width zero_division
    """.split()
)


def is_reserved(name: str) -> bool:
    """True where no variable, parameter or function of the emitted text may be called `name`."""
    return (
        name in KEYWORDS
        or name in MACROS
        or name in BUILTINS
        or name in PRELUDE
        or name in REPORTS
        or name in FUNCTIONS
        or "__" in name
        or re.match(r"_[A-Z]", name) is not None
        or _MACRO_PATTERNS.fullmatch(name) is not None
        or _VECTOR_TYPES.fullmatch(name) is not None
        or _ATOMICS.fullmatch(name) is not None
    )


def is_reserved_function(name: str) -> bool:
    """True where no function of the emitted text may be called `name`."""
    is_of_scope = name in PRELUDE_SCOPE or name in REPORTS_SCOPE or name in PIECES
    return is_reserved(name) or is_of_scope or name.startswith("_")
