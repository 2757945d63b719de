"""The cache: content-keyed, whole entries, shared by processes, and quiet where nothing can be written."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from transpile.build import cache as caches
from transpile.build.cache import Cache, key_of, open_cache, write_whole
from transpile.build.inputs import Record, digests, recall, remember


def test_keys_tell_the_parts_apart() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("a", "") != key_of("a")
    assert key_of("a", b"b") == key_of("a", "b")


def test_an_entry_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new")
    key = key_of("x")
    assert cache.read(key, ".o") is None
    path = cache.write(key, ".o", b"content")
    assert path is not None
    assert cache.find(key, ".o") == path
    assert cache.read(key, ".o") == b"content"
    assert cache.read(key, ".so") is None
    cache.discard(key, ".o")
    assert cache.find(key, ".o") is None


@pytest.mark.parametrize("content", [b"", b"content", bytes(range(256)) * 40])
def test_a_damaged_entry_is_none(tmp_path: Path, content: bytes) -> None:
    cache, key = Cache(tmp_path), key_of("x")
    path = cache.write(key, ".o", content)
    assert path is not None
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    damaged = [b"", whole[:1], whole[: len(whole) // 2], whole[:-1], whole + b"\0", b"\0" * len(whole), bytes(flipped)]
    for torn in damaged:
        path.write_bytes(torn)
        assert cache.find(key, ".o") is None
        assert not path.exists()
        path.write_bytes(torn)
        assert cache.read(key, ".o") is None
        cache.write(key, ".o", content)
        assert cache.read(key, ".o") == content


def test_a_cache_without_a_folder_keeps_nothing() -> None:
    cache = Cache(None)
    assert cache.write(key_of("x"), ".o", b"content") is None
    assert cache.read(key_of("x"), ".o") is None


def test_a_folder_that_cannot_be_written_is_quiet(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert Cache(blocked / "below").write(key_of("x"), ".o", b"content") is None


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o500)
    _falls_back(tmp_path / "home", monkeypatch)


def test_a_missing_home_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    _falls_back(blocked / "home", monkeypatch)


def _falls_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRANSPILE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    open_cache.cache_clear()
    try:
        folder = open_cache().folder
        assert folder is None or folder.name == f"transpile-{os.getuid()}"
    finally:
        open_cache.cache_clear()


def test_a_shared_folder_of_someone_else_is_not_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert not caches._is_private(tmp_path)
    tmp_path.chmod(0o700)
    assert caches._is_private(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert not caches._is_private(link)


def test_what_nobody_uses_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    old, new = key_of("old"), key_of("new")
    path = cache.write(old, ".o", b"")
    assert path is not None
    long_ago = time.time() - 400 * 86400
    os.utime(path, (long_ago, long_ago))
    (tmp_path / "swept").unlink()
    cache.write(new, ".o", b"")
    assert cache.find(old, ".o") is None
    assert cache.find(new, ".o") is not None


def test_a_cache_holds_no_more_than_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSPILE_CACHE_MB", "1")
    cache = Cache(tmp_path)
    for k in range(40):
        path = cache.write(key_of(str(k)), ".o", bytes(60_000))
        assert path is not None
        os.utime(path, (time.time() - 100 + k, time.time() - 100 + k))
        assert sum(found.st_size for _, found in cache.entries()) <= 1 << 20
    assert cache.read(key_of("39"), ".o") is not None
    assert cache.read(key_of("0"), ".o") is None
    assert len(list(cache.entries())) >= 12  # three quarters stay when it was too full
    held = len(list(cache.entries()))
    assert cache.clear() == held
    assert not list(cache.entries())


def test_what_has_no_room_is_not_said_to_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSPILE_CACHE_MB", "0")
    cache, key = Cache(tmp_path), key_of("x")
    assert cache.write(key, ".o", b"content") is None
    assert cache.find(key, ".o") is None


def test_using_an_entry_keeps_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    path = cache.write(key_of("x"), ".o", b"")
    assert path is not None
    long_ago = time.time() - 400 * 86400
    os.utime(path, (long_ago, long_ago))
    assert cache.find(key_of("x"), ".o") is not None
    assert time.time() - path.stat().st_mtime < 60


def test_writing_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["file"]
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_the_umask_holds(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "module.so", b"")
        write_whole(tmp_path / "text", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "module.so").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "text").stat().st_mode & 0o777 == 0o640


def test_processes_share_a_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from transpile.build.cache import *\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "for k in range(60):\n"
        "    key = key_of(str(k))\n"
        "    found = cache.read(key, '.o')\n"
        "    assert found in (None, str(k).encode() * 50_000), k\n"
        "    cache.write(key, '.o', str(k).encode() * 50_000)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert not list(tmp_path.rglob(".*"))


def test_a_record_holds_while_its_files_do(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path / "cache"), key_of("x")
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("1")
    two.write_text("2")
    remember(cache, key, Record(digests([one, two]), "made"))
    assert recall(cache, key) == "made"
    before = two.stat()
    two.write_text("3")
    os.utime(two, ns=(before.st_atime_ns, before.st_mtime_ns))  # the size and the time stay
    assert recall(cache, key) is None
    two.write_text("2")
    assert recall(cache, key) == "made"
    two.unlink()
    assert recall(cache, key) is None


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"{}", b'{"files": {}, "result": 1}', b'{"files": [], "result": "x"}']
)
def test_a_damaged_record_is_no_record(tmp_path: Path, raw: bytes) -> None:
    cache, key = Cache(tmp_path), key_of("x")
    cache.write(key, ".json", raw)
    assert recall(cache, key) is None
