"""One case on one target: its launches in processes of their own with a time limit, and its expectations."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.cases import worker
from tests.cases.case import Job, Outcome, arrays_of, complaint, make_input, trial_argument
from tests.support.forks import forks

TIME_LIMIT: Final = 120.0
ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case runs: its folder, the target, and what the processes run under."""

    folder: Path
    target: str
    under: Sequence[str] = ()


def run_worker(place: Place, job: Job) -> list[Outcome]:
    """What the launches of the job did, in a process that begins with nothing but imports done."""
    return _run_under(place, job) if place.under else _run_forked(place, job)


def _run_forked(place: Place, job: Job) -> list[Outcome]:
    """In a fork of a server that has done the imports."""
    context = forks()
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=worker.answer, args=(sender, place.folder, job))
    child.start()
    sender.close()
    try:
        assert receiver.poll(TIME_LIMIT), "no answer in time"
        outcomes: list[Outcome] = receiver.recv()
    except EOFError:
        child.join()
        raise AssertionError(f"the process ended with {child.exitcode}") from None
    finally:
        child.kill()
        child.join()
    return outcomes


def _run_under(place: Place, job: Job) -> list[Outcome]:
    done = subprocess.run(
        [*place.under, sys.executable, "-m", "tests.cases.worker", str(place.folder)],
        input=pickle.dumps(job),
        capture_output=True,
        timeout=TIME_LIMIT,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, f"the process ended with {done.returncode}:\n{done.stderr.decode()[-4000:]}"
    outcomes: list[Outcome] = pickle.loads(bytes.fromhex(done.stdout.decode().split("\n")[-2]))
    return outcomes


def write_lines(path: Path, step: dict[str, Any]) -> None:
    """Rewrites a file; with `keep`, the new one has the old one's size and time stamps."""
    old = path.stat() if path.exists() else None
    path.write_text("\n".join(step["lines"]) + "\n", encoding="utf-8")
    if "keep" in step:
        assert old is not None
        assert path.stat().st_size == old.st_size, "the case keeps the size"
        os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))


def check_scenario(case: dict[str, Any], stem: str, place: Place) -> None:
    """Steps up to the next file or process go to one worker."""
    pending: list[dict[str, Any]] = []

    def flush() -> None:
        if not any("launch" in step for step in pending):
            pending.clear()
            return
        inputs = {name: make_input(spec) for name, spec in case["inputs"].items()}
        before = arrays_of(inputs)
        outcomes = run_worker(place, Job(stem, place.target, list(pending), inputs))
        for step, outcome in zip((step for step in pending if "launch" in step), outcomes, strict=True):
            assert not complaint(step["expect"], outcome, before), complaint(step["expect"], outcome, before)
            before = dict(outcome.arrays)
        pending.clear()

    for step in case["scenario"]:
        if "write" in step or step.get("new_process"):
            flush()
        if "write" in step:
            write_lines(place.folder / step["write"], step)
        else:
            pending.append(step)
    flush()


def check_case(case: dict[str, Any], place: Place) -> None:
    """Asserts that the case has one of its right outcomes."""
    stem = f"case_{case['id']}"
    (place.folder / f"{stem}.py").write_text("\n".join(case["kernel"]) + "\n", encoding="utf-8")
    if case["expect"]["kind"] == "scenario":
        check_scenario(case, stem, place)
        return
    if case["expect"]["kind"] == "trials":
        steps = [{"trial": trial["args"], "launch": case["launch"]} for trial in case["trials"]]
        outcomes = run_worker(place, Job(stem, place.target, steps, {}))
        for trial, outcome in zip(case["trials"], outcomes, strict=True):
            inputs = {name: trial_argument(text) for name, text in trial["args"].items()}
            problem = complaint(trial["expect"], outcome, arrays_of(inputs))
            assert not problem, f"{trial['note']}: {problem}"
        return
    inputs = {name: make_input(spec) for name, spec in case["inputs"].items()}
    outcome = run_worker(place, Job(stem, place.target, [{"launch": case["launch"]}], inputs))[0]
    problem = complaint(case["expect"], outcome, arrays_of(inputs))
    assert not problem, problem
