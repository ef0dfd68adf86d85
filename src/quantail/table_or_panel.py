"""A table or a panel, whichever a schema or a saved model describes: commands and programs need not know beforehand.

The room of the other kind is not imported: it takes time, and is not needed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from quantail.errors import OptionError
from quantail.release.saved import read_model
from quantail.release.synthesizer import Amount, described_panel
from quantail.schema import Schema

if TYPE_CHECKING:
    from quantail.panel import AppendedPanel, PanelModel, PanelSynthesizer, PeriodSynthesizer
    from quantail.table import TableModel, TableSynthesizer

AnyModel: TypeAlias = "TableModel | PanelModel"
AnySynthesizer: TypeAlias = "TableSynthesizer | PanelSynthesizer"

AnyRelease: TypeAlias = "TableModel | PanelModel | AppendedPanel"
AnyReleasing: TypeAlias = "TableSynthesizer | PanelSynthesizer | PeriodSynthesizer"

_TABLES_ONLY = ("definition", "delta")


def load_model(path: str | Path) -> AnyRelease:
    """Read a model that `save` wrote, of a table or of a panel, or a panel with a period appended.

    Parameters
    ----------
    path : path
        The file that `quantail fit` or a model's `save` wrote.

    Returns
    -------
    TableModel, PanelModel or AppendedPanel
        Whichever the file holds.

    Raises
    ------
    ModelError
        If the file cannot be read or is not a model.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from quantail.examples import industry_example, industry_schema
    >>> model = synthesizer_for(industry_schema(), 1, noise="simulated", seed=1).fit(industry_example(200))
    >>> path = Path(mkdtemp()) / "model.json"
    >>> model.save(path)
    >>> type(load_model(path)).__name__
    'PanelModel'
    """

    def read(form: Mapping[str, Any]) -> AnyRelease:
        if form.get("kind") == "appended":
            from quantail.panel import AppendedPanel

            return AppendedPanel.from_dict(form)
        if form.get("kind") == "panel":
            from quantail.panel import PanelModel

            return PanelModel.from_dict(form)
        from quantail.table import TableModel

        return TableModel.from_dict(form)

    return read_model(path, read)


def synthesizer_for(schema: Schema, epsilon: Amount = 1, **options: Any) -> AnySynthesizer:
    """Make the synthesizer for what a schema describes: a panel if it has a [panel] section, else a table.

    Parameters
    ----------
    schema : Schema
        What is public about the table or panel.
    epsilon : int, float, str or Fraction
        The whole privacy budget of one fit.
    **options
        Options of `TableSynthesizer` or `PanelSynthesizer`; those that are None are left out.

    Raises
    ------
    OptionError
        If an option makes no sense for a panel.

    Examples
    --------
    >>> from quantail.examples import industry_schema, payroll_schema
    >>> [synthesizer_for(schema).method for schema in (payroll_schema(), industry_schema())]
    ['tables', 'pooled']
    """
    given = {name: value for name, value in options.items() if value is not None}
    if described_panel(schema) is None:
        from quantail.table import TableSynthesizer

        return TableSynthesizer(schema, epsilon, **given)
    if given.get("definition") == "pure":
        del given["definition"]
    for name in _TABLES_ONLY:
        if name in given:
            raise OptionError(
                f"{name} does not go with panels, which are released under pure epsilon-DP; leave it out"
            )
    from quantail.panel import PanelSynthesizer

    return PanelSynthesizer(schema, epsilon, **given)
