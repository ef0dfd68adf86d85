"""Tables in two stages: a law for every column by itself, then privately chosen tables of counts that join them."""
