"""Benches of utility: many shapes of data, real data, and the simple peers that Quantail is held against."""
