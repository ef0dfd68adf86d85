"""What tables and panels share on the way out: facts, the saved form and its checks, synthesizers, progress."""
