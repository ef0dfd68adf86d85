"""Honest inference: what a synthetic table says about the population, with the noise of privacy accounted for.

`infer` reruns the whole mechanism on tables simulated from the released model (DESIGN 4.9); `combine` holds the
rules for several tables. Everything here is post-processing of what was released: it costs no budget.
"""

from quantail.inference.combining import Combined, combine
from quantail.inference.estimand import Estimand
from quantail.inference.infer import infer
from quantail.inference.result import Inference, Inferred

__all__ = ["Combined", "Estimand", "Inference", "Inferred", "combine", "infer"]
