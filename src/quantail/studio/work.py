"""The process of a run: does what a page asked for, by the functions of the command line, and records how it goes.

Our own errors are written to be read, and go into the record. The text of any other error may quote confidential
values and is dropped. Asked to cancel, the process interrupts itself, as Ctrl-C does on the command line: a charge that
was made stays, and is marked failed.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quantail.errors import LedgerError, QuantailError, SchemaError
from quantail.studio.folder import Folder
from quantail.studio.records import STATE_FOLDER, read_json, write_json

_OFTEN = 0.1  # seconds between two looks for a cancellation, and between two records of progress


@dataclass(frozen=True)
class Work:
    """A run from the inside."""

    place: Path
    folder: Folder
    request: Mapping[str, Any]
    _told: list[float] = field(default_factory=lambda: [0.0])
    _closing: threading.Lock = field(default_factory=threading.Lock)
    _closed: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def at(cls, place: Path) -> "Work":
        """Open the record of a run."""
        home = place.parents[1]
        assert home.name == STATE_FOLDER
        request = read_json(place / "request.json")
        assert request is not None
        return cls(place, Folder.of(home.parent), request)

    def file(self, option: str) -> Path:
        """Where the file is that the request names."""
        return self.folder.file(str(self.request[option]))

    def tell(self, step: str, fraction: float) -> None:
        """Record what is worked on, and the share that is done.

        Stops the work if it is asked to cancel: an interruption is lost where it falls into a callback.
        """
        if self._is_cancelled():
            raise KeyboardInterrupt
        now = time.monotonic()
        if now - self._told[0] >= _OFTEN:
            self._told[0] = now
            write_json(self.place / "progress.json", {"step": step, "fraction": fraction})

    def watch(self) -> None:
        """Interrupt the process when it is asked to cancel."""

        def look() -> None:
            while not self._closed.wait(_OFTEN):
                if self._is_cancelled():
                    with self._closing:
                        if not self._closed.is_set():
                            self._closed.set()
                            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=look, daemon=True).start()

    def _is_cancelled(self) -> bool:
        return (self.place / "cancel").exists()

    def point_of_no_return(self, step: str) -> None:
        """From here on it is too late to cancel: results are being published."""
        with self._closing:
            self._closed.set()
        write_json(self.place / "progress.json", {"step": step, "fraction": 1.0, "can_cancel": False})


def release(work: Work) -> list[Path]:
    """Fit, charge and publish, as `quantail synth` does."""
    from quantail.cli.account import Payment
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.release_files import ReleaseFiles
    from quantail.io import Place
    from quantail.privacy.ledger import Ledger
    from quantail.schema import Schema

    asked = work.request
    table, ledger = work.file("table"), work.file("ledger")
    schema = Schema.load(work.file("schema"))
    if schema.fingerprint() != asked["fingerprint"]:
        raise SchemaError(
            "the schema was changed since it was reviewed; look at it again, nothing was charged"
        )
    if Ledger.open(ledger).head() != asked["head"]:
        raise LedgerError(
            "the ledger has changed since it was looked at; look at it again, nothing was charged"
        )
    model = work.folder.new_file(asked["model"])
    output = Place.of(work.folder.place(asked["output"]))
    spending = ReleaseOptions(
        asked["epsilon"], asked["definition"], asked["delta"], asked["method"], payment=Payment(ledger)
    )
    outputs = ReleaseFiles(output, asked["rows"], asked["replicates"], model)
    outputs.check([table, work.file("schema"), ledger])
    work.tell("reading the table", 0.0)
    with paid_fit(table, schema, spending, True, outputs.dry_run, watch=work.tell) as fit:
        work.point_of_no_return("writing")
        outputs.write(fit.model, None, fit)
    return list(outputs.paths)


def draw(work: Work) -> list[Path]:
    """Draw tables from a model, as `quantail sample` does."""
    from quantail.cli.panels import refuse_for_panels
    from quantail.cli.release_files import ReleaseFiles
    from quantail.io import Place
    from quantail.table_or_panel import load_model

    asked = work.request
    output = Place.of(work.folder.place(asked["output"]))
    outputs = ReleaseFiles(output, asked["rows"], asked["replicates"])
    outputs.check([work.file("model")])
    work.tell("drawing", 0.1)
    model = load_model(work.file("model"))
    refuse_for_panels(model.schema, rows=asked["rows"])
    outputs.write(model)
    return list(outputs.paths)


def report(work: Work) -> list[Path]:
    """Compare with the real rows, as `quantail report` does: the one page that shows confidential values."""
    from quantail.cli.staging import write_text
    from quantail.evaluation import evaluate
    from quantail.io import read_released, read_table
    from quantail.report.internal import render_report
    from quantail.table_or_panel import load_model

    path = work.folder.new_file(work.request["output"])
    model = load_model(work.file("model"))
    tables = read_table(work.file("table"), model.schema), read_released(work.file("synthetic"), model.schema)
    measures = evaluate(*tables, None, model.schema, progress=work.tell)
    write_text(path, render_report(*tables, schema=model.schema, model=model, measures=measures))
    return [path]


def plan(work: Work) -> list[Path]:
    """Try a plan out on made-up tables, at one budget after another; no data are read."""
    from quantail.planning import expect
    from quantail.release.progress import part_progress
    from quantail.schema import Schema

    asked = work.request
    schema, wanted = Schema.from_toml(asked["schema_text"]), asked["epsilons"]
    options = {name: asked[name] for name in ("method", "definition", "delta") if asked[name]}
    for place, (epsilon, kept) in enumerate(wanted.items()):
        told = part_progress(work.tell, place, len(wanted), f"epsilon {epsilon}, ")
        found = expect(schema, asked["rows"], epsilon, progress=told, **options)
        write_json(work.place.parents[1] / "plans" / f"{kept}.json", found.to_dict())
    return []


KINDS: Mapping[str, Callable[[Work], list[Path]]] = {
    "release": release,
    "draw": draw,
    "report": report,
    "plan": plan,
}


def outcome(work: Work) -> dict[str, Any]:
    """Do the work and say how it ended."""
    try:
        files = KINDS[work.request["kind"]](work)
        work.point_of_no_return("finishing")
    except KeyboardInterrupt:
        return {"state": "cancelled", "message": "Cancelled. Nothing was published."}
    except QuantailError as error:
        return {"state": "failed", "message": str(error)}
    except Exception as error:
        return {"state": "failed", "message": internal_error(error)}
    return {"state": "done", "files": [work.folder.name_of(path) for path in files]}


def internal_error(error: Exception) -> str:
    """Say that something broke, without its text."""
    return (
        f"Internal error ({type(error).__name__}). Its text is withheld, since it may quote confidential values; "
        "the same command on the command line shows it with QUANTAIL_DEBUG=1."
    )


def main(place: str, alone: str, own: str) -> None:
    """Run, with two locks that were handed over.

    The first lets no other run of the kind start, and is let go before the end is told, so that whoever reads of the
    end can start the next. The second says that this run goes on, and is held to the last.
    """
    for lock in (alone, own):
        os.set_inheritable(int(lock), False)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    work = Work.at(Path(place))
    work.watch()
    result = outcome(work)
    os.close(int(alone))
    write_json(work.place / "outcome.json", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
