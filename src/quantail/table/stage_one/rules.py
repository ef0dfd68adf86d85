"""Public rules of stage one that a fit follows; the audit has shorter lists and fewer simulated rows."""

from dataclasses import dataclass, field

from quantail.curves.slopes import SLOPE_RULES, SlopeRules
from quantail.privacy import FIXED


@dataclass(frozen=True)
class StageOneRules:
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


STAGE_ONE_RULES = StageOneRules()


@dataclass(frozen=True)
class TablesSettings:
    """The method has no options; its rules are those of this version, unless the audit has others."""

    rules: StageOneRules = field(default=STAGE_ONE_RULES, metadata=FIXED)
