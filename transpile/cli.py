"""The command line: what each command takes, and how each kind of failure ends. The work is in `transpile.commands`.

Imports nothing heavy: `emit` from its cache answers before libcst or NumPy could be loaded.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, TypeAlias

from transpile import settings

OK: Final = 0
USER_ERROR: Final = 1
USAGE: Final = 2
TOOLCHAIN_MISSING: Final = 3
INTERNAL: Final = 4
INTERRUPTED: Final = 130

DESCRIPTION: Final = """\
Compiles annotated Python kernels to C++, CUDA and HIP, and to extension modules.

A file of kernels is ordinary Python:

    from transpile import native, tile

    @tile.kernel
    def twice(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
        i = tile.program_id() * 256 + tile.arange(256)
        tile.store(y, i, tile.load(x, i, i < n) * 2.0, i < n)

    def run(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
        tile.launch(twice, (n + 255) // 256, n, x, y)

`python kernels.py` runs it without a compiler. From there:

    python -m transpile check kernels.py                  what is compiled, and every fault
    python -m transpile run kernels.py --target cpu       the same program, its kernels compiled
    python -m transpile run kernels.py --target cuda      the same on a GPU, compiled by NVRTC
    python -m transpile build kernels.py                  kernels_ext, to import: kernels_ext.run(n, x, y)
    python -m transpile emit cuda kernels.py -o out.cu    the source, ready to be checked in
    python -m transpile doctor                            what this machine has for that, and lacks
"""

EPILOG: Final = """\
exit codes: 0 done; 1 the program has faults; 2 the command line has; 3 a compiler, driver or GPU is missing; 4 a fault
of transpile.
environment: TRANSPILE (where launches run: reference, cpu, cuda, hip or auto), TRANSPILE_CACHE (folder),
TRANSPILE_CACHE_MB (1024), TRANSPILE_NUM_THREADS, TRANSPILE_DEBUG (1: whole tracebacks, and the commands of compilers),
CXX (the compiler), CUDA_HOME, ROCM_PATH (toolkits), NO_COLOR.
"""

FILE_HELP: Final = "a Python file with kernels; it is read as text and never executed"
INSTANCE_HELP: Final = """\
values of a kernel's static parameters, each an instance of the kernel: softmax:cols=1024,4096 (more parameters:
k:rows=4:cols=16,32)
"""
STAGES_HELP: Final = """\
hir: what was written, names resolved; tir: typed; layout: typed, and which thread holds what; kir: what one thread
does; cuda: the text; ptx and sass: what NVRTC makes of it, and the machine code (by nvdisasm: pip install
nvidia-cuda-nvdisasm)
"""
ARCH_HELP: Final = "the GPU: sm_90 (this machine's, else the oldest that NVRTC knows)"


class _Help(argparse.RawDescriptionHelpFormatter):
    """Knows the terminal's width: to learn it, argparse would load half of the standard library first."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=settings.columns() - 2)


def _parser(first: str) -> argparse.ArgumentParser:
    """The parser of a command line that begins with `first`: of one command, or of all where that is none."""
    parser = argparse.ArgumentParser(prog="transpile", description=DESCRIPTION, epilog=EPILOG, formatter_class=_Help)
    parser.add_argument("--version", action=_Answer, answer=_version, help="show what is installed")
    parser.add_argument(
        "--cmake-dir", action=_Answer, answer=_cmake_folder, help="show what Transpile_DIR is for CMake's find_package"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    adders = {
        "check": _add_check,
        "emit": _add_emit,
        "inspect": _add_inspect,
        "build": _add_build,
        "run": _add_run,
        "doctor": _add_doctor,
        "cache": _add_cache,
    }
    for name, add in adders.items():
        if name == first or first not in adders:
            add(commands)
    return parser


class _Answer(argparse.Action):
    """An option that prints one line and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str, answer: Callable[[], str], help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)
        self.answer = answer

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(self.answer())
        parser.exit()


def _version() -> str:
    """What to name in a report of a fault."""
    from transpile import __version__

    return f"transpile {__version__} on Python {'.'.join(map(str, sys.version_info[:3]))}"


def _cmake_folder() -> str:
    """The folder of TranspileConfig.cmake."""
    from transpile.build.toolchain import runtime_folder

    return str(runtime_folder().parent / "cmake")


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _command(commands: _Commands, name: str, text: str, example: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=f"examples:\n{example}",
        formatter_class=_Help,
    )
    parser.set_defaults(parser=parser)
    return parser


def _add_check(commands: _Commands) -> None:
    parser = _command(
        commands,
        "check",
        "tell what is compiled in each file, and every fault",
        "  transpile check kernels.py\n  transpile check --explain tile-shape-mismatch",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help=FILE_HELP)
    parser.add_argument("--explain", metavar="CODE", help="explain a fault by its code, with an example and the fix")
    parser.add_argument("--instance", action="append", default=[], metavar="KERNEL:PARAM=VALUE,...", help=INSTANCE_HELP)


def _add_emit(commands: _Commands) -> None:
    parser = _command(
        commands,
        "emit",
        "print the source of the kernels for a target, or the header of their C ABI",
        "  transpile emit cuda kernels.py -o kernels.cu\n"
        "  transpile emit cuda kernels.py | nvcc -x cu -std=c++17 -arch=sm_90 -c -o kernels.o -\n"
        "  transpile emit cpu kernels.py --lines none\n"
        "  transpile emit ptx kernels.py --arch sm_90",
    )
    parser.add_argument(
        "target",
        choices=("cuda", "hip", "cpu", "header", "ptx"),
        help="whose source: STEM.cu, STEM.hip, STEM.cpp or STEM.h; ptx: what NVRTC makes of the kernels",
    )
    parser.add_argument("file", metavar="FILE", help=FILE_HELP)
    parser.add_argument("-o", "--output", metavar="PATH", help="write there instead of to stdout")
    parser.add_argument(
        "--stop-after",
        choices=("hir", "tir", "layout", "kir"),
        metavar="STAGE",
        help="print that stage instead: hir, tir, layout or kir",
    )
    parser.add_argument("--header", metavar="PATH", help="write the header of the C ABI there, beside the source")
    parser.add_argument("--depfile", metavar="PATH", help="write a rule for make there: which files -o was made from")
    parser.add_argument("--arch", metavar="NAME", help=f"for ptx, {ARCH_HELP}")
    _add_source_options(parser)


def _add_inspect(commands: _Commands) -> None:
    parser = _command(
        commands,
        "inspect",
        "print a stage of the compiler",
        "  transpile inspect --stage tir kernels.py\n  transpile inspect --stage layout kernels.py --target cpu\n"
        "  transpile inspect --stage sass kernels.py --arch sm_90    # without a GPU too",
    )
    stages = ("hir", "tir", "layout", "kir", "cuda", "ptx", "sass")
    parser.add_argument("--stage", required=True, choices=stages, help=STAGES_HELP)
    parser.add_argument("--arch", metavar="NAME", help=f"for ptx and sass, {ARCH_HELP}")
    parser.add_argument("--target", choices=("cuda", "hip", "cpu"), default="cuda", help="for layout and kir (cuda)")
    parser.add_argument("file", metavar="FILE", help=FILE_HELP)
    parser.add_argument("-o", "--output", metavar="PATH", help="write there instead of to stdout")
    parser.add_argument("--instance", action="append", default=[], metavar="KERNEL:PARAM=VALUE,...", help=INSTANCE_HELP)
    _add_assert_option(parser)


def _add_build(commands: _Commands) -> None:
    parser = _command(
        commands,
        "build",
        "build an extension module of each file, and write the sources that it is made of",
        "  transpile build kernels.py            # kernels.cpp, .h, kernels_ext.cpp, .pyi and the extension\n"
        "  transpile build kernels.py -o out --instance softmax:cols=1024,4096\n"
        "  transpile build kernels.py --target cuda --arch sm_80,sm_90    # kernels.cu instead of kernels.cpp\n"
        "  transpile build --check kernels.py    # are these sources what kernels.py gives?",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILE_HELP)
    parser.add_argument(
        "--target",
        choices=("cpu", "cuda", "hip", "auto"),
        default="cpu",
        help="what the kernels run on (cpu); auto: a GPU if this machine has one and its compiler",
    )
    parser.add_argument("--name", help="the module's name; STEM_ext by default")
    parser.add_argument("-o", "--output", metavar="DIR", help="where to write; beside each FILE by default")
    parser.add_argument("--check", action="store_true", help="build nothing; exit 1 with the differences, if any")
    parser.add_argument("--sources-only", action="store_true", help="write the sources and compile nothing")
    parser.add_argument(
        "--depfile", metavar="PATH", help="write a rule for make there: what the sources were made from"
    )
    parser.add_argument(
        "--arch",
        metavar="NAME,...",
        help="the GPUs to compile for: sm_80,sm_90 (newer ones too, by the PTX of the newest) or gfx90a,gfx1030; by "
        "default this machine's, and where there is none one of each generation",
    )
    parser.add_argument(
        "--march",
        metavar="NAME",
        help="for cpu, the oldest processors that the module runs on, as the compiler calls them: x86-64-v3, armv8-a "
        "(native: those like this machine's, which is faster and not for shipping)",
    )
    _add_source_options(parser)


def _add_run(commands: _Commands) -> None:
    parser = _command(
        commands,
        "run",
        "run a Python file as a program, its launches on a target",
        "  transpile run --target cuda kernels.py\n  transpile run kernels.py --target cpu -- --size 100",
    )
    parser.add_argument(
        "--target",
        choices=("reference", "cpu", "cuda", "hip", "auto"),
        help="where kernels run (reference); auto: the GPU, if this machine has one and NVRTC",
    )
    parser.add_argument("file", metavar="FILE", help="a Python program, run as `python FILE` would")
    rest = parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="the program's own arguments"
    )
    rest.required = False  # argparse would name it beside a FILE that is not given


def _add_doctor(commands: _Commands) -> None:
    parser = _command(
        commands,
        "doctor",
        "tell what this machine has, what each target lacks, and the command that mends it",
        "  transpile doctor\n  transpile doctor --target cuda && transpile build --target cuda kernels.py",
    )
    parser.add_argument(
        "--target",
        choices=("reference", "cpu", "cuda", "hip"),
        help="exit with 3 if this target lacks anything (cpu)",
    )


def _add_cache(commands: _Commands) -> None:
    parser = _command(
        commands,
        "cache",
        "show what is kept of earlier runs, and where",
        "  transpile cache\n  transpile cache --clear",
    )
    parser.add_argument("--clear", action="store_true", help="remove it; it is made again when it is needed")


def _add_source_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lines",
        choices=("comment", "directive", "none"),
        default="comment",
        help="how the output tells Python lines: the statements as comments, #line directives, or nothing",
    )
    parser.add_argument("--instance", action="append", default=[], metavar="KERNEL:PARAM=VALUE,...", help=INSTANCE_HELP)
    _add_assert_option(parser)
    parser.add_argument("--dump", metavar="DIR", help="write every stage of the compiler there, numbered")
    parser.add_argument("--verify", action="store_true", help="check the compiler's own invariants after each stage")


def _add_assert_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-assert", dest="asserts", action="store_false", help="leave the kernels' asserts out, as `python -O` does"
    )


class UsageError(Exception):
    """The command line cannot be carried out as it stands."""


def main(arguments: Sequence[str]) -> int:
    """Carries out one command and returns its exit code."""
    parser = _parser(arguments[0] if arguments else "")
    try:
        parsed, unknown = parser.parse_known_args(arguments)
        if unknown:  # argparse would show the usage of all commands
            getattr(parsed, "parser", parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else USAGE
    if parsed.command is None:
        parser.print_usage(sys.stderr)
        print(
            "transpile: give a command: check, emit, inspect, build, run, doctor or cache; --help tells of them",
            file=sys.stderr,
        )
        return USAGE
    return _guarded(lambda: _execute(parsed), f"transpile {parsed.command}")


def _execute(parsed: argparse.Namespace) -> int:
    command = import_module(f"transpile.commands.{parsed.command}")
    code: int = command.execute(parsed)
    sys.stdout.flush()
    return code


def _guarded(work: Callable[[], int], name: str) -> int:
    try:
        return work()
    except UsageError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # Whoever read our output has gone; Python's own flush at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USER_ERROR
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        from transpile.commands.failure import report

        if settings.is_debug():
            raise
        return report(error, name)
