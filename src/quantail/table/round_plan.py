"""How many rounds a budget is worth, and what choosing a table and counting its cells cost in each of them.

Choosing takes a small share of a round, unless its noise would decide: among many candidates the largest of their
noises grows with the logarithm of their number, and with few rows it drowns every relation. Public facts alone decide.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, log

from quantail.privacy import (
    Definition,
    Plan,
    Relation,
    cells_touched,
    histogram_noise,
    selection_epsilon,
    split,
    unit_of,
)
from quantail.table.tuning import (
    CHOICE_NOISE,
    COARSENINGS,
    MOST_PAIRS,
    MOST_TRIPLES,
    ROUNDS_PER_FIELD,
    SELECTION_SHARES,
)


@dataclass(frozen=True)
class RoundPlan:
    """Public facts that rounds are planned from: how many fields and rows there are, and what is promised."""

    fields: int
    rows: int
    definition: Definition
    relation: Relation

    def number(self, cost: Fraction, wanted: float, most_noise: float) -> int:
        """Return as many rounds as leave the noise of a count near what is wanted; 0 if one would have too much.

        Parameters
        ----------
        wanted, most_noise : float
            Noise of one count, as a share of the rows.
        """

        def noise(number: int) -> float:
            counting = cost / number * (1 - self.choosing_share(cost / number))
            return histogram_noise(counting, self._touched, self.definition).deviation / self.rows

        number = max(2, self.fields - 1) if self.fields > 1 else 1  # enough to join all fields
        twice = self.fields * (self.fields - 1)  # every pair, of which few fields have few
        most = min(ROUNDS_PER_FIELD * self.fields, max(ROUNDS_PER_FIELD, twice))
        while number < most and noise(number + 1) <= wanted:
            number += 1
        while number and noise(number) > most_noise:
            number -= 1
        return number

    def plans(self, number: int, cost: Fraction) -> tuple[Plan, ...]:
        """Return the leaves "choose" and "count" of every round."""
        unit, found = unit_of(self.definition), list[Plan]()
        for place, part in enumerate(split(cost, [1] * number), start=1):
            share = self.choosing_share(part)
            choosing, counting = split(part, [share, 1 - share])
            leaves = [
                Plan.leaf("choose", choosing, "which table the model misses most", unit),
                Plan.leaf("count", counting, "its cells", unit),
            ]
            found.append(Plan.sequence(f"round {place}", leaves))
        return tuple(found)

    def choosing_share(self, part: Fraction) -> Fraction:
        """Return the share of a round that choosing costs: the first whose noise is small enough, or the last."""
        sets = self.fields
        for size, most in ((2, MOST_PAIRS), (3, MOST_TRIPLES)):
            sets += comb(self.fields, size) if comb(self.fields, size) <= most else 0
        noise = 2 * self._touched * log(COARSENINGS * sets)
        for share in SELECTION_SHARES[:-1]:
            if noise <= CHOICE_NOISE * self.rows * selection_epsilon(part * share, self.definition):
                return share
        return SELECTION_SHARES[-1]

    @property
    def _touched(self) -> int:
        return cells_touched(self.relation)
