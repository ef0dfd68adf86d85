"""Studies that rerun published work with this package; nothing else in the package depends on them."""
