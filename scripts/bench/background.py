"""Make the file of languages/background.py for the configured embedder: the mean vector of each language's sentences.

The file is written to the given path. Its name, without .npy, is `languages` in the model's entry of
ragbase.retrieval.calibration.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.ports import Embedder

SENTENCES = Path(__file__).parent / "data" / "everyday_sentences.tsv"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/background", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="such as common/ragbase/retrieval/languages/all-minilm-l6-v2.npy")
    np.save(parser.parse_args().file, means(open_profile(load_config()).embedder))


def means(embedder: Embedder) -> npt.NDArray[np.float16]:
    """A row for each language, in the order of the file of sentences."""
    sentences: dict[str, list[str]] = defaultdict(list)
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        language, sentence = line.split("\t")
        sentences[language].append(sentence)
    vectors = [np.mean(embedder.embed_documents(texts).vectors, axis=0) for texts in sentences.values()]
    return np.array(vectors, np.float16)


if __name__ == "__main__":
    main()
