"""Tables in two stages: a law for every column by itself, then privately chosen tables of counts that join them."""

# Methods are registered in `synthesis`, whose columns these build on: it is loaded first, whoever asks.
import quantail.synthesis  # noqa: F401
