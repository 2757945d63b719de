"""What every test runs under: hypothesis without chance, and the device tests skipped where there is no device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.everywhere import DEVICE_TARGETS, TARGETS, Target
from tests.support.tools import tool

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.register_profile("wide", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(params=[TARGETS, pytest.param(DEVICE_TARGETS, marks=pytest.mark.gpu)], ids=["here", "device"])
def targets(request: Any) -> Sequence[Target]:
    """What a kernel has to give the reference's bits on; a test that takes this runs again on a device."""
    chosen: Sequence[Target] = request.param
    if chosen is DEVICE_TARGETS:
        tool("nvcc")
    return chosen


def has_nvidia() -> bool:
    return Path("/dev/nvidiactl").exists()


def has_device() -> bool:
    """Is there a GPU of any maker?"""
    return has_nvidia() or Path("/dev/kfd").exists()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if has_nvidia():
        return
    for item in items:
        if item.get_closest_marker("gpu") is not None:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here"))
