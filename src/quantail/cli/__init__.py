"""The command line: one file per command, nothing heavy imported before a command needs it.

Commands only read options, call the rooms and print. Results go to stdout, everything else (progress, notes,
errors) to stderr; `--json` output on stdout is clean. Exit codes come from the error classes.
"""

from quantail.cli.app import app, main

__all__ = ["app", "main"]
