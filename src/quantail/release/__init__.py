"""What tables and panels share on the way out: facts, the saved form and its checks, synthesizers, progress."""

NOT_PRIVATE = "NOT PRIVATE: made with simulated, seeded noise, for tests and experiments; do not release."
"""What is said, wherever there is room for a sentence, of something that simulated noise made."""
