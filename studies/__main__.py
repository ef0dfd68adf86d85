"""Run a study: `python -m studies simulation --out results`."""

from studies.commands import commands

commands(prog_name="python -m studies")
