"""What happens to a build from outside: it is killed, its cache is torn, others build the same, nothing can be written.

The compilers are a script that writes slowly. Builds run in forks of this process, so that hundreds take seconds.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from transpile.build import toolchain
from transpile.build.artifacts import Emitted, Request, is_up_to_date, make
from transpile.build.cache import Cache, open_cache
from transpile.build.extension import Sources
from transpile.build.targets import Recipe

NOBODY: Final = 65534
TOGETHER: Final = 20
# Whatever leaves a trace on the disk, or starts a compiler.
STEPS: Final = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.utime", "subprocess.Popen")
COMPILER: Final = """\
#!/bin/sh
for made; do :; done
case "$*" in *" -c "*) kind=object ;; *) kind=library ;; esac
{ echo "one half of an $kind"; sleep 0.002; echo "and the other"; } > "$made"
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A place to build in, with a cache of its own."""

    folder: Path
    recipe: Recipe
    cache: Cache

    @property
    def request(self) -> Request:
        source = str(self.folder / "double.py")
        return Request(source=source, target="cpu", name="double_ext", folder=self.folder / "out", options=())

    def build(self) -> None:
        make(self.request, self.recipe, self.cache, lambda: emitted(self.folder))

    def files(self) -> dict[str, bytes]:
        """What is there by name, without what begins with a dot: those are files that were being written."""
        if not self.request.folder.is_dir():
            return {}
        return {path.name: path.read_bytes() for path in self.request.folder.glob("[!.]*")}

    def is_current(self) -> bool:
        return is_up_to_date(self.request, self.recipe, self.cache)


def emitted(folder: Path) -> Emitted:
    texts = {part: f"// {part}\n" * 1000 for part in ("kernels", "header", "table")}
    return Emitted(Sources(stem="double", name="double_ext", **texts), "# stub\n", (str(folder / "double.py"),))


def new_site(folder: Path) -> Site:
    """A site with a compiler in it."""
    folder.mkdir(exist_ok=True)
    (folder / "double.py").write_text("# the source\n")
    compiler = folder / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    program = (str(compiler),)
    recipe = Recipe(target="cpu", suffix=".cpp", kernels=program, host=program, link=program, versions=("1",))
    return Site(folder, recipe, Cache(folder / "cache"))


@pytest.fixture
def right(tmp_path: Path) -> dict[str, bytes]:
    """What a build writes that nobody harms."""
    one = new_site(tmp_path / "right")
    one.build()
    return one.files()


def forked(do: Callable[[], object]) -> int:
    """Starts `do` in a child; the child's number. It ends with 0, or with 1 where `do` raises."""
    child = os.fork()
    if child:
        return child
    try:
        do()
    except BaseException as error:  # a child must not go on as pytest
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def status_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step: int, folder: Path, do: Callable[[], object]) -> None:
    """Runs `do`, and ends this process as SIGKILL does before the given step that it takes."""
    taken = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal taken
        if event in STEPS and (event == "subprocess.Popen" or str(arguments[0]).startswith(str(folder))):
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)
            taken += 1

    sys.addaudithook(count)
    do()


def test_a_build_may_be_killed_anywhere(tmp_path: Path, right: dict[str, bytes]) -> None:
    step, seen = 0, set()
    while True:
        one = new_site(tmp_path / f"killed-{step}")
        status = status_of(forked(lambda: killed_at(step, one.folder, one.build)))  # noqa: B023
        assert status in (0, -signal.SIGKILL)
        assert one.files().items() <= right.items()
        seen.add(len(one.files()))
        if status == 0:
            break
        assert one.files() == right or not one.is_current()
        one.build()
        assert one.files() == right
        assert one.is_current()
        step += 1
    assert seen == set(range(len(right) + 1))


def test_a_torn_cache_costs_time_alone(tmp_path: Path, right: dict[str, bytes]) -> None:
    one = new_site(tmp_path / "torn")
    one.build()
    entries = [path for path in one.cache.folder.rglob("*.*") if path.is_file()] if one.cache.folder else []
    assert {path.suffix for path in entries} == {".o", ".so", ".json"}
    for tear in (lambda raw: b"", lambda raw: raw[: len(raw) // 2], lambda raw: raw[:5] + b"?" + raw[6:]):
        for path in entries:
            path.write_bytes(tear(path.read_bytes()))
        for path in one.request.folder.iterdir():
            path.unlink()
        one.build()
        assert one.files() == right
        assert one.is_current()


def test_many_build_one_module_at_once(tmp_path: Path, right: dict[str, bytes]) -> None:
    one = new_site(tmp_path / "shared")
    children = [forked(one.build) for _ in range(TOGETHER)]
    while any(os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None for child in children):
        assert one.files().items() <= right.items()
    assert [status_of(child) for child in children] == [0] * TOGETHER
    assert one.files() == right
    assert one.is_current()
    assert not list(one.folder.rglob(".*"))


def test_a_full_disk_leaves_nothing_half(tmp_path: Path, right: dict[str, bytes]) -> None:
    one = new_site(tmp_path / "full")

    def build() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        with pytest.raises(OSError, match="File too large"):
            one.build()

    assert status_of(forked(build)) == 0
    assert one.files().items() <= right.items()
    assert not list(one.folder.rglob(".*"))
    one.build()
    assert one.files() == right


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everyone may write to, and reach."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)


def test_a_home_that_cannot_be_written(public: Path, right: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write everywhere, and so becomes nobody."""
    home = public / "home"
    home.mkdir(mode=0o555)
    for name in ("TRANSPILE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(public))
    monkeypatch.setattr(toolchain, "python_include", lambda: public)  # Python may be root's alone
    one = new_site(public)

    def build() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        open_cache.cache_clear()
        here = replace(one, cache=open_cache())
        assert here.cache.folder == public / f"transpile-{os.getuid()}"
        here.build()
        assert here.is_current()

    assert status_of(forked(build)) == 0
    assert one.files() == right
    assert not list(home.iterdir())
