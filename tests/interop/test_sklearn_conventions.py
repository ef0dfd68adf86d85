"""Synthesizers follow scikit-learn's conventions: its tools copy, vary, chain and score them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from quantail.errors import DataError, OptionError
from quantail.interop import fidelity_scorer
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

SCHEMA = Schema(
    (Column("jobs", "integer", 0, 500, grid="log"), Column("pay", "numeric", 0, 1e4)), unit="firm"
)


def maker(**options):
    return TableSynthesizer(SCHEMA, **{"epsilon": "1/4", "noise": "simulated", "seed": 3, **options})


def rows(count=120):
    rng = np.random.default_rng(1)
    jobs = rng.integers(1, 60, count)
    return pd.DataFrame({"jobs": jobs, "pay": jobs * rng.lognormal(2, 0.5, count)})


def test_parameters_are_what_was_given():
    taus = [0.25, 0.5, 0.75]
    made = maker(method="kng", taus=taus)
    given = made.get_params()
    assert given["epsilon"] == "1/4" and given["taus"] is taus and given["schema"] is SCHEMA
    assert set(given) == {
        "schema", "epsilon", "method", "definition", "delta", "noise", "seed", "slopes", "draw", "taus", "main",
        "shares",
    }  # fmt: skip
    assert maker().get_params() == type(made)(**maker().get_params()).get_params()


def test_setting_parameters_checks_them_and_forgets_the_fit():
    made = maker()
    made.fit(rows())
    assert made.set_params(epsilon=2, seed=9) is made
    assert made.get_params()["epsilon"] == 2 and made.plan(100).cost == 2
    assert not hasattr(made, "model_")
    with pytest.raises(OptionError, match="no parameter 'alpha'"):
        made.set_params(alpha=1)
    with pytest.raises(OptionError):
        made.set_params(noise="none")
    assert made.get_params()["noise"] == "simulated"


def test_clones_and_copies_are_equal_and_unfitted():
    made = maker()
    model = made.fit(rows())
    assert made.model_ is model
    copied = clone(made)
    assert copied is not made and not hasattr(copied, "model_")
    assert copied.get_params() == made.get_params()
    assert copied.fit(rows()).to_dict() == model.to_dict()
    assert pickle.loads(pickle.dumps(made)).model_.to_dict() == model.to_dict()


def test_model_selection_and_pipelines():
    search = GridSearchCV(
        maker(), {"epsilon": [0.01, 100]}, scoring=fidelity_scorer("k_marginal"), cv=2, refit=False
    )
    search.fit(rows(200))
    worse, better = search.cv_results_["mean_test_score"]
    assert worse < better <= 0
    chain = make_pipeline(FunctionTransformer(lambda frame: frame[frame["pay"] > 0]), maker())
    chain.fit(rows())
    assert len(chain[-1].model_.sample(5)) == 5
    scores = cross_val_score(maker(), rows(), scoring=fidelity_scorer("ks"), cv=2)
    assert np.isfinite(scores).all() and (scores <= 0).all()


def test_a_scorer_says_what_it_lacks():
    with pytest.raises(OptionError, match="no measure 'closeness'"):
        fidelity_scorer("closeness")
    with pytest.raises(OptionError, match="fit it before"):
        fidelity_scorer()(maker(), rows())
    made = maker()
    made.fit(rows())
    with pytest.raises(DataError, match="no value"):
        fidelity_scorer("prediction_error")(made, rows())
