"""What makes small studies quick, and gates."""

from functools import partial

import pytest

from gates import definition, gate_of, relation  # noqa: F401  (fixtures)
from studies import paper_measures


@pytest.fixture(scope="module")
def few_resplits():
    """Leave out most random splits behind the Wasserstein ratio: they are nine tenths of a small study's time."""
    whole = paper_measures.wasserstein_randomization
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper_measures, "wasserstein_randomization", partial(whole, resplits=20))
        yield
