"""How a command ends when something goes wrong.

Our own errors are written to be read, and carry their exit code. Anything else is a fault in Quantail or in a
library; its text may quote confidential values, so it is withheld unless QUANTAIL_DEBUG=1 asks for it.
"""

import os
import re
import sys
import traceback
from typing import Any, NoReturn

import typer

from quantail.cli.console import err, note
from quantail.cli.flags import PlainGroup
from quantail.errors import QuantailError
from quantail.visible import visible, without_credentials

INTERNAL_ERROR = 70
INTERRUPTED = 130
# Our messages list things on lines of their own, set in or with a dash; any other line break is part of a name.
_LINES = re.compile(r"\n(?=- |  )")


class GuardedGroup(PlainGroup):
    """A group of commands that turns every exception into a message on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except QuantailError as error:
            note(*_LINES.split(f"Error: {error}"), style="bold red")
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            note("Stopped. A charge that was made stays in the ledger.", style="bold red")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _leave()
        except Exception as error:
            if _belongs_to_typer(error):
                if isinstance(getattr(error, "message", None), str):  # it quotes what was typed
                    vars(error)["message"] = visible(without_credentials(vars(error)["message"]))
                raise
            _report_internal(error)


def _leave() -> NoReturn:
    """End without a word where the reader of stdout went away.

    At once: threads that libraries still have then end the program by a signal, now and then, when Python winds up.
    Files are closed by now, and what was staged is gone.
    """
    sys.stderr.flush()
    os._exit(1)


def _belongs_to_typer(error: Exception) -> bool:
    # Usage errors, exits and aborts; all but the last carry an exit code.
    return isinstance(error, typer.Abort) or hasattr(error, "exit_code")


def _report_internal(error: Exception) -> NoReturn:
    if os.environ.get("QUANTAIL_DEBUG") == "1":
        note("QUANTAIL_DEBUG=1: what follows may quote confidential values.", style="bold yellow")
        err.file.write("".join(traceback.format_exception(error)))
    note(
        f"Internal error ({type(error).__name__}). Its text is withheld, since it may quote confidential "
        "values; set QUANTAIL_DEBUG=1 to see it, and keep what you see inside.",
        style="bold red",
    )
    raise typer.Exit(INTERNAL_ERROR) from None
