"""A scorer for scikit-learn's model selection: how close new synthetic rows come to rows that were kept out.

Scores read real rows without noise, and every fold is a fit that spends the whole budget. Use them with simulated
noise on public or made-up tables, to choose a method before the confidential table is touched.
"""

from collections.abc import Callable
from statistics import fmean
from typing import Any

from quantail.errors import DataError, OptionError
from quantail.io.native import open_frame

Scorer = Callable[..., float]


def fidelity_scorer(measure: str = "k_marginal", seed: int | None = 0) -> Scorer:
    """Make a scorer `(synthesizer, rows, ignored) -> float` of which higher is better, 0 being the best.

    Parameters
    ----------
    measure : str
        Name of a measure of `quantail.evaluate`; the score is the distance from its best value, negative, and the
        mean over columns where a measure speaks of single ones.
    seed : int, optional
        For drawing the synthetic rows.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from quantail.examples import paper_schema, paper_split
    >>> from quantail.table import TableSynthesizer
    >>> import pandas as pd
    >>> synthesizer = TableSynthesizer(paper_schema(), 1, noise="simulated", seed=1)
    >>> rows = pd.DataFrame(paper_split(1)[0])
    >>> bool(cross_val_score(synthesizer, rows, scoring=fidelity_scorer(), cv=2).max() <= 0)
    True
    """
    from quantail.evaluation import MEASURES, evaluate  # here, because a release needs no measures

    if measure not in MEASURES:
        raise OptionError(f"there is no measure {measure!r}; choose among {', '.join(MEASURES)}")

    def score(synthesizer: Any, rows: Any, ignored: Any = None) -> float:
        model = getattr(synthesizer, "model_", None)
        if model is None:
            raise OptionError("the synthesizer has no model yet; fit it before it is scored")
        drawn = model.sample(open_frame(rows).shape[0], seed=seed)
        result = evaluate(rows, drawn, schema=synthesizer.schema, measures=[measure])
        distances = [row.badness for row in result if row.name == measure]
        if not distances:
            raise DataError(f"measure {measure!r} has no value on this table; choose another one")
        return -fmean(distances)

    return score
