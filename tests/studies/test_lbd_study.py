"""The panel study: what it measures, that it continues after a kill, and that its files say what was run."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from quantail.errors import DataError, OptionError
from quantail.evaluation.dynamics import job_flows
from studies.commands import commands
from studies.journal import read_journal
from studies.lbd import runner as lbd_runner
from studies.lbd.methods import LBD_METHODS, Case, chosen_lbd_methods, noise_of, synthesize_panel
from studies.lbd.plants import read_plants, run_plants
from studies.lbd.published_yearly import synthesize_published_yearly, yearly_visits
from studies.lbd.runner import curves, lbd_schema, measured
from studies.lbd.study import run_lbd
from studies.lbd.summary import (
    LBD_MEASURES,
    PAPER_LBD,
    mean_and_error,
    pooled_rates,
    render_lbd,
    summarise_together,
)
from studies.lbd.variants import LIMITS, render_variants
from studies.lbd.yearly import synthesize_yearly, synthesize_yearly_quantreg

QUICK = ["stepwise-varying", "sandwich-fixed"]


@pytest.fixture
def stand_ins(monkeypatch):
    """Leave out what takes seconds and has tests of its own: the LASSO and the methods."""

    def noisy(case, method, epsilon, seed, noise):
        rng = np.random.default_rng([seed, len(method)])
        return np.maximum(case.values + rng.integers(-1, 2, case.values.shape), 0)

    monkeypatch.setattr("studies.lbd.panel_measures.pmse_lasso", lambda real, synth, seed: 0.01)
    monkeypatch.setattr(lbd_runner, "synthesize_panel", noisy)


@pytest.fixture
def small(monkeypatch):
    """Keep 200 establishments of every industry."""
    whole = lbd_runner.lbd_industry
    monkeypatch.setattr(lbd_runner, "lbd_industry", lambda *key: whole(*key).slice(0, 200))
    lbd_runner.industry_case.cache_clear()
    yield
    lbd_runner.industry_case.cache_clear()


def test_the_study_writes_what_it_promises_and_continues(small, stand_ins, tmp_path):
    results = run_lbd(QUICK, 1, 2, tmp_path, [178, 239], workers=1, secure=0)
    assert json.loads((tmp_path / "results.json").read_text()) == results
    assert set(results) == {"178", "239"} and list(results["178"]) == QUICK
    for measure in ("gross_mape", "jc_mae", "net_mae", "pmse", "km", "unchanged", "size_class_max"):
        found = results["239"]["sandwich-fixed"][measure]
        assert np.isfinite(found["mean"]) and found["se"] >= 0
    table = (tmp_path / "table.md").read_text()
    assert "NOT PRIVATE" in table and "*paper: stepwise-varying*" in table and "902" in table
    for name in ("gross-employment.png", "job-creation.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    _, rows = read_journal(tmp_path / "replications.jsonl")
    assert len(rows) == 8
    path = tmp_path / "replications.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-2]) + whole[-2][:40])  # killed in the middle of a line
    assert run_lbd(QUICK, 1, 2, tmp_path, [178, 239], workers=1, secure=0) == results
    with pytest.raises(OptionError, match="epsilon"):
        run_lbd(QUICK, 2, 2, tmp_path, [178], workers=1, secure=0)


def test_no_valid_method_leaves_the_public_frame(small):
    case = lbd_runner.industry_case(239, 1, "synlbd")
    for method in ("pooled", "kng", "sandwich-varying"):
        made = synthesize_panel(case, method, "1", 3, noise_of(method, secure=False))
        assert (np.isnan(made) == np.isnan(case.values)).all()
        inside = made[~np.isnan(made)]
        assert (inside == np.rint(inside)).all() and inside.min() >= 0 and inside.max() <= 2000


compiles = pytest.mark.slow  # numba compiles chains over planes first, in twenty seconds
CHAINS = ("stepwise-varying-published", "kng-published", "sandwich-varying-synlbd")


@pytest.mark.parametrize("method", [*CHAINS, "quantreg"])
def test_methods_without_privacy_are_never_taken_for_private(method):
    assert noise_of(method, secure=True) != "secure"


@pytest.mark.parametrize("method", [*(pytest.param(chain, marks=compiles) for chain in CHAINS), "quantreg"])
def test_methods_without_privacy_keep_the_frame_and_the_bounds(small, method):
    pytest.importorskip("numba")
    case = lbd_runner.industry_case(239, 1, "synlbd")
    made = synthesize_panel(case, method, "1", 3, noise_of(method, secure=True))
    assert (np.isnan(made) == np.isnan(case.values)).all()
    assert np.nanmin(made) >= 0 and np.nanmax(made) <= 2000


def test_the_reference_follows_last_year_of_its_own_synthetic_panel():
    values = np.array([[10.0, 20.0], [30.0, 60.0], [np.nan, 5.0]])
    seen = []

    def lines_of(y, x, place):
        seen.append((y.size, None if x is None else x.size, place))
        return np.array([[7.0]]) if x is None else np.array([[1.0, 2.0]])

    made = synthesize_yearly(values, 100.0, lines_of, np.random.default_rng(0))
    assert seen == [(2, None, 0), (1, None, 1), (2, 2, 1)]
    assert np.array_equal(made, [[7, 15], [7, 15], [np.nan, 7]], equal_nan=True)


def test_the_reference_keeps_quartiles_of_a_large_panel():
    rng = np.random.default_rng(2)
    first = np.rint(rng.lognormal(3, 0.5, 3000))
    values = np.column_stack([first, np.rint(first * rng.lognormal(0, 0.2, 3000))])
    made = synthesize_yearly_quantreg(values, 2000.0, rng)
    for t in (0, 1):
        assert np.allclose(
            *(np.quantile(a[:, t], [0.25, 0.5, 0.75]) for a in (values, made)), rtol=0.08, atol=1.0
        )


def test_published_models_share_their_budget_as_in_the_application():
    for method, share in (("stepwise-fixed", 0.6), ("stepwise-varying", 0.8), ("sandwich-varying", 0.64)):
        for births in (True, False):
            visits = yearly_visits(method, births)
            assert visits[0].tau == 0.5 and visits[0].share == pytest.approx(share)
            assert sum(visit.share for visit in visits) == pytest.approx(1)


def test_chains_on_synlbd_take_the_step_sizes_of_the_authors_script():
    def sizes(method, first):
        found = yearly_visits(method, births=True, first_year=first, setting="synlbd")
        return {visit.role: visit.scale for visit in found if visit.role in ("main", "inner")}

    assert sizes("sandwich-varying", True) == {"main": 0.1, "inner": 0.05}
    assert sizes("sandwich-varying", False) == {"main": 1e-3, "inner": 5e-4}
    assert sizes("stepwise-fixed", True) == {"main": 0.05}
    assert sizes("stepwise-fixed", False) == {"main": 5e-4}
    own = yearly_visits("kng", births=True, first_year=True, setting="synlbd")
    assert own == yearly_visits("kng", births=True)


@compiles
def test_a_smaller_bound_on_predictors_is_a_sharper_density():
    """C_X of the authors' code is the largest predictor; the bound of employment is far above it."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    before = np.rint(rng.lognormal(2, 0.5, 300))
    values = np.column_stack([before, before])

    def spread(setting):
        made = [
            synthesize_published_yearly(values, "kng", 50.0, 2000.0, np.random.default_rng(s), 300, setting)
            for s in range(4)
        ]
        return np.mean([np.abs(panel[:, 1] - panel[:, 0]).mean() for panel in made])

    assert spread("synlbd") < spread("simulation")


