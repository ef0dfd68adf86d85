"""The only room where confidential values meet noise: gate, noise, budget, ledger, and the proofs beside them."""

from quantail.privacy.budget import (
    Plan,
    as_decimal,
    parse_amount,
    parse_epsilon,
    split,
)
from quantail.privacy.chain import Entry
from quantail.privacy.gate import (
    Gate,
    PathQuestion,
    Relation,
    Selection,
    cells_touched,
    count_epsilon,
    geometric_cost,
    histogram_noise,
    selection_epsilon,
    unit_of,
)
from quantail.privacy.high_water import HighWaterMark
from quantail.privacy.ledger import Ledger
from quantail.privacy.noise import Definition, Noise, SecureNoise, SimulatedNoise, check_seed
from quantail.privacy.points import PointsQuestion
from quantail.privacy.source import Source, source_of
from quantail.privacy.terms import FIXED, Terms, stated_options
from quantail.privacy.zcdp import epsilon_from, rho_from

__all__ = [
    "Definition",
    "Entry",
    "FIXED",
    "Gate",
    "HighWaterMark",
    "Ledger",
    "Noise",
    "PathQuestion",
    "Plan",
    "PointsQuestion",
    "Relation",
    "SecureNoise",
    "Selection",
    "SimulatedNoise",
    "Source",
    "Terms",
    "as_decimal",
    "cells_touched",
    "check_seed",
    "epsilon_from",
    "geometric_cost",
    "count_epsilon",
    "histogram_noise",
    "parse_amount",
    "parse_epsilon",
    "rho_from",
    "source_of",
    "split",
    "stated_options",
    "selection_epsilon",
    "unit_of",
]
