"""DataSynthesizer: a noisy Bayesian network of degree 2 on 20 bins, which end at the data's extremes: a leak."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator

from benchmarks.peers.contract import Arrays, Job, run


def make(job: Job) -> Arrays:
    frame = pd.DataFrame(job.train)
    describer, generator = DataDescriber(category_threshold=0), DataGenerator()
    with TemporaryDirectory() as folder:
        rows, description = Path(folder, "rows.csv"), Path(folder, "description.json")
        frame.to_csv(rows, index=False)
        describer.describe_dataset_in_correlated_attribute_mode(
            dataset_file=str(rows), k=2, epsilon=job.epsilon, seed=job.seed
        )
        describer.save_dataset_description_to_file(str(description))
        generator.generate_dataset_in_correlated_attribute_mode(job.rows, str(description), seed=job.seed)
    return generator.synthetic_dataset


if __name__ == "__main__":
    run(make, "DataSynthesizer", "numpy", "pandas")
