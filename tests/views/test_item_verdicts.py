"""The verdicts of every judge on one item, as a table."""

from dataclasses import replace

from engine.explore.judgment_detail import JudgedItem, StoredVerdict
from engine.views.item_verdicts import occasion, verdicts_on

VERDICT = StoredVerdict(
    judge="oak",
    family="trees",
    relation="self",
    status="ok",
    answer="met",
    against="overestimates",
    explanation="It names the dose.",
    raw="{}",
    presentation=None,
    run_id="r",
    trial=0,
    run_facts=(),
    call={},
)
ITEM = JudgedItem("q1", (), None, None, "oak", "An answer.", None, None, None, (), (VERDICT,))


def test_a_verdict_is_a_row_with_its_sign_and_reason():
    table = verdicts_on(ITEM)

    assert table.heads == ("Judge", "Relation", "Answer", "Reason")
    assert table.rows == (("oak", "self", "▲ met", "It names the dose."),)


def test_a_judgment_without_a_verdict_says_its_status_and_shows_the_raw_answer():
    unread = replace(VERDICT, status="unparsed", answer=None, against=None, explanation=None, raw="Hm.")

    table = verdicts_on(replace(ITEM, verdicts=(unread,)))

    assert table.rows == (("oak", "self", "no verdict (unparsed)", "Hm."),)


def test_verdicts_of_several_runs_and_repeats_are_told_apart():
    again = replace(VERDICT, run_id="second")
    repeat = replace(VERDICT, trial=1)

    assert occasion(replace(ITEM, verdicts=(VERDICT, again)), again) == ["run second"]
    assert occasion(replace(ITEM, verdicts=(VERDICT, repeat)), repeat) == ["repeat 1"]
    assert occasion(ITEM, VERDICT) == []


def test_what_was_shown_first_is_a_column_where_it_is_known():
    shown = replace(VERDICT, presentation="oak shown first")

    table = verdicts_on(replace(ITEM, verdicts=(VERDICT, shown)))

    assert [row[table.heads.index("Shown")] for row in table.rows] == ["–", "oak shown first"]
