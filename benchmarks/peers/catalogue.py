"""Who is compared: a name, the adapter behind it, the environment it runs in, and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["ours", "peer", "simple", "published", "reference"]

REPLACE = "pure, replace-one"
ADD = "pure, add/remove"
APPROXIMATE = "(epsilon, 1e-6), add/remove"
NONE = "not private"
_HERE = "benchmarks.peers"


@dataclass(frozen=True)
class Entry:
    """One row of the comparison.

    Attributes
    ----------
    adapter : str
        The module that runs it, by its full name.
    environment : str
        "own" for the environment of this project, else a list in `requirements/`.
    promise : str
        Definition and neighbours; add/remove is about half as strong as replace-one at the same number.
    dependence : bool
        Whether it models how columns depend on each other.
    """

    name: str
    kind: Kind
    adapter: str
    environment: str
    promise: str
    options: Mapping[str, Any] = field(default_factory=dict)
    dependence: bool = True

    @property
    def private(self) -> bool:
        """Whether its authors promise differential privacy."""
        return self.promise != NONE


def _ours(name: str, **options: str) -> Entry:
    return Entry(f"quantail {name}", "ours", f"{_HERE}.ours", "own", REPLACE, options)


def _published(method: str) -> Entry:
    return Entry(f"published {method}", "published", f"{_HERE}.published", "own", NONE, {"method": method})


def _reference(name: str, method: str) -> Entry:
    return Entry(name, "reference", f"{_HERE}.references", "own", NONE, {"method": method})


ENTRIES = (
    _reference("fresh draw of the truth", "fresh"),
    _reference("quantile regression", "quantreg"),
    Entry("SDV Gaussian copula", "reference", f"{_HERE}.sdv_copula", "torch", NONE),
    _ours("tables"),
    _ours("kng", method="kng"),
    *(_ours(f"{o} {s}", method=o, slopes=s) for o in ("stepwise", "sandwich") for s in ("fixed", "varying")),
    *(
        _published(method)
        for method in ("kng", "stepwise-fixed", "stepwise-varying", "sandwich-fixed", "sandwich-varying")
    ),
    Entry("simple histograms + copula", "simple", f"{_HERE}.simple_copula", "own", REPLACE),
    Entry("simple joint log histogram (diffprivlib)", "simple", f"{_HERE}.simple_histogram", "light", ADD),
    Entry("OpenDP quantiles", "simple", f"{_HERE}.opendp_quantiles", "opendp", ADD, dependence=False),
    Entry(
        "DataSynthesizer correlated",
        "peer",
        f"{_HERE}.datasynthesizer",
        "light",
        "pure, its bins leak the extremes",
    ),
    *(
        Entry(
            f"smartnoise {method.upper()}, {bins} bins",
            "peer",
            f"{_HERE}.smartnoise",
            "torch",
            APPROXIMATE,
            options,
        )
        for method in ("aim", "mst")
        for bins in ("inferred", "log")
        for options in ({"method": method, "bins": bins},)
    ),
    *(
        Entry(f"dpmm {label}", "peer", f"{_HERE}.dpmm_models", "dpmm", APPROXIMATE, {"method": method})
        for method, label in (("aim", "AIM"), ("mst", "MST"), ("privbayes", "PrivBayes"))
    ),
    *(
        Entry(f"OpenDP {method.upper()}", "peer", f"{_HERE}.opendp_tables", "opendp", ADD, {"method": method})
        for method in ("aim", "mst")
    ),
)
CATALOGUE = {entry.name: entry for entry in ENTRIES}
