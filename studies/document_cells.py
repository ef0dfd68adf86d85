"""Single figures of documents: read from stored results, or computed from definitions, with the digits they deserve."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from quantail.errors import DataError
from studies.ablation.study import cost_of_published
from studies.catalogue import RESULTS, ROOT
from studies.paper_tables import PAPER_NAME, PAPER_TABLE
from studies.simulation.methods import DEFAULT

HEADS = {
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
    "q99": 2,
    "q99.9": 2,
    "cpu_seconds": 2,
    "wrt": 2,
    "km": 0,
    "km_inactive_bin": 0,
    "int_diff": 2,
    "slope_diff": 2,
    "nrmse_x2": 3,
    "nrmse_x3": 3,
}
_SIGNED = ("bias", "bias naive")
_SHARES = ("coverage", "coverage doubted", "coverage naive", "coverage non-private")


def _published_gap(what: str) -> str:
    """Return by how much our run of the published chains differs from the paper's tables at most."""
    measures = {"general utility": ("pmse_woi", "pmse_wi", "wrt", "km"), "km": ("km",)}.get(what)
    found = []
    for method, ours in read("published-epsilon-1", "results.json").items():
        paper = PAPER_TABLE[PAPER_NAME[method.removesuffix("-published")]]
        for name in measures or ("int_diff", "slope_diff"):
            mean, error = paper[name]["mean"] or 0.0, paper[name]["se"] or 0.0
            scale = mean if measures else float(np.hypot(ours[name]["se"], error))
            found.append(abs(ours[name]["mean"] - mean) / scale)
    return f"{100 * max(found):.0f}%" if measures else f"{max(found):.1f}"


_COMPUTED: dict[str, Callable[[str], str]] = {
    "cost": lambda method: f"{cost_of_published(method):.1f}",
    "excess": lambda tau: f"{1 / (2 * (1 - float(tau))):.0f}",
    "default": lambda _: DEFAULT,
    "published gap": _published_gap,
}
"""Figures that follow from definitions, as what a claimed 1 costs and the true sensitivity over the published one, or
that compare our run of the published chains with the paper."""


def figure(keys: str) -> str:
    """Return one figure of the results as documents show it.

    Examples
    --------
    >>> figure("computed/cost of stepwise-fixed")
    '2.2'
    """
    folder, *path = keys.split("/")
    if folder == "audit":
        return _audited(path[0])
    if folder == "computed":
        return _COMPUTED[path[0].split(" of ")[0]](path[0].split(" of ")[1])
    folder, _, file = folder.partition(":")
    value = read(folder, f"{file or 'results'}.json")
    for key in path:
        name = DEFAULT if key == "default" else key
        if name not in value:
            raise DataError(
                f"a document asks for {keys!r}; the results have no {name!r}, only: {', '.join(value)}"
            )
        value = value[name]
    found = value["mean"] if isinstance(value, Mapping) else value
    if folder.startswith("noise"):
        return f"{found:.2g}"
    if path[-1] in _SHARES:
        return f"{100 * found:.1f}%"
    if path[-1] == "bias error":
        return f"{found:.2f}"
    return f"{found:+.2f}" if path[-1] in _SIGNED else number(path[-1], found)


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


def _audited(control: str) -> str:
    """Return the worst log-ratio that the stored audit found for a flawed mechanism that claims 1."""
    findings = json.loads((ROOT / "docs" / "audit" / "audit.json").read_text(encoding="utf-8"))["findings"]
    found = next(finding["figure"] for finding in findings if finding["name"] == control)
    return found if isinstance(found, str) else f"{found:.2f}"


def read(folder: str, name: str) -> Any:
    """Return a JSON file of a folder of results."""
    return json.loads((RESULTS / folder / name).read_text(encoding="utf-8"))


def means_of(folder: str) -> dict[str, dict[str, float | None]]:
    """Return the means of all methods of a folder."""
    return {method: only_means(summary) for method, summary in read(folder, "results.json").items()}


def only_means(summary: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """Return a summary without its standard errors."""
    return {measure: value["mean"] for measure, value in summary.items()}


def markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rows = [list(heads), ["---"] * len(heads), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
