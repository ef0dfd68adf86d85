"""What tables and panels share on the way out: the saved form, its checks, parameters, progress."""
