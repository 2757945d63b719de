"""Compilers: found, missing, failing, and what an extension's key depends on."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from transpile import settings
from transpile.build import toolchain
from transpile.build.cache import open_cache
from transpile.build.extension import Sources, build_extension, engine_key, extension_key
from transpile.build.load import load_bytes
from transpile.build.targets import recipe_for
from transpile.build.toolchain import CompilerError, ToolchainMissingError, find_compiler, run


@pytest.fixture(autouse=True)
def _fresh() -> None:
    find_compiler.cache_clear()


def test_output_and_failure() -> None:
    assert run([sys.executable, "-c", "print('é')"]) == "é\n"
    with pytest.raises(CompilerError, match=r"'import sys; sys.exit\(3\)'\nended with status 3"):
        run([sys.executable, "-c", "import sys; sys.exit(3)"])
    with pytest.raises(CompilerError, match="No such file"):
        run(["/nowhere/compiler"])


def test_commands_are_shown_on_request(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(["true", "a b"])
    monkeypatch.setenv("TRANSPILE_DEBUG", "1")
    run(["true", "a b"], environment={"HIP_PLATFORM": "amd"})
    assert capsys.readouterr().err == "+ HIP_PLATFORM=amd true 'a b'\n"


def test_a_limit_in_time() -> None:
    with pytest.raises(CompilerError, match="did not end within"):
        run([sys.executable, "-c", "import time; time.sleep(30)"], seconds=0.2)


def test_a_limit_in_time_is_one_for_everything_that_was_started(tmp_path: Path) -> None:
    told = tmp_path / "processes"
    inner = f"echo $$ >> {told}; sleep 30 & echo $! >> {told}; wait"
    with pytest.raises(CompilerError, match="did not end within"):
        run(["sh", "-c", f"echo $$ >> {told}; sh -c '{inner}'; echo late >> {told}"], seconds=0.5)
    started = [int(line) for line in told.read_text().split()]
    assert len(started) == 3
    deadline = time.monotonic() + 5
    while any(is_running(process) for process in started) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(is_running(process) for process in started)


def is_running(process: int) -> bool:
    """Whether it has not ended; one that has may wait for its new parent to hear of it."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status[status.rindex(")") + 2] not in "ZX"


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match="install g\\+\\+"):
        find_compiler()


def test_a_chosen_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", f"{sys.executable} -I")
    assert find_compiler().command == (sys.executable, "-I")
    assert find_compiler().version.startswith("Python 3")
    find_compiler.cache_clear()
    monkeypatch.setenv("CXX", "no-such-compiler -O")
    with pytest.raises(ToolchainMissingError, match="there is no program 'no-such-compiler'"):
        find_compiler()
    monkeypatch.setenv("CXX", "g++ '-O")
    with pytest.raises(ToolchainMissingError, match="which is no command line: No closing quotation"):
        find_compiler()
    monkeypatch.setenv("CXX", " ")
    assert settings.compiler() is None


def test_what_an_extension_depends_on(hand_sources: Sources) -> None:
    recipe = recipe_for("cpu")
    key = extension_key(recipe, hand_sources)
    others = [
        *(extension_key(replace(recipe, **{name: ("x", "y")}), hand_sources) for name in ("kernels", "host", "link")),
        *(extension_key(replace(recipe, **{name: ("x",)}), hand_sources) for name in ("libraries", "versions")),
        extension_key(replace(recipe, target="cuda"), hand_sources),
        extension_key(replace(recipe, machines="--arch sm_90"), hand_sources),
        *(extension_key(recipe, replace(hand_sources, **{name: "x"})) for name in Sources.__dataclass_fields__),
    ]
    assert len({key, *others}) == len(others) + 1
    assert extension_key(replace(recipe, remark="chosen so"), replace(hand_sources)) == key


def test_the_engine_is_keyed_by_its_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recipe = recipe_for("cpu")
    before = engine_key(recipe)
    (tmp_path / "engine").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "engine.cpp").write_text("")
    monkeypatch.setattr(toolchain, "runtime_folder", lambda: tmp_path)
    changed = engine_key(recipe)
    assert changed != before
    (tmp_path / "engine" / "more.hpp").write_text("")
    assert engine_key(recipe) != changed


def test_text_that_does_not_compile_names_the_command(hand_sources: Sources, tmp_path: Path) -> None:
    broken = replace(hand_sources, kernels="int broken(")
    with pytest.raises(CompilerError, match=r"-O3 .*hand\.cpp(.|\n)*error") as caught:
        build_extension(recipe_for("cpu"), broken, open_cache())
    assert "-ffp-contract=off" in caught.value.command
    kept = caught.value.folder
    assert kept is not None
    assert (kept / "hand.cpp").read_text() == "int broken("
    shutil.rmtree(kept)


def test_without_a_cache_an_extension_still_loads(hand: ModuleType, hand_sources: Sources) -> None:
    library = build_extension(recipe_for("cpu"), hand_sources, open_cache())
    module = load_bytes("hand_ext", library, None)
    assert module.__transpile__ == hand.__transpile__
    assert module.run is not hand.run
