"""Runs programs on every target, many to a compiled module, in a child process: a crash or a hang is a result too."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Final

from tests.fuzz.program import Program, module_instances, module_text
from tests.support.compiling import compile_cpu, parse_on_fibres
from tests.support.everywhere import TARGETS, Text, check_everywhere
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


def check_programs(programs: Sequence[Program]) -> list[Failure]:
    """The programs that fail, each with the reason."""
    if not programs:
        return []
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=_check_in_child, args=(sender, programs))
    child.start()
    sender.close()
    failures: list[Failure] = []
    done = 0
    while done < len(programs) + 1:
        try:
            answered = receiver.poll(TIME_LIMIT if done else BUILD_LIMIT)
            message = receiver.recv() if answered else "no answer in time"
        except EOFError:
            child.join()
            message = f"the process ended with {child.exitcode}"
            answered = False
        if not answered:
            child.kill()
            child.join()
            if done == 0:
                return _one_by_one(programs, message)
            return [*failures, Failure(programs[done - 1], message), *check_programs(programs[done:])]
        if done == 0 and message:
            child.join()
            return _one_by_one(programs, message)
        if message:
            failures.append(Failure(programs[done - 1], message))
        done += 1
    child.join()
    return failures


def _one_by_one(programs: Sequence[Program], message: str) -> list[Failure]:
    """The module as a whole cannot be built: what is wrong with each program, or else halves of the module."""
    if len(programs) == 1:
        return [Failure(programs[0], message)]
    problems = [_problem(lambda program=program: _alone(program)) for program in programs]  # type: ignore[misc]
    found = [Failure(program, problem) for program, problem in zip(programs, problems, strict=True) if problem]
    if found:
        sound = [program for program, problem in zip(programs, problems, strict=True) if not problem]
        return found + check_programs(sound)
    middle = len(programs) // 2
    found = check_programs(programs[:middle]) + check_programs(programs[middle:])
    return found or [Failure(programs[0], f"only as part of a module of {len(programs)}: {message}")]


def _alone(program: Program) -> None:
    """Emits one program for every backend, and has the texts compiled or read by g++. Raises what goes wrong."""
    text = Text(module_text([program]), "fuzz", module_instances([program]))
    for backend in BACKENDS.values():
        emitted = pipeline.emit_typed(*text.loaded, backend)
        if backend.is_gpu:
            parse_on_fibres(emitted)
        else:
            compile_cpu(emitted)


def _check_in_child(sender: Connection, programs: Sequence[Program]) -> None:
    """Sends an empty text or what is wrong: first of the module, then of each program."""
    os.environ.setdefault("TRANSPILE_NUM_THREADS", "2")
    text = Text(module_text(programs), "fuzz", module_instances(programs))
    sender.send(_problem(lambda: text.libraries))
    for number, program in enumerate(programs):
        steps, arrays = program.numbered_steps(number), program.make_arrays()
        sender.send(_problem(lambda: check_everywhere(text, steps, arrays, TARGETS)))  # noqa: B023
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
