"""The fit in two stages, question by question through the gate.

Stage one releases every column by itself, with slopes on numbers (`stage_one/fitting.py`). Stage two counts rows in the
cells of all candidate tables in one pass; then, round by round, it asks which table the model misses most, and counts
that one. Laws are fitted to what was released: free of charge.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Rows, StepCurve, Vector
from quantail.curves.balanced import balanced_uniform
from quantail.curves.grid import dividing
from quantail.privacy import Gate, Plan, Selection, cells_touched
from quantail.schema import Schema
from quantail.table.base_law import BaseLaw
from quantail.table.candidates import Scores, count_sets, field_sets
from quantail.table.cells import FieldCells, label_cells, number_cells
from quantail.table.chain import Chain, Released
from quantail.table.columns import Field, LabelColumn, NumberColumn, TableColumn, fields_of
from quantail.table.design import TablesDesign
from quantail.table.estimate import Margin
from quantail.table.forward import (
    DrawnRows,
    FieldSampler,
    draw_fields,
    explaining_names,
    scales_of,
    sum_of_slopes,
)
from quantail.table.heaps import draw_heaps, figures_of, heap_shares
from quantail.table.law import FieldLaw
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.fitting import run_design
from quantail.table.tops import Drawing, set_tops
from quantail.table.tuning import (
    CURVE_NOISE,
    FINAL_STEPS,
    LATER_STEPS,
    NOISE_PENALTY,
    POOL_ROWS,
    ROUND_STEPS,
)
from quantail.table.value_counts import release_figures, release_values
from quantail.table.zeros import Zeros, hidden_names, zeros_of

Floats = NDArray[np.float64]

_BINS = 64  # even bins of eta, and ever smaller ones in its tails
_OUTERMOST = 2**11


def fit_tables(
    gate: Gate, design: TablesDesign, confidential: Rows, progress: Callable[[str], None]
) -> tuple[TableColumn, ...]:
    """Release the columns of a design with the laws that join them."""
    fit = run_design(gate, design.columns, confidential, progress)
    chain = _stage_one(fit, design)
    if design.rounds:
        _run_rounds(fit, design, chain)
    draw = partial(_draw, schema=design.schema)
    columns = set_tops(fit, design.tails, _columns(fit, chain), draw, chain.told_shares())
    columns = _with_values(fit, design, columns, draw)
    return _with_heaps(fit, design, columns, draw)


def _with_values(
    fit: Fit, design: TablesDesign, columns: tuple[TableColumn, ...], draw: Drawing
) -> tuple[TableColumn, ...]:
    """Release how many rows hold each value of numbers of few, and return the columns with what follows for them."""
    values = {name: leaf for name, leaf in design.values.leaves.items() if name not in design.heaps.leaves}

    def counted(column: NumberColumn, leaf: Plan, drawn: Floats) -> NumberColumn:
        return replace(column, cuts=release_values(fit, leaf, column, drawn, _edges(column)))

    return _asked_again(fit, values, columns, draw, counted)


def _with_heaps(
    fit: Fit, design: TablesDesign, columns: tuple[TableColumn, ...], draw: Drawing
) -> tuple[TableColumn, ...]:
    """Release how many rows hold round figures, and return the columns with what follows for their numbers."""
    asked = {each.column.name: each.column for each in design.columns.columns}

    def heaped(column: NumberColumn, leaf: Plan, drawn: Floats) -> NumberColumn:
        own, step = asked[column.name].heaps, column.scale.step
        noisy, noise = draw_heaps(fit.gate, leaf, fit.confidential.column(column.name), own, step)
        values, present = column.scale.unfolded(drawn), fit.present(column.status)
        heaps = heap_shares(noisy, noise, values, present, own, step)
        each = design.values.leaves.get(column.name)
        if each is None:
            return replace(column, heaps=heaps)
        figures = figures_of(asked[column.name])
        found = release_figures(fit, each, column, heaps, figures, drawn, _edges(column))
        return replace(column, heaps=heaps, figures=found)

    return _asked_again(fit, design.heaps.leaves, columns, draw, heaped)


def _edges(column: NumberColumn) -> Floats:
    """Return the inner edges of a number's cells."""
    assert column.law is not None
    return np.asarray(column.law.cells.edges)


