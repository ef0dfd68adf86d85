"""Differentially private synthetic copies of heavy-tailed tables."""

from quantail._version import __version__

__all__ = ["__version__"]
