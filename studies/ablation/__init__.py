"""From the paper's sandwich as published to this package's own method, one repair at a time."""
