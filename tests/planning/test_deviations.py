import numpy as np
import pyarrow as pa
import pytest

from quantail.planning.deviations import deviations


def table(scale=1.0, slope=2.0, south=50):
    jobs = np.arange(1, 101)
    region = ["south"] * south + ["north"] * (100 - south)
    return pa.table({"region": region, "jobs": jobs, "pay": scale * (10 + slope * np.arcsinh(jobs))})


def test_a_copy_has_no_error(mixed_schema):
    found = deviations(mixed_schema, table(), table(), (0.5, 0.999))
    names = {("region", "shares"), *(("jobs", q) for q in ("q50", "q99.9"))}
    assert set(found) == names | {("pay", q) for q in ("q50", "q99.9", "slope")}
    assert set(found.values()) == {0}


def test_errors_are_relative_to_the_original(mixed_schema):
    found = deviations(mixed_schema, table(), table(scale=1.5), (0.9,))
    assert found["pay", "q90"] == pytest.approx(0.5) and found["pay", "slope"] == pytest.approx(0.5)
    back = deviations(mixed_schema, table(scale=1.5), table(), (0.9,))
    assert back["pay", "q90"] == pytest.approx(-1 / 3)  # too low


def test_slopes_and_shares_are_what_they_are_called(mixed_schema):
    found = deviations(mixed_schema, table(), table(slope=3.0, south=80), (0.5,))
    assert found["pay", "slope"] == pytest.approx(0.5)
    assert found["region", "shares"] == pytest.approx(0.3)
