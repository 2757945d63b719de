"""The cases and generated programs on the NVIDIA device, watched by the tools of compute-sanitizer.

    python -m tests.sanitize                            all three tools, every case, 200 programs
    python -m tests.sanitize --tool memcheck --count 0  one tool, no programs

Everything runs once unwatched, which compiles it, and then once a tool. An array ends where its memory ends. Each tool
also has to find a fault that is there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.cases.case import load_cases, skip_reason
from tests.cases.check import ROOT, Place, check_case
from tests.support import device
from tests.support.tools import find

TOOLS: Final = ("memcheck", "racecheck", "synccheck")
TARGET: Final = "cuda on the device"
TOGETHER: Final = 20  # programs of one module
TIME_LIMIT: Final = 300.0
ATTACH_SECONDS: Final = 60
SUMMARY: Final = re.compile(r"(?:ERROR SUMMARY: |RACECHECK SUMMARY: )(\d+)")
SHOWN: Final = 3000  # characters of what is wrong with a run

Run = Callable[[Sequence[str]], None]  # runs under the words of a command; raises AssertionError


@dataclass(frozen=True, slots=True)
class Word:
    """What a tool said of one run: how many findings; a text where anything is wrong."""

    findings: int
    problem: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__.split("\n")[0])
    parser.add_argument("--tool", choices=TOOLS, action="append", help="only this one (may be given again)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first program's seed")
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at once")
    chosen = parser.parse_args()
    sanitizer = find("compute-sanitizer")
    lacking = device.lacking() or ("" if sanitizer else "no compute-sanitizer")
    if lacking or sanitizer is None:
        print(lacking, file=sys.stderr)
        return 3
    cases = [case for case in load_cases() if not skip_reason(case)]
    end = chosen.first + chosen.count
    modules = [range(first, min(first + TOGETHER, end)) for first in range(chosen.first, end, TOGETHER)]
    runs: Sequence[Run] = [partial(run_case, case) for case in cases] + [
        partial(run_programs, each) for each in modules
    ]
    is_clean = True
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for name in ("unwatched", *(chosen.tool or TOOLS)):
            start = time.monotonic()
            judge = unwatched if name == "unwatched" else partial(watched, sanitizer, name)
            words = list(pool.map(judge, runs))
            problems = [word.problem for word in words if word.problem]
            if name != "unwatched" and not watched(sanitizer, name, partial(run_fault, name)).findings:
                problems.append(f"{name} does not find the fault of tests/sanitize/faults.cu")
            print(*(problem[-SHOWN:] for problem in problems[:5]), sep="\n", end="\n" if problems else "")
            print(
                f"{name}: {len(cases)} cases, {chosen.count} programs: {sum(word.findings for word in words)} errors, "
                f"{len(problems)} runs not clean, {time.monotonic() - start:.0f} s",
                flush=True,
            )
            is_clean = is_clean and not problems
    return 0 if is_clean else 1


def run_case(case: dict[str, Any], under: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_case(case, Place(Path(folder), TARGET, under))


def run_programs(seeds: range, under: Sequence[str]) -> None:
    _run_module(under, "tests.sanitize.programs", str(seeds.start), str(len(seeds)))


def run_fault(name: str, under: Sequence[str]) -> None:
    _run_module(under, "tests.sanitize.faults", name)


def _run_module(under: Sequence[str], *words: str) -> None:
    command = [*under, sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"


def failure_of(run: Run, under: Sequence[str]) -> str:
    """Why the run failed, or an empty text."""
    try:
        run(under)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return str(error) or type(error).__name__
    return ""


def unwatched(run: Run) -> Word:
    return Word(0, failure_of(run, ()))


def watched(sanitizer: str, name: str, run: Run) -> Word:
    """The run under a tool, whose findings fail it. Each process of a case leaves a log."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--tool", name, "--log-file", f"{folder}/%p", "--error-exitcode", "9"]
        options += ["--target-processes", "application-only", "--launch-timeout", str(ATTACH_SECONDS)]
        failure = failure_of(run, [sanitizer, *options])
        logs = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(Path(folder).iterdir())]
    sums = [SUMMARY.findall(log) for log in logs]
    findings = sum(int(number) for numbers in sums for number in numbers)
    if not logs or not all(sums):
        return Word(findings, f"{name} did not say how a run ended:\n{failure}\n{''.join(logs)}")
    return Word(findings, f"{failure}\n{''.join(logs)}" if failure or findings else "")


if __name__ == "__main__":
    raise SystemExit(main())
