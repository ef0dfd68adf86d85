"""The paper's Tables 1 and 2 (epsilon 1, n 5000, 100 replications), to be set beside our own figures."""

from studies.paper_measures import PAPER_MEASURES

Summary = dict[str, dict[str, float | None]]

_MEANS = {
    "non-private": (0.0003, 0.0004, 2.86, 952.34, 2.07, 0.86, 0.317, 0.193),
    "stepwise fixed": (0.0146, 0.0167, 12.65, 743.62, 14.76, 1.83, 0.326, 0.201),
    "stepwise varying": (0.0067, 0.0105, 12.36, 531.40, 15.15, 5.72, 0.325, 0.203),
    "sandwich fixed": (0.0083, 0.0093, 5.15, 762.32, 12.20, 2.05, 0.321, 0.202),
    "sandwich varying": (0.0077, 0.0084, 4.88, 743.99, 14.95, 6.29, 0.326, 0.207),
    "KNG": (0.1219, 0.1309, 42.18, 49.30, 70.22, 211.50, 1.705, 1.601),
    "pMSE mechanism": (0.0374, 0.0601, 12.94, 742.81, 28.53, 36.40, 0.390, 0.265),
}
_STANDARD_ERRORS = {
    "non-private": (0.00001, 0.00001, 0.07, 0.67, 0.10, 0.06, 0.001, 0.001),
    "stepwise fixed": (0.0004, 0.0004, 0.23, 3.29, 0.23, 0.14, 0.001, 0.001),
    "stepwise varying": (0.0003, 0.0003, 0.22, 4.76, 0.12, 0.44, 0.001, 0.001),
    "sandwich fixed": (0.0004, 0.0004, 0.12, 2.70, 0.26, 0.16, 0.001, 0.001),
    "sandwich varying": (0.0004, 0.0004, 0.11, 4.95, 0.10, 0.44, 0.001, 0.002),
    "KNG": (0.0018, 0.0024, 0.52, 1.83, 0.39, 1.85, 0.011, 0.036),
    "pMSE mechanism": (0.0031, 0.0030, 0.85, 6.66, 1.47, 2.55, 0.007, 0.006),
}

PAPER_TABLE: dict[str, Summary] = {
    method: {
        measure: {"mean": mean, "se": se}
        for measure, mean, se in zip(PAPER_MEASURES, means, _STANDARD_ERRORS[method], strict=True)
    }
    for method, means in _MEANS.items()
}
"""{paper's name of a method: {measure: {"mean": x, "se": y}}}, the shape of `results.json`."""

PAPER_NAME = {
    "quantreg": "non-private",
    "stepwise-fixed": "stepwise fixed",
    "stepwise-varying": "stepwise varying",
    "sandwich-fixed": "sandwich fixed",
    "sandwich-varying": "sandwich varying",
    "kng": "KNG",
    "pmse": "pMSE mechanism",
}
"""Our name of a method, without suffix, to the paper's."""


def base_of(method: str) -> str:
    """Return a method's name without the suffix that says how it was sampled."""
    for suffix in ("-published", "-converged", "-text", "-interpolated"):
        method = method.removesuffix(suffix)
    return method
