"""The paper's levels, and how often each is drawn."""

import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.orders.levels import PAPER_TAUS, level_weights


def test_papers_levels_and_weights() -> None:
    assert len(PAPER_TAUS) == 49
    assert PAPER_TAUS[:3] == (0.01, 0.03, 0.05)
    assert PAPER_TAUS[23:26] == (0.47, 0.5, 0.53)
    assert PAPER_TAUS[-1] == 0.99
    weights = level_weights(PAPER_TAUS)
    np.testing.assert_allclose(weights, [0.01, *[0.02] * 23, 0.03, 0.03, *[0.02] * 22, 0.03])
    middle = level_weights(PAPER_TAUS, "midpoint")
    np.testing.assert_allclose(middle[[0, 1, 23, 24, 25, 48]], [0.02, 0.02, 0.025, 0.03, 0.025, 0.02])
    assert weights.sum() == pytest.approx(1) and middle.sum() == pytest.approx(1)
    assert level_weights([0.5]).tolist() == [1.0]
    with pytest.raises(OptionError, match="midpoint"):
        level_weights([0.5], "other")  # type: ignore[arg-type]
