"""A stand-in for SynLBD, which cannot be handed out; `docs/lbd-stand-in.md` says how well it stands in."""

from studies.lbd.standin.industries import lbd_panel, panel_industry, panel_sizes
from studies.lbd.standin.industry import lbd_industry, lbd_long
from studies.lbd.standin.targets import LBD_INDUSTRIES
from studies.lbd.standin.variants import LBD_VARIANTS

__all__ = [
    "LBD_INDUSTRIES",
    "LBD_VARIANTS",
    "lbd_industry",
    "lbd_long",
    "lbd_panel",
    "panel_industry",
    "panel_sizes",
]
