"""Make the file of languages/background.py for the configured embedder: the mean vector of each language's sentences.

The file is written to the given path. Its name, without .npy, is `languages` in the model's entry of
ragbase.retrieval.calibration.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.retrieval.languages.background import language_means


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/background", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="such as common/ragbase/retrieval/languages/all-minilm-l6-v2.npy")
    np.save(parser.parse_args().file, language_means(open_profile(load_config()).embedder))


if __name__ == "__main__":
    main()
