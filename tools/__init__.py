"""Tools of the project, run from a clone."""
