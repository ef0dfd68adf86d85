"""A gate with so much budget that noise is nil, or with a given amount, on seeded noise."""

from fractions import Fraction

import pytest

from quantail.privacy import Gate, Plan, SimulatedNoise


def make_gate(leaves=1, each=10**6, relation="replace-one", definition="pure", seed=0):
    """Return a gate and its leaves, each worth `each` (one cost, or a list with one for each)."""
    unit = "epsilon" if definition == "pure" else "rho"
    costs = each if isinstance(each, list) else [each] * leaves
    plan = Plan.sequence(
        "test", [Plan.leaf(f"leaf {k}", Fraction(cost), "", unit) for k, cost in enumerate(costs)]
    )
    return Gate(plan, SimulatedNoise(seed), relation), plan.leaves()


@pytest.fixture(params=["replace-one", "add-remove"])
def relation(request):
    return request.param


@pytest.fixture(params=["pure", "zcdp"])
def definition(request):
    return request.param


@pytest.fixture
def gate_of():
    return make_gate
