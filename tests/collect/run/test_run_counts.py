"""The counts of a run: of calls as they end, of shards and their tries, and in words."""

from dataclasses import replace

import pytest

from engine.collect.database.entries import Entry
from engine.collect.dispatch.run_status import Counts, ErrorWords, cache_words, shortfall_words

OK = Entry(
    key="k", role="judge", model="a", paradigm="single_rubric", variant="default", status="ok", rows=[],
    calls=2, prompt_tokens=10, completion_tokens=5, cost_usd=0.25, seconds=1.0, at="2026-01-01T00:00:00Z",
)  # fmt: skip


def counts_of(*entries: Entry, **fields: object) -> Counts:
    counts = Counts(**fields)  # type: ignore[arg-type]
    for entry in entries:
        counts.add(entry)
    return counts


def test_each_call_counts_by_its_status_with_its_requests_tokens_and_cost() -> None:
    cached = replace(
        OK, cached=True, calls=0, cost_usd=0.0, prompt_tokens=0, completion_tokens=0, saved_usd=0.5
    )
    counts = counts_of(
        OK,
        replace(OK, status="unparsed", shortfall="cut_off", model="b", stood_in_for="a"),
        replace(OK, status="refused"),
        replace(OK, status="error", failure="server", message="the server failed", cost_usd=0.0),
        cached,
        total=8, later=3, already_done=1,
    )  # fmt: skip

    assert (counts.ok, counts.unparsed, counts.refused, counts.error, counts.cached) == (2, 1, 1, 1, 1)
    assert (counts.planned, counts.done, counts.answered) == (11, 4, 5)
    assert (counts.calls, counts.prompt_tokens, counts.completion_tokens) == (8, 40, 20)
    assert (counts.cost_usd, counts.saved_usd) == (0.75, 0.5)
    assert counts.errors == {"server": 1}
    assert counts.shortfalls == {"cut_off": 1}
    assert counts.stood_in == {"b for a": 1}
    assert counts.error_words == (("the server failed", 1),)


def test_a_failure_without_a_message_counts_by_its_kind_and_an_unknown_cost_makes_the_sum_unknown() -> None:
    counts = counts_of(OK, replace(OK, status="error", failure="timeout", cost_usd=None))

    assert counts.error_words == (("timeout", 1),)
    assert counts.cost_usd is None


def test_counts_are_the_same_after_a_way_through_a_status() -> None:
    counts = counts_of(
        OK,
        replace(OK, status="error", failure="server", message="down"),
        replace(OK, status="unparsed", shortfall="empty", model="b", stood_in_for="a"),
        total=8,
        already_done=1,
    )

    again = Counts.from_status({"total": 8, **counts.to_dict()})

    assert again.to_dict() == counts.to_dict()
    assert (again.total, again.later, again.error_words) == (8, 0, (("down", 1),))


def test_every_answer_of_a_shards_tries_counts_but_the_plan_is_that_of_the_last() -> None:
    down = replace(OK, status="error", failure="server", message="down")
    first = counts_of(OK, OK, down, total=5)
    second = counts_of(OK, replace(down, message="slow"), total=5, already_done=2)
    other = counts_of(OK, total=2, later=1, already_done=1)

    total = Counts.sum_of([[first, second], [other]])

    # 5 and 2 calls; of them 4 answered in these tries, and 1 before.
    assert (total.total, total.later, total.ok, total.already_done) == (7, 1, 4, 1)
    assert (total.error, total.errors, total.error_words) == (1, {"server": 1}, (("slow", 1),))
    assert (total.calls, total.cost_usd) == (12, 1.5)
    assert Counts.sum_of([]).planned == 0


def test_messages_that_differ_in_numbers_and_ids_count_as_one_by_the_first() -> None:
    words = ErrorWords()
    for message in ("call 1 of 0123abcd", "call 22 of 89EFabcd01", "cafe", "cafe", "cafe", "babe"):
        words.add(message)

    assert words.most_frequent() == [("cafe", 3), ("call 1 of 0123abcd", 2), ("babe", 1)]
    assert words.most_frequent(1) == [("cafe", 3)]


def test_of_messages_200_kinds_are_counted_and_five_shown() -> None:
    words = ErrorWords()
    letters = "abcdefghijklmnopqrstuvwxyz"
    kinds = [f"{a}{b}!" for a in letters[:9] for b in letters]
    for kind in kinds:
        words.add(kind)
    words.add(kinds[199])
    words.add(kinds[200], 9)

    assert words.most_frequent()[0] == (kinds[199], 2)
    assert len(words.most_frequent()) == 5
    assert len(words.most_frequent(999)) == 200


def test_the_messages_of_another_count_are_added() -> None:
    words, other = ErrorWords(), ErrorWords()
    words.add("call 1")
    other.add("call 2", 3)
    other.add("down")

    words.include(other)

    assert words.most_frequent() == [("call 1", 4), ("down", 1)]


@pytest.mark.parametrize(
    ("cached", "saved", "words"),
    [
        (0, 1.0, ""),
        (1_200, 0.0, "1,200 of them from the cache"),
        (1, 12.4, "1 of them from the cache, which saved $12.40"),
    ],
)
def test_what_the_cache_saved_is_in_words(cached: int, saved: float, words: str) -> None:
    assert cache_words(cached, saved) == words


def test_unread_answers_come_with_their_reason_and_a_remedy_most_frequent_first() -> None:
    assert shortfall_words({"empty": 1, "cut_off": 1_200, "new kind": 3}) == [
        "1,200 unparsed: cut off at the limit of tokens (raise `max_tokens`)",
        "3 unparsed: new kind",
        "1 unparsed: empty (look at the model's `params`, and at what its server writes)",
    ]
