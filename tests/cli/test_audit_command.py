"""`quantail audit`: findings on stdout, exit code 1 on a violation."""

import json

import pytest

from quantail import auditing
from quantail.auditing import AuditResult, Finding

GOOD = Finding("exact", "ladder", "replace-one", 0.97, 1.0, 840, "pairs", True)
BAD = Finding("exact", "slope", "add-remove", 1.31, 1.0, 480, "pairs", False)


@pytest.fixture
def asked(monkeypatch):
    """Answer with prepared findings and remember what was asked."""
    seen = {"findings": (GOOD,)}

    def audit(parts, **options):
        seen.update(parts=parts, **options)
        return AuditResult(seen["findings"], (), 0.9999, 1.0)

    monkeypatch.setattr(auditing, "audit", audit)
    return seen


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ([], ["exact"]),
        (["--controls"], ["controls"]),
        (["--gallery"], ["controls"]),
        (["--laws", "--exact"], ["exact", "laws"]),
        (["--all"], ["exact", "statistical", "laws", "controls"]),
    ],
)
def test_parts_are_chosen_by_options(shop, asked, options, parts):
    assert shop.run("audit", *options).exit_code == 0
    assert asked["parts"] == parts


def test_a_violation_ends_with_1_and_is_named(shop, asked):
    asked["findings"] = (GOOD, BAD)
    done = shop.run("audit")
    assert done.exit_code == 1
    assert "FAILED: slope" in done.stdout and "1.310" in done.stdout


def test_the_worst_ratio_and_the_number_of_pairs_are_printed(shop, asked):
    done = shop.run("audit")
    assert "840 pairs of neighbours; worst log-ratio 0.9700" in done.stdout


def test_json_is_clean(shop, asked):
    asked["findings"] = (GOOD, BAD)
    done = shop.run("audit", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["passed"] is False


def test_results_are_stored_with_their_command(shop, asked):
    done = shop.run("audit", "--statistical", "--runs", 500, "--out", "kept")
    assert done.exit_code == 0
    assert "`quantail audit --statistical --runs 500`" in (shop.folder / "kept" / "audit.md").read_text()
    assert json.loads((shop.folder / "kept" / "audit.json").read_text())["version"]
