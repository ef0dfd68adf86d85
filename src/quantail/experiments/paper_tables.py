"""The figures that the paper reports (epsilon 1, n 5000, 100 replications), to be set beside our own."""

PAPER_TABLE: dict[str, dict[str, float]] = {
    method: dict(
        zip(
            ("pmse_woi", "pmse_wi", "wrt", "km", "int_diff", "slope_diff", "nrmse_x2", "nrmse_x3"),
            row,
            strict=True,
        )
    )
    for method, row in {
        "non-private": (0.0003, 0.0004, 2.86, 952.34, 2.07, 0.86, 0.317, 0.193),
        "stepwise fixed": (0.0146, 0.0167, 12.65, 743.62, 14.76, 1.83, 0.326, 0.201),
        "stepwise varying": (0.0067, 0.0105, 12.36, 531.40, 15.15, 5.72, 0.325, 0.203),
        "sandwich fixed": (0.0083, 0.0093, 5.15, 762.32, 12.20, 2.05, 0.321, 0.202),
        "sandwich varying": (0.0077, 0.0084, 4.88, 743.99, 14.95, 6.29, 0.326, 0.207),
        "KNG": (0.1219, 0.1309, 42.18, 49.30, 70.22, 211.50, 1.705, 1.601),
        "pMSE mechanism": (0.0374, 0.0601, 12.94, 742.81, 28.53, 36.40, 0.390, 0.265),
    }.items()
}
