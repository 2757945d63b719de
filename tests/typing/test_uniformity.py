"""Who reaches a barrier or a shuffle (language.md, Threads)."""

from __future__ import annotations

import pytest

from tests.typing.kernels import check, faults, program


@pytest.mark.parametrize(
    "condition",
    [
        "t == 0",
        "t < n",
        "t < 16",
        "t <= 32",
        "t % 32 == 0",
        "cuda.global_id() < n",
        "cuda.thread_id(1) == 0",
        "native.load(native.offset(x, t)) > 0.0",
        "cuda.shfl_xor(a, 1) > 0.0",
        "t // 16 == 1",
        "t < cuda.block_dim() // 2",
    ],
)
def test_divergent_conditions(condition: str) -> None:
    meets = "v = cuda.shfl_xor(a, 1)\n    cuda.syncwarp()\n    cuda.syncthreads()"
    body = f"t = cuda.thread_id()\nif {condition}:\n    {meets}"
    assert faults(body) == [(3, "divergent-shuffle"), (4, "divergent-shuffle"), (5, "divergent-barrier")]


@pytest.mark.parametrize(
    "condition",
    [
        "t // 32 == 0",
        "t // 64 > n",
        "t >> 5 == 1",
        "t < 32",
        "t >= 64",
        "t <= 31",
        "t > 31",
        "32 > t",
        "96 <= t",
        "t < n * 32",
        "t < 64 + (n << 5)",
        "t < 32 and n > 3",
    ],
)
def test_conditions_that_are_uniform_in_a_group(condition: str) -> None:
    body = f"t = cuda.thread_id()\nif {condition}:\n    v = cuda.shfl_xor(a, 1)\n    cuda.syncwarp()"
    function = check(program(body)).function("k")
    assert function.needs_group_rows
    assert function.uses_shuffles
    assert faults(body + "\n    cuda.syncthreads()") == [(5, "divergent-barrier")]


@pytest.mark.parametrize(
    "condition",
    [
        "n > 3",
        "cuda.block_id() == 0",
        "b",
        "native.load(x) > 0.0",
        "native.load(native.offset(x, n)) > a",
        "cuda.block_dim() > 3",
    ],
)
def test_uniform_conditions(condition: str) -> None:
    body = f"if {condition}:\n    cuda.syncthreads()\n    v = cuda.shfl(a, 0)"
    function = check(program(body)).function("k")
    assert not function.needs_group_rows


def test_value_of_a_divergent_branch_is_divergent() -> None:
    body = """
        v = 0
        if cuda.thread_id() == 0:
            v = 1
        if v == 1:
            cuda.syncthreads()
    """
    assert faults(body) == [(5, "divergent-barrier")]


def test_return_of_some_threads() -> None:
    assert faults("if cuda.thread_id() > 5:\n    return\ncuda.syncthreads()") == [(3, "divergent-barrier")]
    assert faults("if cuda.thread_id() >= 32:\n    return\ncuda.syncwarp()") == []
    assert faults("if n > 5:\n    return\ncuda.syncthreads()") == []


def test_those_who_stay_behind_a_uniform_branch() -> None:
    body = """
        t = cuda.thread_id()
        if n > 5:
            if t == 0:
                return
            native.store(y, 1.0)
            return
        cuda.syncthreads()
    """
    assert faults(body) == []


def test_loop_with_a_divergent_bound() -> None:
    assert faults("for i in range(cuda.thread_id()):\n    cuda.syncthreads()") == [(2, "divergent-barrier")]
    assert faults("for i in range(n):\n    cuda.syncthreads()") == []


def test_break_of_some_threads_divides_the_whole_loop() -> None:
    body = """
        for i in range(n):
            cuda.syncthreads()
            if cuda.thread_id() == i:
                break
        cuda.syncthreads()
    """
    assert faults(body) == [(2, "divergent-barrier")]


def test_continue_of_some_threads_divides_the_rest_of_the_turn() -> None:
    body = """
        for i in range(n):
            cuda.syncthreads()
            if cuda.thread_id() == i:
                continue
            cuda.syncthreads()
    """
    assert faults(body) == [(5, "divergent-barrier")]


def test_count_of_divergent_turns_is_divergent() -> None:
    body = """
        k = 0
        while k < cuda.thread_id():
            k += 1
        if k > 3:
            cuda.syncthreads()
    """
    assert faults(body) == [(5, "divergent-barrier")]


def test_carried_value_becomes_divergent_in_a_later_turn() -> None:
    body = """
        u = 0
        v = 0
        for i in range(n):
            if v > 0:
                cuda.syncthreads()
            v = u
            u = cuda.thread_id()
    """
    assert faults(body) == [(5, "divergent-barrier")]


def test_own_array_remembers_what_was_stored() -> None:
    body = """
        mine = native.stack_alloc[int](4)
        native.store(mine, n)
        if native.load(mine) > 3:
            cuda.syncthreads()
    """
    assert faults(body) == []
    assert faults(body.replace("mine, n", "mine, cuda.thread_id()")) == [(4, "divergent-barrier")]


def test_shuffle_behind_and() -> None:
    assert faults("t = cuda.thread_id()\nif t < n and cuda.shfl_xor(a, 1) > 0.0:\n    native.store(y, 1.0)") == [
        (2, "divergent-shuffle")
    ]


def test_conditional_selection_does_not_part_threads() -> None:
    assert faults("v = a if cuda.thread_id() == 0 else 0.0\nv = cuda.shfl_xor(v, 1)") == []


def test_a_barrier_is_looked_at_beside_other_faults() -> None:
    body = "if cuda.thread_id() == 0:\n    cuda.syncthreads()\nnobody(a)\nv = cuda.shfl_xor(nothing, 1)"
    assert [code for _, code in faults(body)] == ["divergent-barrier", "undefined-name", "undefined-name"]
