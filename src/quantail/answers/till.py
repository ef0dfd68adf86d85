"""What all single questions share: where noise comes from, who pays, and the order of charge, question and receipt."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar

from quantail.errors import OptionError
from quantail.privacy import Entry, Gate, Ledger, Plan, Source, Terms, check_seed, source_of
from quantail.release.facts import Facts
from quantail.release.paying import Payer, neighbours_of, paying_ledger
from quantail.schema import Schema

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Till:
    """A source of noise and the ledger that pays, if one does."""

    source: Source
    account: Ledger | None

    @classmethod
    def open(cls, payer: Payer, noise: Literal["secure", "simulated"], seed: int | None) -> "Till":
        """Check how noise is made, and find the ledger; a missing one is warned of where the question was asked."""
        check_seed(seed)
        if noise not in ("secure", "simulated") or (noise == "secure" and seed is not None):
            raise OptionError(
                "noise must be 'secure', which has no seed, or 'simulated', which is for experiments"
            )
        source = source_of(noise, seed)
        return cls(source, paying_ledger(payer, source.private, stacklevel=3))

    def ask(
        self,
        about: Schema,
        plan: Plan,
        rows: int,
        method: str,
        options: Mapping[str, Any],
        draw: Callable[[Gate], Drawn],
    ) -> tuple[Drawn, Facts, Entry | None]:
        """Charge, ask, and see that the charge is still there; return the answer, its public facts and the receipt.

        A protected number of rows is stated nowhere; whoever releases one adds it to the facts.
        """
        budget: Fraction = plan.cost
        public = rows if about.neighbours == "replace-one" else None
        terms = Terms(about.to_toml(), public, str(budget), "", "pure", method, dict(options))
        entry = None
        if self.account is not None:
            told = f"{plan.name} of {about.name}"
            kind = neighbours_of(about)
            entry = self.account.charge(
                budget, told, terms.hash(), dataset=about.name, unit="epsilon", neighbours=kind
            )
        found = draw(self.source.gate(plan, self.source.noise(()), "replace-one"))
        if self.account is not None:
            self.account.confirm()
        return found, Facts(about, plan, terms, budget, None, self.source.private, public or 0), entry
