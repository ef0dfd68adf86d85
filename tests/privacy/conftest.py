"""Fixtures of the exact privacy tests."""

import pytest

from quantail.auditing import enumeration


@pytest.fixture
def enumerable():
    with enumeration.enumerable():
        yield
