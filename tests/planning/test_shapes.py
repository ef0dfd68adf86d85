import numpy as np
import pytest
from scipy.stats import norm

from quantail.errors import OptionError
from quantail.planning import SHAPES, read_shape


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_has_median_one_and_rises(name):
    values = read_shape(name).values(np.array([-8.0, -1.0, 0.0, 1.0, 8.0]))
    assert values[2] == pytest.approx(1.0)
    assert np.isfinite(values).all() and (np.diff(values) > 0).all() and values[0] >= 0


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("lognormal:2", np.exp(2 * norm.ppf(0.99))),
        ("pareto:1.5", 50 ** (1 / 1.5)),
        ("exponential", np.log2(100)),
    ],
)
def test_the_99_percent_quantile_over_the_median_is_known(text, ratio):
    assert read_shape(text).values(norm.ppf([0.99]))[0] == pytest.approx(ratio)


@pytest.mark.parametrize(
    "text", ["normal", "pareto:", "pareto:x", "pareto:0", "exponential:2", "lognormal:nan", ""]
)
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(OptionError, match="shape"):
        read_shape(text)
