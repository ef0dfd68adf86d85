"""Fixtures of the exact privacy tests."""

import functools
from types import SimpleNamespace

import pytest
from exact_laws import branching_pick

from quantail.privacy import gate, paths


@pytest.fixture
def enumerable(monkeypatch):
    """Branch on every step of a path, and remember OpenDP's privacy map, which is asked thousands of times."""
    honest = gate.noisy_max_measurement

    @functools.cache
    def remembered(scale, definition):
        return SimpleNamespace(map=functools.cache(honest(scale, definition).map))

    monkeypatch.setattr(gate, "noisy_max_measurement", remembered)
    monkeypatch.setattr(paths, "_pick", branching_pick)
