"""What every synthesizer does: check its options, agree on terms, pay, release, and find the charge again.

    read      the confidential table or panel, checked against its schema
    terms     everything public that decides the release; their hash stands on all that is released
    prepare   what will be asked; whatever is wrong with it shows here
    charge    the ledger, with the cost of all fits
    release   questions through the gate, and a model of the answers
    confirm   that the charge is still in the ledger; otherwise there is no model

A kind of synthesizer says how to read, prepare and release.
"""

from abc import ABC, abstractmethod
from copy import copy
from fractions import Fraction
from typing import Any, Generic, Literal, Self, TypeVar, cast

import numpy as np

from quantail.errors import OptionError
from quantail.privacy import (
    Definition,
    Ledger,
    Source,
    Terms,
    as_decimal,
    check_seed,
    parse_amount,
    parse_epsilon,
    rho_from,
    source_of,
    stated_options,
)
from quantail.privacy.budget import Unit
from quantail.release.confidential import Confidential
from quantail.release.memory import keep_freed_memory
from quantail.release.model import ReleasedModel, check_size
from quantail.release.parameters import Parameters
from quantail.release.paying import Payer, neighbours_of, paying_ledger
from quantail.release.progress import Progress, part_progress
from quantail.release.threads import one_thread
from quantail.release.watching import Watch, watched
from quantail.schema import Panel, Schema

Amount = int | float | str | Fraction
_Data = TypeVar("_Data", bound=Confidential)
_Design = TypeVar("_Design")
_Model = TypeVar("_Model", bound=ReleasedModel)


def described_panel(schema: Schema) -> Panel | None:
    """Return the panel that a schema describes, if it does; refuse what is no schema."""
    if not isinstance(schema, Schema):
        raise OptionError('the schema must be a Schema; Schema.load("schema.toml") reads one from a file')
    return schema.panel


