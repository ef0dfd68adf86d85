"""The version of the package, kept apart so that the build can read it without importing anything."""

__version__ = "0.2.0.dev0"
