"""What every publisher promises (ragbase.ports.Publisher)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.domain.identity import document_id
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.ports import Topic
from tests.contract.adapters import PUBLISHERS, PublisherUnderTest
from tests.contract.real_servers import in_test

JOB = Job(
    document_id=document_id("bucket", "🦊 a\nb.pdf"),
    bucket="bucket",
    name="🦊 a\nb.pdf",
    generation=1_763_766_000_000_001,
    part=3,
    format="pdf",
    config=ProcessingConfig(ocr_mode=OcrMode.FORCE, ocr_languages=("vi",), min_text_length=1),
)
UNKNOWN_FORMAT = Job(document_id=document_id("bucket", "a"), bucket="bucket", name="a", generation=1)


@pytest.fixture(params=in_test(PUBLISHERS))
def tested(request: pytest.FixtureRequest) -> Iterator[PublisherUnderTest]:
    with PUBLISHERS[request.param]() as tested:
        yield tested


@pytest.mark.parametrize("topic", Topic)
def test_a_job_is_delivered_whole_and_on_its_topic_alone(tested: PublisherUnderTest, topic: Topic) -> None:
    tested.publisher.publish(topic, JOB)
    tested.publisher.publish(topic, UNKNOWN_FORMAT)
    assert tested.delivered(topic) == [JOB, UNKNOWN_FORMAT]
    for other in set(Topic) - {topic}:
        assert tested.delivered(other) == []


def test_equal_jobs_are_messages_of_their_own(tested: PublisherUnderTest) -> None:
    tested.publisher.publish(Topic.FAST, JOB)
    tested.publisher.publish(Topic.FAST, JOB)
    assert tested.delivered(Topic.FAST) == [JOB, JOB]


def test_a_dead_letter_has_its_reason(tested: PublisherUnderTest) -> None:
    tested.publisher.publish(Topic.DEAD_LETTER, JOB, reason="Gave up: “naïve”.")
    tested.publisher.publish(Topic.DEAD_LETTER, UNKNOWN_FORMAT)
    assert tested.dead_letters() == [(JOB, "Gave up: “naïve”."), (UNKNOWN_FORMAT, "")]


def test_threads_lose_nothing(tested: PublisherUnderTest) -> None:
    names = [f"{number}.md" for number in range(200)]
    jobs = [Job(document_id=document_id("bucket", name), bucket="bucket", name=name, generation=1) for name in names]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda job: tested.publisher.publish(Topic.FAST, job), jobs))
    assert Counter(tested.delivered(Topic.FAST)) == Counter(jobs)
