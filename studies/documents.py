"""Tables of README and docs, written from stored results: `python -m studies documents`.

A document holds a table between two comments; what stands there is replaced, so no figure is typed by hand:

    <!-- table: simulation -->
    ...
    <!-- end of table -->
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quantail.errors import DataError
from studies.ablation.study import STEPS, Step
from studies.lbd.methods import published_base
from studies.lbd.summary import PAPER_LBD
from studies.paper_tables import PAPER_NAME, PAPER_TABLE

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (
    Path("README.md"),
    Path("docs/from-the-paper-to-quantail.md"),
    Path("docs/lbd-study.md"),
)
DEFAULT = "ladder"
"""The default method's name in stored results."""

_RESULTS = ROOT / "studies" / "results"
_PLACE = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_HEADS = {
    "pmse_woi": "pMSE",
    "pmse_wi": "pMSE with interactions",
    "wrt": "Wasserstein ratio",
    "km": "k-marginal score",
    "int_diff": "intercept difference",
    "slope_diff": "slope difference",
    "nrmse_x2": "prediction error X2",
    "nrmse_x3": "prediction error X3",
}
_DECIMALS = {
    "wrt": 2,
    "km": 0,
    "km_inactive_bin": 0,
    "int_diff": 2,
    "slope_diff": 2,
    "nrmse_x2": 3,
    "nrmse_x3": 3,
}


def outdated(root: Path = ROOT) -> list[Path]:
    """Return the documents whose tables are not those of the results."""
    texts = ((path, (root / path).read_text(encoding="utf-8")) for path in DOCUMENTS)
    return [path for path, text in texts if with_tables(text) != text]


def write_documents(root: Path = ROOT) -> list[Path]:
    """Write every table anew; return the documents that changed."""
    changed = outdated(root)
    for path in changed:
        text = (root / path).read_text(encoding="utf-8")
        (root / path).write_text(with_tables(text), encoding="utf-8")
    return changed


def with_tables(text: str) -> str:
    r"""Return a document with its tables as the results have them.

    Examples
    --------
    >>> "| step |" in with_tables("<!-- table: ablation -->\n<!-- end of table -->")
    True
    """

    def table(place: re.Match[str]) -> str:
        if place[2] not in TABLES:
            raise DataError(f"a document asks for the table {place[2]!r}; there are: {', '.join(TABLES)}")
        return f"{place[1]}{TABLES[place[2]]()}\n{place[3]}"

    return _PLACE.sub(table, text)


def number(measure: str, value: float | None) -> str:
    """Return a mean as documents show it: at least four decimals of a pMSE, and two digits that count.

    Examples
    --------
    >>> number("pmse_woi", 0.000151), number("pmse_wi", 0.1309), number("km", 966.7)
    ('.00015', '.1309', '967')
    """
    if value is None:
        return ""
    if measure.startswith("pmse"):
        return (
            f"{value:.4f}" if value >= 0.001 else f"{float(f'{value:.1e}'):.6f}".rstrip("0")
        ).removeprefix("0")
    decimals = 0 if value >= 100 else _DECIMALS.get(measure, 1)
    return f"{abs(value) if round(value, decimals) == 0 else value:,.{decimals}f}"


def _simulation() -> str:
    small = {e: _means(f"simulation-epsilon-{e}")[DEFAULT] for e in ("0.5", "0.25", "0.1")}
    one = _means("simulation-epsilon-1")
    rows: dict[str, Mapping[str, float | None]] = {
        "an independent sample of the truth": one["fresh"],
        "**Quantail, epsilon 1**": one[DEFAULT],
        **{f"Quantail, epsilon {epsilon}": means for epsilon, means in small.items()},
        "the paper's sandwich made valid (`--method sandwich`), epsilon 1": one["sandwich-fixed"],
        "non-private quantile regression": one["quantreg"],
        "paper, best of its six DP methods in each column, epsilon 1": _best_of_paper(),
    }
    lines = [[label, *(number(m, means[m]) for m in _HEADS)] for label, means in rows.items()]
    return _markdown(["", *_HEADS.values()], lines)


def _best_of_paper() -> dict[str, float | None]:
    private = [_only_means(summary) for name, summary in PAPER_TABLE.items() if name != "non-private"]
    return {m: (max if m == "km" else min)(row[m] or 0.0 for row in private) for m in _HEADS}


