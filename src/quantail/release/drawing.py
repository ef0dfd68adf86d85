"""What a synthesizer draws from: the audit hands in noise of its own, and rules short enough to enumerate."""

from copy import copy
from typing import Any, Self

from quantail.privacy import Source


class Drawing:
    """A synthesizer with a source of noise and the checked settings of its method."""

    _source: Source
    _settings: Any

    def _drawing_from(self, source: Source, settings: Any = None) -> Self:
        """Return the same synthesizer with another source of noise, and other settings if there are any.

        What it releases is called private only if the source says so.
        """
        other = copy(self)
        other._source = source
        other._settings = self._settings if settings is None else settings
        return other
