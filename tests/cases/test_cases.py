"""Every case on every target, each in processes of its own with a time limit."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cases.case import Job, Outcome, arrays_of, complaint, load_cases, make_input, skip_reason, trial_argument

TARGETS: Final = (
    *("reference", "cpu", "cuda", "hip"),
    *(pytest.param(f"{text} on the device", marks=pytest.mark.gpu) for text in ("cuda", "hip")),
)
TIME_LIMIT: Final = 120.0
ROOT: Final = Path(__file__).parents[2]
CASES: Final = load_cases()


def run_worker(folder: Path, job: Job) -> list[Outcome]:
    """What the launches of the job did, in a fresh process."""
    command = [sys.executable, "-m", "tests.cases.worker", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command,
        input=pickle.dumps(job),
        capture_output=True,
        timeout=TIME_LIMIT,
        check=False,
        cwd=ROOT,
        env=environment,
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


def check_scenario(case: dict[str, Any], folder: Path, stem: str, target: str) -> None:
    """Steps up to the next file or process go to one worker."""
    pending: list[dict[str, Any]] = []

    def flush() -> None:
        if not any("launch" in step for step in pending):
            pending.clear()
            return
        inputs = {name: make_input(spec) for name, spec in case["inputs"].items()}
        before = arrays_of(inputs)
        outcomes = run_worker(folder, Job(stem, target, list(pending), inputs))
        for step, outcome in zip((step for step in pending if "launch" in step), outcomes, strict=True):
            assert not complaint(step["expect"], outcome, before), complaint(step["expect"], outcome, before)
            before = dict(outcome.arrays)
        pending.clear()

    for step in case["scenario"]:
        if "write" in step or step.get("new_process"):
            flush()
        if "write" in step:
            write_lines(folder / step["write"], step)
        else:
            pending.append(step)
    flush()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['theme']}")
def test_case(case: dict[str, Any], target: str, tmp_path: Path) -> None:
    reason = skip_reason(case)
    if reason:
        pytest.skip(reason)
    stem = f"case_{case['id']}"
    (tmp_path / f"{stem}.py").write_text("\n".join(case["kernel"]) + "\n", encoding="utf-8")
    if case["expect"]["kind"] == "scenario":
        check_scenario(case, tmp_path, stem, target)
        return
    if case["expect"]["kind"] == "trials":
        steps = [{"trial": trial["args"], "launch": case["launch"]} for trial in case["trials"]]
        for trial, outcome in zip(case["trials"], run_worker(tmp_path, Job(stem, target, steps, {})), strict=True):
            inputs = {name: trial_argument(text) for name, text in trial["args"].items()}
            problem = complaint(trial["expect"], outcome, arrays_of(inputs))
            assert not problem, f"{trial['note']}: {problem}"
        return
    inputs = {name: make_input(spec) for name, spec in case["inputs"].items()}
    outcome = run_worker(tmp_path, Job(stem, target, [{"launch": case["launch"]}], inputs))[0]
    problem = complaint(case["expect"], outcome, arrays_of(inputs))
    assert not problem, problem
