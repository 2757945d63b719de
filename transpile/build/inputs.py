"""What a result was read from: the files by their content, so that a kept result is used exactly while they stay."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from transpile.build.cache import Cache


def digest(path: str | Path) -> str | None:
    """Names a file's content; None where there is no such file."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """By absolute path; files that are not there are left out."""
    found = {os.path.abspath(path): digest(path) for path in paths}
    return {path: name for path, name in found.items() if name is not None}


def are_unchanged(files: Mapping[str, str]) -> bool:
    return all(digest(path) == name for path, name in files.items())


@dataclass(frozen=True, slots=True)
class Record:
    """`files` as `digests` gave them, and what was made from them."""

    files: dict[str, str]
    result: str


def recall(cache: Cache, key: str) -> str | None:
    """What was made under `key`, if every file is as it was then."""
    record = recall_record(cache, key)
    return record.result if record is not None else None


def recall_record(cache: Cache, key: str) -> Record | None:
    """As `recall`, with the files."""
    raw = cache.read(key, ".json")
    if raw is None:
        return None
    try:
        kept = json.loads(raw)
        files, result = kept["files"], kept["result"]
    except (ValueError, KeyError, TypeError):
        cache.discard(key, ".json")
        return None
    if isinstance(result, str) and isinstance(files, dict) and are_unchanged(files):
        return Record(files, result)
    return None


def remember(cache: Cache, key: str, record: Record) -> None:
    cache.write(key, ".json", json.dumps({"files": record.files, "result": record.result}).encode())
