"""The studies behind the published figures, run from a clone: `python -m studies --help`.

simulation    the paper's simulated table: every method, epsilon curves, the pMSE mechanism, tables beside the paper's
ablation      from the published sandwich to this package's own method, one repair at a time
published     the paper's mechanisms as published, by Metropolis chains: NOT PRIVATE
lbd           business panels: a made-up stand-in for SynLBD, a reader of the real file, and the study on them
quantreg      synthesis by quantile regression without privacy, the paper's reference
coverage      how often intervals of `quantail infer` cover the truth
plan_honesty  how often errors lie in the band that `quantail plan` stated
journal       every finished task is written at once, so that a killed run continues

The studies use the package as anybody would; nothing in `src/` imports them, and no wheel holds them.
"""