class Synthesizer(Parameters, ABC, Generic[_Data, _Design, _Model]):
    """Makes differentially private models.

    Attributes
    ----------
    cost : Fraction
        What one fit costs, in `unit`.
    unit : {"epsilon", "rho"}
        What budgets are counted in.
    """

    _source: Source
    _settings: Any  # checked settings of the method

    def _set_up(
        self,
        schema: Schema,
        epsilon: Amount,
        method: str,
        noise: Literal["secure", "simulated"],
        seed: int | None,
        definition: Definition = "pure",
        delta: Amount | None = None,
    ) -> None:
        """Check the options that all synthesizers have."""
        if definition not in ("pure", "zcdp"):
            raise OptionError("definition must be 'pure' or 'zcdp'")
        if (definition == "zcdp") != (delta is not None):
            raise OptionError("delta goes with definition='zcdp' and only with it")
        if noise not in ("secure", "simulated"):
            raise OptionError("noise must be 'secure' or 'simulated'")
        if noise == "secure" and seed is not None:
            raise OptionError("secure noise cannot be seeded; use noise='simulated' for experiments")
        check_seed(seed)
        self.schema, self.epsilon, self.method = schema, parse_epsilon(epsilon), method
        self.definition, self.noise, self.seed = definition, noise, seed
        self._source = source_of(noise, seed)
        self.delta = None if delta is None else parse_amount(delta, "delta")
        self.cost = self.epsilon if self.delta is None else rho_from(self.epsilon, self.delta)
        self.unit: Unit = "epsilon" if self.delta is None else "rho"

    def _drawing_from(self, source: Source, settings: Any = None) -> Self:
        """Return the same synthesizer with another source of noise, and other settings if there are any.

        For the audit, which hands in noise of its own, and rules short enough to enumerate. What is released is called
        private only if the source says so.
        """
        other = copy(self)
        other._source = source
        other._settings = self._settings if settings is None else settings
        return other

    def __repr__(self) -> str:
        """Say in a line what it is made with."""
        noise = "" if self.noise == "secure" else ", NOT PRIVATE"
        price = f"epsilon {as_decimal(self.epsilon)}{noise}"
        return f"<{type(self).__name__}: {price}, method {self.method}, {self.schema!r}>"

    def terms(self, size: int, fits: int = 1) -> Terms:
        """Return the terms of so many fits, touching no data; their hash stands on everything released.

        Parameters
        ----------
        size : int
            Rows of the whole table, left out of the terms under add/remove, which protects them; or units of the
            whole panel, in all of its groups and tables.
        fits : int
            How many fits are paid for together.
        """
        return Terms(
            self.schema.to_toml(),
            size if self.schema.neighbours == "replace-one" else None,
            str(self.epsilon),
            "" if self.delta is None else str(self.delta),
            self.definition,
            self.method,
            stated_options(self._settings),
            fits,
        )

    def fit(self, frame: Any, ledger: Payer = None, progress: Watch = None) -> _Model:
        """Release a model of a confidential table or panel.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table, path or URL
            One row per unit, or a panel in the layout that its schema says; or the file that holds it, or what `read`
            returned for it. A table may also be a source (`quantail.io.open_source`) larger than memory: it is read
            again for every question, and gives the same model.
        ledger : Ledger or path, optional
            Charged with the whole budget before any value takes part in a question. Without one a
            `NoLedgerWarning` says that nobody keeps count; False says that you do.
        progress : callable or False, optional
            Called with the column's name and the share of work done. By default a bar is shown where a person
            watches, in a terminal or a notebook; False shows none.

        Returns
        -------
        TableModel or PanelModel
            Also kept as `model_`, where tools such as scikit-learn's look for what was fitted.

        Raises
        ------
        LostChargeError
            When the charge is no longer in the ledger at the end; there is no model then.
        """
        self.model_ = self._fits(frame, 1, ledger, progress)[0]
        return self.model_

    def fit_many(self, frame: Any, fits: int, ledger: Payer = None, progress: Watch = None) -> list[_Model]:
        """Release several models, each with noise of its own. Costs `fits` times epsilon.

        Several tables from one model are free: `fit` once, then `model.sample(replicates=m)`. Fits of their own are
        for combining rules that need them (`quantail.inference.combine`), and each is paid for in full.

        Parameters
        ----------
        frame, ledger, progress
            As in `fit`; the ledger is charged once, with the cost of all fits, before any value takes part.
        fits : int
            How many models.
        """
        return self._fits(frame, check_size(fits, "fits"), ledger, progress)

    def _fits(self, frame: Any, fits: int, payer: Payer, watch: Watch) -> list[_Model]:
        ledger = paying_ledger(payer, self._source.private, stacklevel=3)
        data = self.read(frame)
        terms, design = self.terms(data.size, fits), self._prepare(data)
        self._charge(terms, ledger)
        keep_freed_memory()
        models = []
        with watched(watch, "fit") as progress, one_thread():
            for number in range(fits):
                prefix = f"fit {number + 1} of {fits}, " if fits > 1 else ""
                told = part_progress(progress, number, fits, prefix)
                models.append(self._with_noise_of_its_own(number)._release(data, design, terms, told))
        if ledger is not None:
            ledger.confirm()
        return models

    def read(self, frame: Any) -> _Data:
        """Check a table or panel against the schema and bring it behind the border; costs nothing.

        What was read already is returned as it is.

        Raises
        ------
        DataError
            That names every way in which it does not fit.
        """
        if not isinstance(frame, Confidential):
            return self._admit(frame)
        if frame.schema != self.schema:
            raise OptionError("this table was read by another schema; give the table itself")
        return cast(_Data, frame)

    @abstractmethod
    def _admit(self, frame: Any) -> _Data:
        """Bring a table or panel behind the border, or raise what is wrong with it."""

    @abstractmethod
    def _prepare(self, data: _Data) -> _Design:
        """Draw up what will be asked, as far as that is public, or raise what is wrong with it."""

    @abstractmethod
    def _release(self, data: _Data, design: _Design, terms: Terms, progress: Progress | None) -> _Model:
        """Release the model of a table or panel that is paid for."""

    def _charge(self, terms: Terms, ledger: Ledger | None) -> None:
        """Charge a ledger, if there is one, with all fits at once."""
        if ledger is None:
            return
        name, fits = f"{self.schema.name} ({self.method})", terms.fits
        purpose = f"fit {name}" if fits == 1 else f"{fits} fits of {name}, {fits} times the cost of one"
        ledger.charge(
            fits * self.cost,
            purpose,
            terms.hash(),
            dataset=self.schema.name,
            unit=self.unit,
            neighbours=neighbours_of(self.schema),
        )

    def _with_noise_of_its_own(self, number: int) -> Self:
        """Return the same synthesizer; simulated noise gets another seed, secure noise is never the same anyway."""
        if self.noise == "secure" or number == 0:
            return self
        seed = int(np.random.SeedSequence([self.seed or 0, number]).generate_state(1)[0])
        return type(self)(**{**self.get_params(), "seed": seed})
