"""What an audit says: one finding per check, and all of them together."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from quantail._version import __version__

Part = Literal["exact", "statistical", "laws", "controls"]
PARTS: tuple[Part, ...] = get_args(Part)

NOTHING_CONFIDENTIAL = "All tables are made up: nothing confidential is read and nothing is charged."
MEANING: dict[Part, str] = {
    "exact": "worst log-ratio over all tables of a small lattice and all neighbours; at most the claimed epsilon",
    "statistical": "lower confidence bound on epsilon from runs with secure noise; at most the claimed epsilon",
    "laws": "p-value of the gate's draws against the analytic law; at least 1e-6, and less for laws 20% off",
    "controls": "the same figures for mechanisms with one flaw; beyond the claimed epsilon, or the flaw was missed",
}


@dataclass(frozen=True)
class Finding:
    """One check."""

    part: Part
    name: str
    relation: str
    # figure, limit: what was measured, and what it is compared with (see `MEANING`)
    figure: float
    limit: float
    checked: int  # how many pairs of neighbours, runs or draws the figure rests on
    unit: str  # what was counted
    passed: bool  # for a negative control: whether it was caught
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """Trade-off between the two errors of the best test found for a pair of neighbours."""

    name: str
    claimed: float
    false_positive: tuple[float, ...]
    false_negative: tuple[float, ...]
    flawed: bool = False


@dataclass(frozen=True)
class AuditResult:
    """All findings of one audit, and the curves of its statistical part."""

    findings: tuple[Finding, ...]
    curves: tuple[Curve, ...]
    confidence: float
    seconds: float
    version: str = __version__

    @property
    def passed(self) -> bool:
        """Whether every valid mechanism kept its claim and every flawed one was caught."""
        return all(finding.passed for finding in self.findings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that did not pass."""
        return tuple(finding for finding in self.findings if not finding.passed)

    @property
    def pairs(self) -> int:
        """How many pairs of neighbouring tables were compared exactly."""
        return sum(finding.checked for finding in self.findings if finding.unit == "pairs")

    def of(self, part: Part) -> tuple[Finding, ...]:
        """Return the findings of one part."""
        return tuple(finding for finding in self.findings if finding.part == part)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold; an infinite figure becomes the word."""
        return {
            "notice": NOTHING_CONFIDENTIAL,
            "version": self.version,
            "passed": self.passed,
            "neighbour_pairs": self.pairs,
            "joint_confidence": self.confidence,
            "seconds": round(self.seconds, 1),
            "findings": [_plain(asdict(finding)) for finding in self.findings],
            "curves": [asdict(curve) for curve in self.curves],
        }


def _plain(form: dict[str, Any]) -> dict[str, Any]:
    return {key: "infinite" if value == float("inf") else value for key, value in form.items()}
