"""A released panel with one period more: one synthetic panel, which is the release itself."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from quantail.errors import OptionError
from quantail.frames import PanelData, confidential_panel, release_panel
from quantail.frames.panel import panel_of
from quantail.release.model import ReleasedModel


@dataclass(frozen=True, repr=False)
class AppendedPanel(ReleasedModel):
    """A synthetic panel that was continued by a period.

    Attributes
    ----------
    data : PanelData
        Synthetic histories, the new period included.
    """

    kind: ClassVar[str] = "appended"

    data: PanelData

    @property
    def size(self) -> int:
        """Synthetic units."""
        return len(self.data)

    @property
    def rows(self) -> int:
        """Rows of the synthetic panel."""
        return len(self.data) if panel_of(self.schema).layout == "wide" else int(self.data.active.sum())

    def sample(self, rows: None = None, replicates: int = 1, seed: int | None = None) -> Any:
        """Return the synthetic panel, which is the same every time; no other can be drawn.

        Returns
        -------
        frame
            Of the library of the confidential panel, in the layout and types that the schema says, sorted by unit.
        """
        if rows is not None or replicates != 1:
            raise OptionError(
                "a period is appended to one released panel, so rows and replicates cannot be chosen; leave them out"
            )
        return release_panel(self.data, self.library)

    def _own_form(self) -> dict[str, Any]:
        sink = pa.BufferOutputStream()
        table = release_panel(self.data)
        with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
            file.write_table(table)
        return {
            "library": self.library,
            "panel": base64.b64encode(sink.getvalue().to_pybytes()).decode("ascii"),
        }

    @classmethod
    def _read(cls, form: Mapping[str, Any], shared: Mapping[str, Any]) -> "AppendedPanel":
        table = pa.ipc.open_file(base64.b64decode(form["panel"], validate=True)).read_all()
        table.validate(full=True)  # a damaged file may point outside its own buffers
        return cls(**shared, data=confidential_panel(table, shared["schema"]))

    def _try_out(self) -> None:
        """Nothing is drawn: the panel was checked when it was read."""
