"""Ettin-reranker 17M, as sentence-transformers publishes it under the licence Apache 2.0.

Its ONNX file ends at the hidden states. What scores them is in three small files beside it.

No model hub could be reached where this was written. The revision is the one that MTEB names
(github.com/embeddings-benchmark/mteb, `ettin_reranker_17m_v1`), and the checksums are those that public projects which
run the model check it by: three for the tokenizer and the head, one for the graph. A wrong one refuses the right file,
and never takes a wrong one.
"""

from __future__ import annotations

from ragbase.adapters.local_model.cross_encoder_files import GRAPH, TOKENIZER
from ragbase.adapters.local_model.download import download, model_hub
from ragbase.adapters.local_model.model import PreparedModel
from ragbase.adapters.local_model.scoring_head import DENSE, NORM, SCORE
from ragbase.domain.errors import ConfigurationError

REPOSITORY = "cross-encoder/ettin-reranker-17m-v1"
REVISION = "9e4aa35321a6dd1a43ca313f500c4b4f7cfb5cc6"
OFFICIAL = {
    GRAPH: "2a375ccea150a4df925a47884b510eeb4bd6227ca6fffdbbc62ca2284bfe6211",
    TOKENIZER: "28c5e078e4c52aa37cf0e6de1a212878f3dbd58dd1c70466298efe0b6b86db35",
    DENSE: "85e9596d9250a871deb159fb5db6979e910b4cf181d05c806733c49bc43d47c8",
    NORM: "de99fa351fb4badb74b56e85fa70b5bbd3fcf4d0e74de79eb749dba1e9e28b4a",
    SCORE: "654827171b89c76d19d663162243f38d63d1ba812ac1ec9c1b36512f1a8e9ce8",
}
"""The files and their sha256."""
SIZE = 71_200_000
"""Bytes of all, nearly."""
WHAT = "model that reranks"


def _make() -> dict[str, bytes]:
    try:
        return download([model_hub(REPOSITORY, REVISION, list(OFFICIAL), SIZE)], OFFICIAL, what=WHAT)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{error} Or name a folder that holds a cross-encoder, with the setting reranker_folder "
            "(RAGBASE_RERANKER_FOLDER)."
        ) from error


ETTIN = PreparedModel(
    what=WHAT,
    name="ettin-reranker-17m-v1",
    folder=f"ettin-reranker-17m-v1-{REVISION[:8]}",
    files=OFFICIAL,
    make=_make,
    needs=("tqdm",),
    megabytes=72,
)
