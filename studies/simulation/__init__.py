"""The paper's simulation study: one simulated table per replication, every method on it."""