def _ablation() -> str:
    results = _means("ablation-epsilon-1")
    measures = ("pmse_wi", "wrt", "km", "slope_diff")
    heads = ["step", "claimed", "true", *(_HEADS[m] for m in measures)]
    lines = [
        [f"{place}. {step.title}", "1", _true(step), *(number(m, results[step.name][m]) for m in measures)]
        for place, step in enumerate(STEPS.values())
    ]
    return _markdown(heads, lines)


def _true(step: Step) -> str:
    if not step.holds:
        return "none"
    return "1" if step.guarantee.endswith("exactly") else "1, for exact draws"


def _published() -> str:
    published = _means("published-epsilon-1")
    converged = _means("converged-epsilon-1") | _means("kng-converged-epsilon-1")
    measures = ("pmse_woi", "wrt", "km", "slope_diff")
    lines = []
    for base in ("stepwise-fixed", "stepwise-varying", "sandwich-fixed", "sandwich-varying", "kng"):
        rows = {
            "paper": _only_means(PAPER_TABLE[PAPER_NAME[base]]),
            "published chains": published[f"{base}-published"],
            "converged": converged[f"{base}-converged"],
        }
        lines += [
            [base if kind == "paper" else "", kind, *(number(m, means[m]) for m in measures)]
            for kind, means in rows.items()
        ]
    return _markdown(["method", "", *(_HEADS[m] for m in measures)], lines)


def _lbd() -> str:
    results, together = _read("lbd-epsilon-1", "results.json"), _read("lbd-epsilon-1", "together.json")
    industries = list(results)
    heads = ["method"]
    for label in ("pMSE", "KM", "gross, % off"):
        heads += [f"{label} {industries[0]}", *industries[1:]]
    heads += ["job creation", "net creation"]
    by_base: dict[str, list[list[str]]] = {}
    for method in results[industries[0]]:
        cells = [
            number(name, results[industry][method][name]["mean"])
            for name in ("pmse", "km_inactive_bin", "gross_mape")
            for industry in industries
        ]
        flows = [number(name, together[method][name]["mean"]) for name in ("jc_mae", "net_mae")]
        by_base.setdefault(published_base(method)[0], []).append([_privacy(method), *cells, *flows])
    for base in by_base.keys() & PAPER_LBD.keys():
        by_base[base].append(_paper_line(base, industries))
    return _markdown(heads, [line for group in by_base.values() for line in group])


def _paper_line(base: str, industries: Sequence[str]) -> list[str]:
    cells = [
        f"*{number(name, PAPER_LBD[base][int(industry)][name])}*"
        for name in ("pmse", "km_inactive_bin")
        for industry in industries
    ]
    return [f"*paper, real SynLBD: {base}*", *cells, *("" for _ in industries), "", ""]


def _privacy(method: str) -> str:
    if method.endswith(("-published", "-synlbd")):
        return f"{method} (NOT PRIVATE)"
    return f"{method} (no privacy)" if method in ("quantreg", "pistner") else method


def _plants() -> str:
    measures = {
        "gross_mape": "gross, % off",
        "unchanged": "unchanged, points off",
        "size_class_max": "size class, points off",
        "jc_mae": "job creation",
        "net_mae": "net creation",
        "pmse": "pMSE",
        "km": "KM, active only",
    }
    lines = [
        [epsilon, method, *(number(m, summary[m]["mean"]) for m in measures)]
        for epsilon, methods in _read("lbd-plants", "results.json").items()
        for method, summary in methods.items()
    ]
    return _markdown(["epsilon", "method", *measures.values()], lines)


TABLES: dict[str, Callable[[], str]] = {
    "simulation": _simulation,
    "ablation": _ablation,
    "published": _published,
    "lbd": _lbd,
    "lbd-plants": _plants,
}
"""By the name that documents use."""


def _read(folder: str, name: str) -> Any:
    return json.loads((_RESULTS / folder / name).read_text(encoding="utf-8"))


def _means(folder: str) -> dict[str, dict[str, float | None]]:
    return {method: _only_means(summary) for method, summary in _read(folder, "results.json").items()}


def _only_means(summary: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    return {measure: value["mean"] for measure, value in summary.items()}


def _markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [list(heads), ["---"] * len(heads), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
