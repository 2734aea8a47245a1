"""Make what ragbase.retrieval.calibration knows of the configured embedder without any labels.

The file of languages/background.py, the mean vector of each language's sentences, is written to the given path. Its
name, without .npy, is `languages` in the model's entry. The points of its `scale` are printed as a line of JSON: the
mean cosines of the probes with answers to other questions and with their own, each with MiniLM's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.retrieval.calibrate import fit_cosines
from ragbase.retrieval.languages.background import language_means
from scripts.bench.harness import Bench


def main() -> None:
    bench = Bench("background", __doc__)
    bench.add_argument("file", type=Path, help="such as common/ragbase/retrieval/languages/all-minilm-l6-v2.npy")
    file: Path = bench.parse_args().file
    embedder = open_profile(load_config()).embedder
    np.save(file, language_means(embedder))
    points = [[round(cosine, 3) for cosine in point] for point in fit_cosines(embedder, []).points]
    bench.say({"embedder": embedder.model, "points": points})


if __name__ == "__main__":
    main()
