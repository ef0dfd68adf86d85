"""A synthesizer that repeats what made a released model: same schema, budget, method and options, simulated noise."""

from __future__ import annotations

from quantail.errors import ModelError, OptionError
from quantail.table import TableModel, TableSynthesizer
from quantail.table_or_panel import AnyModel, AnySynthesizer, synthesizer_for


def synthesizer_of(model: AnyModel, seed: int) -> AnySynthesizer:
    """Return a synthesizer with the settings of a released model and simulated noise."""
    options = model.options if isinstance(model, TableModel) else {}
    return synthesizer_for(
        model.schema,
        model.epsilon,
        method=model.method,
        definition=model.definition,
        delta=model.delta,
        noise="simulated",
        seed=seed,
        **options,
    )


def check_repeatable(model: object) -> AnyModel:
    """Return the model, or raise an error that says why its mechanism cannot be run again."""
    from quantail.panel import AppendedPanel, PanelModel

    if isinstance(model, AppendedPanel):
        raise OptionError(
            "a panel with periods appended is one synthetic panel, no model that could be run again: infer from the "
            "model and the panel that the first period was appended to, or take what this panel says as it is"
        )
    if not isinstance(model, TableModel | PanelModel):
        raise OptionError(
            "inference needs a model, as `fit` returns it or quantail.load_model reads it, and what was drawn from it"
        )
    if isinstance(model, PanelModel):
        if model.method != "pooled":
            raise OptionError(
                f"models of panels by method {model.method!r} do not hold the options to be rerun with; fit by the "
                "method 'pooled', or take what the synthetic panel says without an interval"
            )
        return model
    sizes = {group.codes: group.rows for group in model.groups}
    again = synthesizer_of(model, 0)
    if model.method != "tables" and isinstance(again, TableSynthesizer) and again.plan(sizes) != model.plan:
        raise ModelError(
            f"the model was fitted by method {model.method!r} with options that its file does not hold; "
            "fit with this version, whose models keep their options"
        )
    return model
