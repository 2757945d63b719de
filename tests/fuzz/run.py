"""Runs programs on every target, many to a compiled module, in a child process: a crash or a hang is a result too."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from tests.fuzz.program import Program, module_instances, module_text
from tests.support import device
from tests.support.compiling import compile_cpu, compile_for_device, parse_on_fibres
from tests.support.device import DeviceError
from tests.support.everywhere import TARGETS, Target, Text, check_everywhere
from tests.support.forks import forks
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import CompileError

TIME_LIMIT: Final = 120.0  # for one program once its module is built
BUILD_LIMIT: Final = 600.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A program that did not give the same bits everywhere, and how."""

    program: Program
    message: str

    def __str__(self) -> str:
        return f"{self.message}\n{self.program.numbered(0)}\n# {self.program.numbered_steps(0)}"


def check_programs(programs: Sequence[Program], targets: Sequence[Target] = TARGETS) -> list[Failure]:
    """The programs that fail, each with the reason."""
    if not programs:
        return []
    context = forks()
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_check_in_child, args=(sender, programs, targets))
    child.start()
    sender.close()
    failures: list[Failure] = []
    done = 0
    while done < len(programs) + 1:
        try:
            answered = receiver.poll(TIME_LIMIT if done else BUILD_LIMIT)
            message, goes_on = receiver.recv() if answered else ("no answer in time", False)
        except EOFError:
            child.join()
            message, goes_on = f"the process ended with {child.exitcode}", False
        if done == 0 and message:
            _end(child)
            return _one_by_one(programs, message, targets)
        if message:
            failures.append(Failure(programs[done - 1], message))
        if not goes_on:
            _end(child)
            return [*failures, *check_programs(programs[done:], targets)]
        done += 1
    child.join()
    return failures


def _end(child: BaseProcess) -> None:
    child.kill()
    child.join()


def _one_by_one(programs: Sequence[Program], message: str, targets: Sequence[Target]) -> list[Failure]:
    """The module as a whole cannot be built: what is wrong with each program, or else halves of the module."""
    if len(programs) == 1:
        return [Failure(programs[0], message)]
    problems = [_problem(lambda program=program: _alone(program, targets)) for program in programs]  # type: ignore[misc]
    found = [Failure(program, problem) for program, problem in zip(programs, problems, strict=True) if problem]
    if found:
        sound = [program for program, problem in zip(programs, problems, strict=True) if not problem]
        return found + check_programs(sound, targets)
    middle = len(programs) // 2
    found = check_programs(programs[:middle], targets) + check_programs(programs[middle:], targets)
    return found or [Failure(programs[0], f"only as part of a module of {len(programs)}: {message}")]


def _alone(program: Program, targets: Sequence[Target]) -> None:
    """Emits one program for every target, and has the texts compiled or read by g++. Raises what goes wrong."""
    text = Text(module_text([program]), "fuzz", module_instances([program]))
    for backend, place in sorted({(target.backend, target.place) for target in targets}):
        emitted = pipeline.emit_typed(*text.loaded, BACKENDS[backend])
        if place == "cpu":
            compile_cpu(emitted)
        elif place == "fibres":
            parse_on_fibres(emitted)
        else:
            compile_for_device(emitted, backend, device.architecture())


def _check_in_child(sender: Connection, programs: Sequence[Program], targets: Sequence[Target]) -> None:
    """Sends an empty text or what is wrong, and whether more follows: first of the module, then of each program."""
    os.environ.setdefault("TRANSPILE_NUM_THREADS", "2")
    text = Text(module_text(programs), "fuzz", module_instances(programs))
    sender.send((_problem(lambda: [text.library(target) for target in targets]), True))
    for number, program in enumerate(programs):
        steps, arrays = program.numbered_steps(number), program.make_arrays()
        problem = _problem(lambda: check_everywhere(text, steps, arrays, targets))  # noqa: B023
        is_lost = problem.startswith(DeviceError.__name__)  # after a fault the device answers nothing in this process
        sender.send((problem, not is_lost))
        if is_lost:
            break
    sender.close()


def _problem(attempt: Callable[[], object]) -> str:
    """What went wrong, or an empty text."""
    try:
        attempt()
    except (AssertionError, CompileError) as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # whatever it is, it is this program's result
        return f"{traceback.format_exc()[-2500:]}\n{type(error).__name__}: {error}"
    return ""
