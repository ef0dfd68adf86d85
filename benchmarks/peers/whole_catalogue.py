"""Who is compared on whole tables: Quantail at three promises, and peers at those that they have."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import ADD, APPROXIMATE, NONE, REPLACE, Entry
from benchmarks.peers.results import DELTA, EPSILON
from quantail.privacy.zcdp import rho_from

OUT = Path(__file__).resolve().parents[1] / "results" / "peers" / "whole_tables.json"
RHO = float(rho_from(Fraction(EPSILON), Fraction(str(DELTA))))
_HERE = "benchmarks.peers"


def _peer(name: str, adapter: str, promise: str, **options: Any) -> Entry:
    return Entry(
        name,
        "peer",
        f"{_HERE}.{adapter}_cells",
        {"smartnoise": "torch"}.get(adapter, adapter),
        promise,
        options,
    )


OURS = (
    Entry("Quantail", "ours", "", "own", REPLACE),
    Entry("Quantail, add/remove", "ours", "", "own", ADD),
    Entry("Quantail, zCDP", "ours", "", "own", APPROXIMATE),
)
ENTRIES = (
    Entry("another sample", "reference", "", "own", NONE),
    Entry("cells of the real rows", "reference", "", "own", NONE),
    *OURS,
    _peer("OpenDP MST", "opendp", ADD, method="mst"),
    _peer("OpenDP AIM", "opendp", ADD, method="aim"),
    _peer("OpenDP MST, zCDP", "opendp", APPROXIMATE, method="mst", rho=RHO),
    _peer("OpenDP AIM, zCDP", "opendp", APPROXIMATE, method="aim", rho=RHO),
    _peer("dpmm MST", "dpmm", APPROXIMATE, method="mst"),
    _peer("dpmm AIM", "dpmm", APPROXIMATE, method="aim"),
    _peer("dpmm PrivBayes", "dpmm", APPROXIMATE, method="privbayes"),
    _peer("smartnoise MST", "smartnoise", APPROXIMATE, method="mst"),
    _peer("smartnoise AIM", "smartnoise", APPROXIMATE, method="aim"),
)
CATALOGUE = {entry.name: entry for entry in ENTRIES}
