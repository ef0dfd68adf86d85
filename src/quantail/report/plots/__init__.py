"""Plots as inline SVG: one kind a file, each with a description in words and no colour of its own."""
