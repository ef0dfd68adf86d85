"""Flags in `--help`: switches take no value, so no type is shown beside them."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _PlainFlags:
    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, switches without the word for a value."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class PlainCommand(_PlainFlags, TyperCommand):
    """A command whose help shows switches as they are typed."""


class PlainGroup(_PlainFlags, TyperGroup):
    """A group of commands whose help shows switches as they are typed."""