def test_curves_add_up_to_the_rates_of_the_stacked_panel():
    rng = np.random.default_rng(0)
    panels = [np.where(rng.random((40, 5)) < 0.2, np.nan, rng.integers(0, 50, (40, 5))) for _ in range(2)]
    created, net = pooled_rates([curves(values) for values in panels])
    flows = job_flows(np.vstack(panels))
    assert np.allclose(created, 100 * flows.creation, atol=0.01)
    assert np.allclose(net, 100 * flows.net, atol=0.01)


def test_rates_of_industries_together_are_compared_year_by_year(small):
    case = lbd_runner.industry_case(178, 1, "synlbd")
    row = {"industry": 178, "seed": 1, "variant": "synlbd", "method": "copy", **curves(case.values)}
    assert summarise_together([row])["copy"]["jc_mae"]["mean"] == 0
    other = row | {"created": [2 * value for value in row["created"]], "method": "double"}
    assert summarise_together([other])["double"]["jc_mae"]["mean"] > 10


def test_a_copy_is_perfect_and_rounding_is_told_apart():
    rng = np.random.default_rng(1)
    real = np.rint(rng.lognormal(2, 1, (400, 6)))
    assert measured(real, real, 0)["km"] == 1000
    shifted = measured(real, real + 0.3, 0)
    assert shifted["km_rounded"] == 1000 and shifted["km"] < 1000
    assert set(LBD_MEASURES) <= set(shifted)


