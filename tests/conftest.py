"""What every test runs under: hypothesis without chance, and the device tests skipped where there is no device."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.register_profile("wide", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def has_device() -> bool:
    return Path("/dev/nvidiactl").exists() or Path("/dev/kfd").exists()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if has_device():
        return
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="no GPU here"))
