"""The ledger of uploads: who may send, how much is held, and when a session has ended."""

import pytest

from explorer.serving.uploads import UploadLedger


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> UploadLedger:
    """Return a ledger of two sessions, each of which may hold 10 bytes, and both 15."""
    ledger = UploadLedger(clock, most_bytes=15, most_bytes_of_session=10)
    for name in ("a", "b"):
        ledger.note(name)
        ledger.open(name)
    return ledger


def test_a_session_that_shows_no_uploader_sends_nothing(ledger: UploadLedger) -> None:
    ledger.note("c")

    assert ledger.is_open("a")
    assert not ledger.is_open("c")
    assert not ledger.is_open("unknown")
    assert not ledger.reserve("unknown", 1)


def test_what_arrives_counts_until_it_fails(ledger: UploadLedger) -> None:
    assert ledger.reserve("a", 6)
    assert not ledger.reserve("a", 6)

    ledger.settle("a", "one", 6, stored=False)

    assert ledger.reserve("a", 6)


def test_all_sessions_share_one_bound(ledger: UploadLedger) -> None:
    for name in ("a", "b"):
        assert ledger.reserve(name, 7)
        ledger.settle(name, "one", 7, stored=True)

    assert not ledger.reserve("a", 2)
    ledger.remove("b", "one")
    assert ledger.reserve("a", 2)


def test_a_file_sent_again_counts_once(ledger: UploadLedger) -> None:
    for _ in range(3):
        assert ledger.reserve("a", 5)
        ledger.settle("a", "one", 5, stored=True)

    assert ledger.reserve("a", 5)


def test_closing_forgets_files_and_opens_no_door(ledger: UploadLedger) -> None:
    ledger.reserve("a", 10)
    ledger.settle("a", "one", 10, stored=True)

    ledger.close("a")

    assert not ledger.is_open("a")
    ledger.open("a")
    assert ledger.reserve("a", 10)


def test_a_session_ends_only_when_its_connection_is_lost_for_longer_than_the_grace(
    ledger: UploadLedger, clock: Clock
) -> None:
    clock.seconds += 50
    assert ledger.ended(lambda name: name == "a", grace_s=60) == []

    clock.seconds += 50  # a was seen 50 seconds ago, b 100

    assert ledger.ended(lambda _: False, grace_s=60) == ["b"]
    assert ledger.ended(lambda name: name == "a", grace_s=60) == []
    assert not ledger.is_open("b")
