"""Answers from a script, and everything that is released with them, as bytes.

The answers depend on how many questions were asked before and on the number of public candidates, and on nothing of the
table. So any two tables with the same public facts must be released as the same bytes: not neighbours only, any two.
"""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from quantail.auditing.noise import stretches
from quantail.panel import PanelSynthesizer
from quantail.privacy import Source
from quantail.privacy.noise import drawn_subset
from quantail.release import synthesizer
from quantail.report import release_card
from quantail.schema import Schema
from quantail.table import TableSynthesizer


class Scripted:
    """Noise that answers without looking."""

    private = True

    def __init__(self, seed: int = 5) -> None:
        self._script = np.random.default_rng(seed)

    def noisy_max(self, scores: Any, scale: float, definition: str) -> int:
        """Choose a candidate by the script."""
        return int(self._script.integers(scores.size))

    def geometric(self, counts: Any, scale: float) -> Any:
        """Count by the script."""
        return self._script.integers(0, 40, counts.size)

    def pick(self, logs: Any) -> int:
        """Take a step of a path by the script."""
        return int(self._script.integers(logs.size))

    def random(self, size: int) -> Any:
        """Return the same numbers for the same positions."""
        return np.random.default_rng(7).random(size)

    def stream(self, rows: int) -> Any:
        """Return the numbers of `random`, by position."""
        return stretches(self.random(rows))

    def generator(self) -> np.random.Generator:
        """Return the generator of simulated rows."""
        return np.random.default_rng(11)

    def subset(self, rows: int, size: int) -> Any:
        """Return a part of fixed size."""
        return drawn_subset(self.generator(), rows, size)


@contextmanager
def answering() -> Iterator[None]:
    """Let every synthesizer that is made be answered from the script, each fit and group from its beginning."""
    source = Source(lambda group: Scripted(), private=True)
    with patch.object(synthesizer, "source_of", lambda *_: source):
        yield


def frame_bytes(frame: Any) -> bytes:
    """Return a frame as bytes: its types in the words of its library, and its values as Arrow writes them."""
    if isinstance(frame, pd.DataFrame):
        spoken = f"{frame.dtypes.to_dict()} {frame.index!r}"
        arrow = pa.Table.from_pandas(frame, preserve_index=False)
    elif isinstance(frame, pl.DataFrame):
        spoken, arrow = str(frame.schema), frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    else:
        spoken, arrow = str(frame.schema), frame
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, arrow.schema) as file:
        file.write_table(arrow)
    return spoken.encode() + sink.getvalue()


def released(frame: Any, schema: Schema, given: Any = None, epsilon: float = 60) -> dict[str, bytes]:
    """Fit, save, draw, and return all that is released as bytes; `given` holds public columns of a table."""
    with answering():
        maker = PanelSynthesizer if schema.panel is not None else TableSynthesizer
        model = maker(schema, epsilon).fit(frame)
    drawn = model.sample(seed=3) if given is None else model.sample(seed=3, given=given)
    card = {} if schema.panel is not None else release_card(model, rows=len(drawn))
    card.pop("date", None)
    return {
        "model": json.dumps(model.to_dict(), indent=1).encode(),
        "card": json.dumps(card).encode(),
        "table": frame_bytes(drawn),
    }