def _asked_again(
    fit: Fit,
    asked: Mapping[str, Plan],
    columns: tuple[TableColumn, ...],
    draw: Drawing,
    release: Callable[[NumberColumn, Plan, Floats], NumberColumn],
) -> tuple[TableColumn, ...]:
    """Return the columns, those that are asked once more as `release` makes them from their leaf and drawn numbers."""
    if not asked:
        return columns
    given = {name: values[:POOL_ROWS] for name, values in fit.public.items()}
    drawn = draw(columns, POOL_ROWS, fit.gate.noise.generator(), True, given)
    return tuple(
        release(column, asked[column.name], _present(drawn[column.name]))
        if isinstance(column, NumberColumn) and column.name in asked
        else column
        for column in columns
    )


def _draw(
    columns: Sequence[TableColumn],
    n: int,
    rng: np.random.Generator,
    balanced: bool,
    given: Mapping[str, NDArray[Any]] | None,
    schema: Schema,
) -> dict[str, NDArray[Any]]:
    return draw_fields(columns, n, rng, balanced, given, schema).values


def _stage_one(fit: Fit, design: TablesDesign) -> Chain:
    """Return the chain of laws that stage one implies, with the cells of every field."""
    models = tuple(fit.models.values())
    fields = list(fields_of(models))
    explaining, hidden, scales = explaining_names(models), hidden_names(design.schema), scales_of(models)
    pool = min(POOL_ROWS, fit.rules.simulated_rows)
    uniform = balanced_uniform(len(fields), pool, fit.rng)
    given = {name: values[:pool] for name, values in fit.public.items()}
    rows, known, samplers = DrawnRows(pool), dict[str, FieldCells](), list[FieldSampler]()
    for own, u in zip(fields, uniform, strict=True):
        zeros = zeros_of(own.name, design.schema, scales)
        law = _first_law(fit, own, rows, u, given, zeros)
        sampler = FieldSampler.of(own, law, dict(known), own.name in explaining, zeros, own.name in hidden)
        if own.name in given:
            sampler.accept(rows, given)
        else:
            sampler.draw(rows, u)
        known[own.name] = law.cells
        samplers.append(sampler)
    margins = [
        None if own.name in given else _margin(fit, design, own, rows, known[own.name]) for own in fields
    ]
    return Chain(samplers, margins, design.rows, uniform, given)


def _first_law(
    fit: Fit,
    own: Field,
    rows: DrawnRows,
    u: Floats,
    given: dict[str, NDArray[Any]],
    zeros: Zeros | None,
) -> FieldLaw:
    """Return the law of a field before any table is known; zeros are made up for."""
    law = _own_law(fit, own, rows, u, given)
    if zeros is None:
        return law
    shares = np.exp(FieldSampler.of(own, law, {}, False).shifted_logs(np.asarray(law.centres)))
    average = np.asarray(law.implied) if law.implied else shares[0]
    return replace(law, zeros=tuple(zeros.factors(average, law.cells, rows.whole).tolist()))


def _own_law(fit: Fit, own: Field, rows: DrawnRows, u: Floats, given: dict[str, NDArray[Any]]) -> FieldLaw:
    """Return the law of a field by itself: its cells, and how slopes shift its base law."""
    column = own.column
    if not isinstance(column, NumericModel):
        shares = np.asarray(column.shares)
        return _law(label_cells(shares, fit.ordered.get(own.name, 0)))
    statuses = 0 if own.status is None else len(own.status.shares) - 1
    if own.name in given:
        values = given[own.name]
        return _law(number_cells(_present(values), column.scale, statuses))
    reach = tuple(_reach(fit, slope.on) for slope in column.slopes)
    eta = sum_of_slopes(column, reach, rows)
    base = BaseLaw.of(column.curve)
    values = np.clip(base.quantile(u, eta), *column.scale.ends)
    cells = number_cells(values, column.scale, statuses, base.share > 0)
    if eta is None:
        return _law(cells)
    cuts = dividing(np.quantile(eta, _eta_levels()), eta)
    # Two cuts in one gap between values have nothing between them.
    cuts = cuts[np.bincount(np.searchsorted(cuts, eta), minlength=cuts.size + 1)[:-1] > 0]
    bins = np.searchsorted(cuts, eta)
    centres = np.bincount(bins, weights=eta) / np.bincount(bins)
    even = (1 / cells.number,) * cells.number
    law = replace(
        _law(cells), cuts=tuple(cuts.tolist()), centres=tuple(centres.tolist()), reach=reach, implied=even
    )
    sampler = FieldSampler.of(own, law, {}, False)
    implied = np.bincount(bins) / bins.size @ np.exp(sampler.shifted_logs(centres))
    return replace(law, implied=tuple(implied.tolist()))


