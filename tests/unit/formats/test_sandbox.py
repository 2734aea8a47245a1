"""What a process says of the sandbox of its readers."""

from __future__ import annotations

import logging
import sys

import pytest

from ragbase.domain.errors import ConfigurationError
from ragbase.formats.sandbox import protections, run
from ragbase.formats.sandbox.protections import Kernel, Protection, check_sandbox, this_kernel
from ragbase.formats.sandbox.trial import broken_protections

WHOLE = Kernel(7, has_filters=True)
OLD = Kernel(0, has_filters=True)
NOTHING = Kernel(0, has_filters=False)

linux = pytest.mark.skipif(sys.platform != "linux", reason="it is Linux whose parts are left away")


@linux
@pytest.mark.parametrize(
    ("kernel", "lacks"),
    [
        (WHOLE, set()),
        (Kernel(1, has_filters=True), set()),
        (OLD, {"reading"}),
        (Kernel(6, has_filters=False), {"network", "programs"}),
        (Kernel(5, has_filters=False), {"network", "programs", "signals"}),
        (NOTHING, {"reading", "writing", "network", "programs", "signals"}),
    ],
)
def test_what_a_kernel_lacks_is_what_a_script_can_do(
    monkeypatch: pytest.MonkeyPatch, kernel: Kernel, lacks: set[str]
) -> None:
    if this_kernel().lacks:
        pytest.skip("the trial needs a system that lacks nothing")
    assert set(kernel.lacks) == lacks
    monkeypatch.setattr(run, "this_kernel", lambda: kernel)
    assert set(broken_protections()) == lacks


def test_what_the_kernel_says_of_itself_is_true() -> None:
    assert broken_protections() == this_kernel().lacks


@linux
def test_a_start_says_once_what_holds(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ragbase")
    for kernel in (WHOLE, OLD):
        monkeypatch.setattr(protections, "this_kernel", lambda kernel=kernel: kernel)
        check_sandbox(required=False)
    whole, old = caplog.records
    assert (whole.levelname, whole.__dict__["action"]) == ("INFO", "sandbox.ready")
    assert whole.__dict__["fields"] == {"landlock": 7, "call_filter": True, "lacks": ""}
    assert (old.levelname, old.__dict__["fields"]["lacks"]) == ("WARNING", "reading")


@linux
def test_what_is_required_and_lacking_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protections, "this_kernel", lambda: WHOLE)
    check_sandbox(required=True)
    monkeypatch.setattr(protections, "this_kernel", lambda: OLD)
    with pytest.raises(ConfigurationError, match=r"opens no file but its libraries.*Landlock"):
        check_sandbox(required=True)


def test_each_protection_has_a_meaning() -> None:
    from ragbase.formats.sandbox.protections import MEANING

    assert set(MEANING) == set(Protection)
