"""Another sample of a panel's units: drawn with replacement from one, within public groups, under new numbers.

The released model of a fully synthetic panel holds one skeleton (who enters and leaves when), so panels drawn from it
differ in their values alone. The confidential panel was one sample of units; what another would have looked like is
shown by drawing units anew. A released panel does not say whose an establishment is: where firms are protected, each
is a firm of its own here.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from quantail.arrays import Integers
from quantail.frames.panel import panel_of
from quantail.schema import Schema


def resampled_units(frame: Any, schema: Schema, rng: np.random.Generator) -> pa.Table:
    """Draw as many units as a panel has from it, with replacement, as many from every group as there are in it.

    Examples
    --------
    >>> from quantail.examples import industry_example, industry_schema
    >>> again = resampled_units(industry_example(50), industry_schema(), np.random.default_rng(1))
    >>> again.num_rows, again["site"].to_pylist()[:3]
    (50, [1, 2, 3])
    """
    table, panel = nw.from_native(frame, eager_only=True).to_arrow(), panel_of(schema)
    name = panel.unit
    unit = table[name].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    order = np.argsort(unit, kind="stable")
    many = np.bincount(unit)
    start = np.concatenate([[0], np.cumsum(many)[:-1]])
    chosen = _chosen(_groups(table, schema, order[start]), rng)
    new = np.repeat(np.arange(1, chosen.size + 1), many[chosen])
    within = np.arange(new.size) - np.repeat(np.cumsum(many[chosen]) - many[chosen], many[chosen])
    rows = order[np.repeat(start[chosen], many[chosen]) + within]
    place = table.column_names.index(name)
    again = table.take(pa.array(rows)).set_column(place, name, pa.array(new))
    return again.append_column(panel.firm, pa.array(new)) if panel.firm else again


def _groups(table: pa.Table, schema: Schema, speaker: Integers) -> Integers:
    """Return the group of every unit, read from one of its rows."""
    group = np.zeros(speaker.size, dtype=np.int64)
    for name in schema.by:
        labels = table[name].take(pa.array(speaker)).combine_chunks().dictionary_encode()
        group = group * len(labels.dictionary) + labels.indices.to_numpy(zero_copy_only=False)
    return group


def _chosen(group: Integers, rng: np.random.Generator) -> Integers:
    parts = [np.flatnonzero(group == code) for code in np.unique(group)]
    return np.concatenate([rng.choice(part, part.size) for part in parts])
