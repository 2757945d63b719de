"""Files that are kept under a key of everything they were made from: compiled objects, extensions, emitted texts.

Entries appear whole (written beside, then renamed), so that processes may share a cache; an entry is never changed, and
losing one only costs the time to make it again. Each ends with a hash of itself: what a lost machine or anything else
has damaged is no entry. What was used longest ago goes where a cache holds more than it may. Where the home cannot be
written, a private folder under the system's temporary one serves; where that fails too, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from transpile import settings
from transpile.runtime import runtime_folder

FORMAT: Final = "1"
UNUSED_DAYS: Final = 60
BLOCK: Final = 4096  # what a file takes is counted in these
LEFT_FULL: Final = 0.75  # of what a cache may hold, after it was too full
# Stands with the hash at the end of an entry, where nobody looks who links an object or loads a library.
SEAL: Final = b"\0transpile\0"
SEALED_BY: Final = len(SEAL) + hashlib.sha256().digest_size


def key_of(*parts: str | bytes) -> str:
    """One key from many parts; no two lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()[:40]


@cache
def own_code() -> str:
    """A key of this package's code and of the C++ that it compiles in: another version makes another cache."""
    return code_of(Path(__file__).resolve().parents[1], runtime_folder(), open_cache())


def code_of(package: Path, runtime: Path, kept: Cache) -> str:
    """A key of every source in two folders. It is kept: to read them all takes longer than the rest of a launch."""
    roots = (str(package), *(() if runtime.is_relative_to(package) else (str(runtime),)))
    files = [path for root in roots for path in _sources(root)]
    # Whoever changes a file without its time or size changes when the system last saw it changed.
    seen = ((path, os.stat(path)) for path in files)
    marks = (f"{path} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}" for path, found in seen)
    key = key_of("sources", FORMAT, *marks)
    known = kept.read(key, ".code")
    if known is not None:
        return known.decode()
    digest = hashlib.sha256(FORMAT.encode())
    for root in roots:
        for path in _sources(root):
            with open(path, "rb", buffering=0) as file:
                content = file.read()
            digest.update(f"{path[len(root) + 1 :]}\0{len(content)}\0".encode())
            digest.update(content)
    code = digest.hexdigest()[:40]
    kept.write(key, ".code", code.encode())
    return code


def _sources(root: str) -> Iterable[str]:
    """Every source under `root`, in one order everywhere."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith((".py", ".j2", ".hpp", ".h", ".cpp")):
                yield os.path.join(folder, name)


class Cache:
    """Keeps files under keys in a folder, or nothing where `folder` is None."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def find(self, key: str, suffix: str) -> Path | None:
        """The entry's file, which goes on after the content, or None. Marks it as used."""
        return self._path(key, suffix) if self.read(key, suffix) is not None else None

    def read(self, key: str, suffix: str) -> bytes | None:
        """The entry's content, or None. Marks it as used."""
        if self.folder is None:
            return None
        path = self._path(key, suffix)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        content = _content(raw)
        if content is None:
            self.discard(key, suffix)
            return None
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > 86400:
                os.utime(path)
        return content

    def write(self, key: str, suffix: str, content: bytes) -> Path | None:
        """Keeps `content`; None where it could not be kept, or is more than the cache may hold."""
        if self.folder is None:
            return None
        path = self._path(key, suffix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content + _seal(content))
        except OSError:
            return None
        self._sweep(len(content))
        return path if path.exists() else None

    def discard(self, key: str, suffix: str) -> None:
        """Forgets an entry that turned out to be of no use."""
        if self.folder is not None:
            try:
                self._path(key, suffix).unlink()
            except OSError:
                return

    def _path(self, key: str, suffix: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key[2:]}{suffix}"

    def entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Every file that is kept, with what the system knows of it."""
        for path in self.folder.glob("??/*") if self.folder is not None else ():
            with suppress(OSError):  # another process may remove it meanwhile
                yield path, path.stat()

    def clear(self) -> int:
        """Removes everything; returns the number of entries. Raises OSError where one cannot be removed."""
        removed = 0
        for path, _ in self.entries():
            path.unlink(missing_ok=True)
            removed += 1
        return removed

    def _sweep(self, written: int) -> None:
        """Removes what nobody has used for a long time, once a day; and what was used longest ago, where all that was
        written since the last time is more than the cache may hold."""
        assert self.folder is not None
        stamp, grown = self.folder / "swept", self.folder / "grown"
        limit, now = settings.cache_bytes(), time.time()
        try:
            with open(grown, "ab") as file:  # a byte for each block: processes append side by side
                file.write(b"+" * -(-written // BLOCK))
                is_full = file.tell() * BLOCK > limit
            if not is_full and stamp.exists() and now - stamp.stat().st_mtime < 86400:
                return
            stamp.touch()
            write_whole(grown, b"+" * self._remove_oldest(limit * LEFT_FULL if is_full else limit, now))
        except OSError:
            return  # another process sweeps too, or the folder became read-only: nothing depends on this

    def _remove_oldest(self, room: float, now: float) -> int:
        """Keeps what was used last and has room; returns the blocks that are left."""
        left = 0
        for age, size, path in sorted((now - found.st_mtime, found.st_size, path) for path, found in self.entries()):
            blocks = -(-size // BLOCK)
            if age > UNUSED_DAYS * 86400 or (left + blocks) * BLOCK > room:
                path.unlink(missing_ok=True)
            else:
                left += blocks
        return left


def _seal(content: bytes) -> bytes:
    return SEAL + hashlib.sha256(content).digest()


def _content(raw: bytes) -> bytes | None:
    """What was sealed, or None where that is damaged."""
    content, seal = raw[:-SEALED_BY], raw[-SEALED_BY:]
    return content if seal == _seal(content) else None


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that a reader sees the old one or the new one, never a part. Raises OSError that names it."""
    name = path.parent / f".{path.name[:20]}.{os.urandom(6).hex()}"
    try:
        # The system takes the umask off the mode; asking for the umask would set it for every thread.
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777 if path.suffix == ".so" else 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@cache
def open_cache() -> Cache:
    """The user's cache."""
    for folder in settings.cache_directories():
        if _is_usable(folder):
            return Cache(folder)
    try:
        import tempfile  # only where there is no home

        shared = Path(tempfile.gettempdir()) / f"transpile-{os.getuid()}"
    except FileNotFoundError:  # no temporary folder can be written either
        return Cache(None)
    return Cache(shared if _is_usable(shared) and _is_private(shared) else None)


def _is_usable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def _is_private(folder: Path) -> bool:
    """What lies in a folder that everyone may write to is only trusted if nobody else can have put it there."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and found.st_mode & 0o077 == 0