def _law(cells: FieldCells) -> FieldLaw:
    return FieldLaw(cells, (0.0,) * cells.number)


def _present(values: Floats) -> Floats:
    there = values[~np.isnan(values)]
    return there if there.size else np.zeros(1)


def _reach(fit: Fit, name: str) -> tuple[float, float]:
    """Return the range in which a predictor is expected to have rows."""
    beyond = 1 / (2 * fit.rows + 2)
    low, high = fit.predictor(name).explaining(np.array([beyond, 1 - beyond])).tolist()
    return min(low, high), max(low, high)


def _eta_levels() -> Floats:
    """Return the levels that cut eta: even ones, and doubling ones in the tails, where the law of cells changes."""
    outer = 1 / np.geomspace(2 * _BINS, _OUTERMOST, round(np.log2(_OUTERMOST / _BINS)))
    return np.unique(np.concatenate([outer, np.arange(1, _BINS) / _BINS, 1 - outer]))


def _margin(fit: Fit, design: TablesDesign, own: Field, rows: DrawnRows, cells: FieldCells) -> Margin:
    """Return what stage one said of a field by itself, with the noise it was said with."""
    asked = next(column for column in design.columns.columns if column.column.name == own.name)
    *_, leaf = asked.leaves("curve" if own.is_number else "count")
    found = np.bincount(rows.cells[own.name], minlength=cells.number) / rows.size
    both = cells.number == 2 and not own.is_number and fit.gate.relation == "replace-one"
    touched = 1 if both else cells_touched(fit.gate.relation)
    deviation = np.full(cells.number, fit.gate.histogram_noise(leaf, touched).deviation)
    curved = isinstance(own.column, NumericModel) and not isinstance(own.column.curve, StepCurve)
    return Margin(fit.rows * found, CURVE_NOISE * deviation if curved else deviation, curved)


def _run_rounds(fit: Fit, design: TablesDesign, chain: Chain) -> None:
    """Choose and count tables, one a round, and fit the laws to them."""
    kinds = [sampler.law.cells for sampler in chain.samplers]
    public = {place for place, margin in enumerate(chain.margins) if margin is None}
    sets = field_sets(kinds, design.explained, public)
    vectors = [_cell_vector(fit, sampler) for sampler in chain.samplers]
    touched = cells_touched(fit.gate.relation)
    noise = fit.gate.histogram_noise(design.rounds[0].children[1], touched).distance
    scores = Scores(sets, kinds, count_sets(vectors, kinds, sets), fit.rows, NOISE_PENALTY * noise)
    changed = set(range(len(kinds)))
    for leaves in design.rounds:
        scores.update(chain.cells, changed)
        changed = chain.absorb(_choose_and_count(fit, leaves, scores), ROUND_STEPS, LATER_STEPS)
    chain.sweep(FINAL_STEPS)


def _choose_and_count(fit: Fit, leaves: Plan, scores: Scores) -> Released:
    """Release which table the model misses most, and its counts."""
    choosing, counting = leaves.children
    touched = cells_touched(fit.gate.relation)
    (index,) = fit.gate.select(choosing, [Selection(scores.scores, touched)])
    chosen = scores.candidates[index]
    counts = scores.counts(index)
    noisy = fit.gate.histogram(counting, counts.ravel(), touched).reshape(counts.shape)
    deviation = fit.gate.histogram_noise(counting, touched).deviation
    return Released(chosen.places, chosen.levels, noisy.astype(np.float64), deviation)


def _cell_vector(fit: Fit, sampler: FieldSampler) -> Vector:
    """Return the cell of every confidential row in one field."""
    values, status = fit.values[sampler.field.name], sampler.field.status
    if not sampler.field.is_number:
        return values
    if status is None:
        return values.map(sampler.law.cells.of_number)
    return values.map(sampler.law.cells.of_number, fit.values[status.name])


def _columns(fit: Fit, chain: Chain) -> tuple[TableColumn, ...]:
    """Return the released columns, each with the law of its field; a status has none of its own."""
    laws = {sampler.field.name: sampler.law for sampler in chain.samplers}
    found: list[TableColumn] = []
    for name, model in fit.models.items():
        if isinstance(model, NumericModel):
            found.append(NumberColumn.of(model, laws[name]))
        else:
            found.append(LabelColumn.of(model, laws.get(name)))
    return tuple(found)
