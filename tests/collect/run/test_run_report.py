"""The report of a run: what its last line says, its exit code, and the sum of its shards."""

import pytest

from engine.collect.limits.spending import assumed_words
from engine.collect.run.run_report import End, RunReport, sum_reports


def report(end: End = "done", **fields: object) -> RunReport:
    return RunReport(run_id="r1", end=end, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("end", "code"),
    [("done", 0), ("errors", 3), ("budget", 4), ("unread", 5), ("time", 7), ("interrupted", 130)],
)
def test_the_exit_code_says_how_a_run_ended(end: End, code: int) -> None:
    assert report(end).exit_code == code


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ok": 1_000, "total": 1_100, "later": 100}, ["1,000 of 1,200 calls answered"]),
        ({"already_done": 1, "total": 1, "cached": 1}, ["1 of 1 calls answered", "1 of them from the cache"]),
        ({"error": 1}, ["0 of 0 calls answered", "1 error"]),
        (
            {"error": 1_003, "errors": {"server": 1_002, "key": 1}},
            ["0 of 0 calls answered", "1,003 errors (server 1,002, key 1)"],
        ),
        ({"ok": 1, "refused": 1, "total": 2}, ["2 of 2 calls answered", "1 refused by the provider"]),
        ({"refused": 2, "total": 2}, ["2 of 2 calls answered", "all 2 refused by the provider"]),
        (
            {"shortfalls": {"new kind": 1, "cut_off": 2}},
            [
                "0 of 0 calls answered",
                "2 unparsed: cut off at the limit of tokens (raise `max_tokens`), 1 unparsed: new kind",
            ],
        ),
        (
            {"stood_in": {"b for a": 1_200}},
            ["0 of 0 calls answered", "1,200 answered by b for a, as the judge that answered"],
        ),
        (
            {"missing": {("a", None): 1, ("b", "cut_off"): 2}},
            [
                "0 of 0 calls answered",
                "3 missing answers not judged (a: 1, b: 2 cut off at the limit of tokens)",
            ],
        ),
        ({"abandoned": 1}, ["0 of 0 calls answered", "gave up 1 call under way"]),
        ({"with_provider": 2}, ["0 of 0 calls answered", "2 calls with the provider in batches"]),
        (
            {"assumed": 2, "assumed_usd": 0.5},
            ["0 of 0 calls answered", assumed_words(2, 0.5)],
        ),
        ({"notes": ["one", "two"]}, ["0 of 0 calls answered", "one", "two"]),
    ],
)
def test_the_message_says_what_was_answered_and_what_was_not(
    fields: dict[str, object], words: list[str]
) -> None:
    assert report(**fields).message == "; ".join(words)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("budget", "the budget of $1,200 does not allow another call ($1,199 spent)"),
        ("time", "stopped after max_minutes"),
        ("interrupted", "interrupted"),
    ],
)
def test_the_message_says_why_a_run_stopped(end: End, words: str) -> None:
    stopped = report(end, spent=1_199.0, cap=1_200.0)

    assert stopped.message == f"0 of 0 calls answered; {words}"


def test_the_cap_that_earlier_starts_spent_names_a_new_run() -> None:
    stopped = report("budget", spent=1_199.0, spent_before=1_000.0, cap=1_200.0)

    assert (
        "($1,199 spent, $1,000 of it by earlier starts of this run; --fresh begins another)"
        in stopped.message
    )


def test_trial_calls_before_the_run_are_said_apart() -> None:
    stopped = report("budget", spent=0.05, trial_usd=0.001, cap=0.05)

    assert "does not allow another call ($0.05 spent, $0.001 of it on trial calls" in stopped.message


def test_the_counts_of_a_report_are_in_its_table() -> None:
    table = report(
        "errors", ok=2, total=5, later=1, missing={("a", "empty"): 3}, given_up={"a": "no key"}
    ).to_dict()

    assert (table["state"], table["planned"], table["done"], table["ok"]) == ("errors", 6, 2, 2)
    assert table["missing_responses"] == [{"model": "a", "shortfall": "empty", "responses": 3}]
    assert table["given_up"] == {"a": "no key"}
    assert report(ok=2, already_done=1, total=5, later=1).calls_left == 3


@pytest.mark.parametrize(
    ("ends", "worst"),
    [
        (["done", "done"], "done"),
        (["done", "unread"], "unread"),
        (["unread", "errors"], "errors"),
        (["errors", "time"], "time"),
        (["time", "budget"], "budget"),
        (["budget", "interrupted"], "interrupted"),
    ],
)
def test_the_worst_end_of_the_shards_is_that_of_the_run(ends: list[End], worst: End) -> None:
    assert sum_reports("r", [[report(end)] for end in ends]).end == worst


def test_a_shard_whose_answers_are_all_unread_does_not_make_a_run_unread() -> None:
    assert sum_reports("r", [[report("unread")], [report("done", ok=1)]]).end == "done"


def test_the_last_try_of_a_shard_says_how_it_ended_and_all_tries_what_it_cost() -> None:
    first = report(
        "budget", seconds=1.0, given_up={"a": "x"}, missing={("a", None): 1}, abandoned=1, spent=3.0,
        assumed=1, assumed_usd=0.5, cap=4.0, notes=["n", "m"],
    )  # fmt: skip
    second = report(
        "done", seconds=2.0, given_up={"b": "y"}, missing={("a", None): 1, ("b", None): 1}, abandoned=2,
        spent=2.0, assumed=2, assumed_usd=0.25, notes=["m", "o"],
    )  # fmt: skip

    total = sum_reports("r", iter([[first, second]]))

    assert (total.run_id, total.end, total.seconds) == ("r", "done", 3.0)
    assert total.given_up == {"a": "x", "b": "y"}
    assert (total.missing, total.unanswered) == ({("a", None): 1, ("b", None): 1}, 2)
    assert (total.abandoned, total.spent, total.cap) == (3, 3.0, 4.0)
    assert (total.assumed, total.assumed_usd) == (3, 0.75)
    assert total.notes == ["n", "m", "o"]


def test_the_sum_of_no_reports_has_nothing() -> None:
    total = sum_reports("r", [])

    assert (total.end, total.planned, total.spent, total.cap, total.missing) == ("done", 0, 0.0, None, {})