def test_the_papers_table_is_the_published_one():
    assert PAPER_LBD["stepwise-varying"][178] == {"pmse": 0.0391, "km_inactive_bin": 902.0}
    assert PAPER_LBD["kng"][542] == {"pmse": 0.1788, "km_inactive_bin": 706.0}
    assert set(PAPER_LBD) <= set(LBD_METHODS)


def test_shares_of_the_reference_are_those_of_the_same_industry():
    summary = {m: {"mean": 0.0, "se": None} for m in LBD_MEASURES}
    results = {
        "178": {
            "pooled": summary | {"km": mean_and_error([600]), "km_rounded": mean_and_error([600])},
            "quantreg": summary | {"km": mean_and_error([500]), "km_rounded": mean_and_error([800])},
        }
    }
    assert "120% (75% rounded)" in render_lbd(results, {}, "head")


def test_variants_name_what_is_missed_and_what_is_not_beaten():
    good = {name: mean_and_error([900.0 if name.startswith("km") else 1.0]) for name in LBD_MEASURES}
    poor = {name: mean_and_error([300.0 if name.startswith("km") else 50.0]) for name in LBD_MEASURES}
    text = render_variants({"sticky": {"178": {"pooled": good, "stepwise-varying": poor}}})
    assert text.rstrip().endswith("| yes | nothing |")
    worse = good | {"unchanged": mean_and_error([60.0])}
    text = render_variants({"sticky": {"178": {"pooled": worse, "stepwise-varying": poor}}})
    assert text.rstrip().endswith("| no: unchanged | unchanged |") and "unchanged" in LIMITS
    # What one industry misses the mean of two may reach.
    far = good | {"gross_mape": mean_and_error([17.0])}
    text = render_variants({"sticky": {"178": {"pooled": far}, "239": {"pooled": good}}})
    missed, reached, mean = text.rstrip().splitlines()[-3:]
    assert "| no: gross_mape |" in missed and "| yes |" in reached
    assert mean.startswith("| sticky, **mean** | 9.0 |") and "| yes |" in mean


def test_plants_become_a_panel_without_gaps(tmp_path):
    path = tmp_path / "plants.parquet"
    ids, years = [1.0] * 4 + [2.0, 2.0], [1981, 1982, 1984, 1985, 1981, 1982]
    table = pa.table({"id": ids, "year": years, "employees": [10.4, 11.6, 3.0, 4.0, 9.0, 9.0]})
    pyarrow.parquet.write_table(table, path)
    case = read_plants(path)
    assert case.values.shape == (3, 5)
    assert np.array_equal(case.values[0], [10, 12, np.nan, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(case.values[1], [np.nan, np.nan, np.nan, 3, 4], equal_nan=True)
    with pytest.raises(DataError, match="employees"):
        run_plants(tmp_path / "none.parquet", ["pooled"], 1, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_methods_and_groups_are_chosen_by_name():
    assert chosen_lbd_methods(["all"]) == list(LBD_METHODS)
    assert chosen_lbd_methods(["quantreg", "reference"]) == ["quantreg", "pistner"]
    with pytest.raises(OptionError, match="ladder"):
        chosen_lbd_methods(["ladder"])


def test_the_schema_is_the_papers():
    (column,) = lbd_schema().confidential
    assert (column.lower, column.upper, column.source != "") == (0, 2000, True)
    assert lbd_schema().panel.periods == range(1976, 2001)
    assert Case.of(lbd_runner.lbd_industry(178, 0).slice(0, 5), lbd_schema()).values.shape == (5, 25)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--methods", "ladder"], "ladder"),
        (["--industries", "abc"], "--industries"),
        (["--industries", "111"], "111"),
        (["--variant", "odd"], "odd"),
        (["--epsilon", "0"], "epsilon"),
    ],
)
def test_wrong_options_are_named_and_nothing_is_written(options, word, tmp_path):
    out = tmp_path / "study"
    done = CliRunner().invoke(commands, ["lbd", "--out", str(out), *options])
    assert done.exit_code != 0 and word in done.output
    assert not out.exists()
