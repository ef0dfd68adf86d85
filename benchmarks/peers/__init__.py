"""Adapters: one small program per peer, run in the peer's own environment, all with the same contract.

A program reads a job folder (`train.parquet`, `job.json`) and writes `synth.parquet` and `result.json`; `contract`
has what they share. `catalogue` lists who is compared, `environments` builds their environments, `runner` runs one.
"""
