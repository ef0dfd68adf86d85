"""A synthesizer that repeats what made a released model: same schema, budget, method and options, simulated noise."""

from __future__ import annotations

from quantail.errors import ModelError, OptionError
from quantail.table import TableModel, TableSynthesizer


def synthesizer_of(model: TableModel, seed: int) -> TableSynthesizer:
    """Return a synthesizer with the settings of a released model and simulated noise."""
    return TableSynthesizer(
        model.schema,
        model.epsilon,
        method=model.method,
        definition=model.definition,
        delta=model.delta,
        noise="simulated",
        seed=seed,
        **model.options,
    )


def check_repeatable(model: object) -> TableModel:
    """Return the model, or raise an error that says why its mechanism cannot be run again."""
    if not isinstance(model, TableModel):
        raise OptionError(
            "inference needs the model of a table (TableModel), as `fit` returns it or quantail.load_model reads it; "
            "models of panels cannot be rerun yet, so estimates from a synthetic panel come without such intervals"
        )
    sizes = {group.codes: group.rows for group in model.groups}
    if model.method != "ladder" and synthesizer_of(model, 0).plan(sizes) != model.plan:
        raise ModelError(
            f"the model was fitted by method {model.method!r} with options that its file does not hold; "
            "fit with this version, whose models keep their options"
        )
    return model
