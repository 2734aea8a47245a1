"""What every format promises (formats/format.py, formats/reader.py)."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ragbase.domain.errors import PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.added import AddedFormat
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.testing.examples import share


@dataclass(frozen=True, slots=True)
class Sample:
    """A file of the format, and texts that its Markdown has, in this order."""

    data: bytes
    texts: tuple[str, ...]


class FormatContract:
    """Inherit from it, and give it the fixtures `added` and `sample`."""

    def test_its_names_are_as_records_and_files_have_them(self, added: AddedFormat) -> None:
        format = added.format
        for name in (format.name, added.reader.version):
            assert name == name.strip() != ""
            assert not set(name) & set(" |,/")  # what separates names in fingerprints and settings
        assert format.extensions
        assert all(one == one.lower() and one.startswith(".") for one in format.extensions)
        assert format.content_types
        assert all(one == one.lower() and "/" in one for one in format.content_types)

    def test_the_text_of_a_file_is_read_in_its_order(self, added: AddedFormat, sample: Sample) -> None:
        added.reader.check(sample.data)
        markdown, place = _read(added, sample.data).markdown, 0
        for text in sample.texts:
            assert text in markdown[place:]
            place = markdown.index(text, place) + len(text)

    def test_the_same_file_has_the_same_text(self, added: AddedFormat, sample: Sample) -> None:
        assert _read(added, sample.data) == _read(added, sample.data)

    def test_places_are_within_the_text(self, added: AddedFormat, sample: Sample) -> None:
        extraction = _read(added, sample.data)
        begin = [*extraction.entries[:-1], *extraction.rows[:-1], *(one.start for one in extraction.sections or ())]
        assert all(0 <= place < len(extraction.markdown) for place in begin)
        assert list(extraction.entries) == sorted(extraction.entries)
        assert 0 <= extraction.plain_until <= len(extraction.markdown)

    def test_nothing_proves_it(self, added: AddedFormat) -> None:
        assert not added.reader.proves(b"")

    @share(0.5, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.binary(max_size=300), cut=st.floats(0, 1))
    def test_a_damaged_file_is_read_or_refused(
        self, added: AddedFormat, sample: Sample, data: bytes, cut: float
    ) -> None:
        """Nothing but PermanentError stops a document; any other error looks like one of the program."""
        place = int(cut * len(sample.data))
        for damaged in (data, sample.data[:place], sample.data[:place] + data + sample.data[place:]):
            added.reader.proves(damaged)
            try:
                added.reader.check(damaged)
                _read(added, damaged)
            except PermanentError:
                continue


def _read(added: AddedFormat, data: bytes) -> Extraction:
    return added.reader.extract(data, ExtractionLimits(), ProcessingConfig())
