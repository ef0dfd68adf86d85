"""Public rules of stage one that a fit follows; the audit has shorter lists and fewer simulated rows."""

from dataclasses import dataclass, field

from quantail.curves.slopes import SLOPE_RULES, SlopeRules
from quantail.privacy import FIXED


@dataclass(frozen=True)
class LadderRules:
    """The rules of a release.

    Attributes
    ----------
    simulated_rows : int
        Rows that are simulated from released columns wherever a fit looks at what they imply.
    slopes : SlopeRules
        Lists of candidates, and thresholds.
    """

    simulated_rows: int = 2**16
    slopes: SlopeRules = SLOPE_RULES


LADDER_RULES = LadderRules()


@dataclass(frozen=True)
class LadderSettings:
    """The method has no options; its rules are those of this version, unless the audit has others."""

    rules: LadderRules = field(default=LADDER_RULES, metadata=FIXED)
