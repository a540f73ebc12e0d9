"""The judgments behind a number: as many as it counts, and their contents."""

import pytest
from explorer_studies import PLANS, write

import engine
from engine.errors import UsageError
from engine.explore.judgment_detail import item
from engine.explore.judgment_page import rows
from engine.messages import conversation
from engine.slices import Slice

SLICES = [
    {},
    {"paradigm": "all_rubrics", "position": (1, 2)},
    {"polarity": "negative", "theme": "global_health"},
    {"level": "instance", "scores": "weighted"},
    {"paradigm": "direct_assessment"},
    {"paradigm": "pairwise", "generators": ("aster-large", "boreal-mini", "dune-large")},
    {"reference": "committee:four-largest", "exclude_family": True},
    {"min_agreement": 0.9},
]


@pytest.mark.parametrize("flags", SLICES, ids=str)
def test_there_are_as_many_rows_as_overestimation_counts(demo, flags):
    cells = demo.result("overestimation", resamples=0, **flags).rows
    spec = Slice.of(**flags)

    for kind, field in (("overestimation", "over"), ("underestimation", "under"), ("failed", "n")):
        assert rows(demo, spec, kind).total == sum(row[field] for row in cells)


def test_each_cell_of_overestimation_has_its_own_rows(demo):
    for row in demo.result("overestimation", resamples=0, judges=("dune-large",)).rows:
        listing = rows(demo, Slice(), judge="dune-large", generator=row["generator"])

        assert listing.total == row["over"]


def test_the_slices_of_a_grouping_make_up_the_whole(demo):
    values = {row["slice"] for row in demo.result("hspp", by="agreement", resamples=0).rows}

    parts = [rows(demo, Slice(), by="agreement", value=str(value)).total for value in values]

    assert sum(parts) == rows(demo, Slice()).total


def test_pages_of_rows_have_no_gap_or_repetition(demo):
    whole = rows(demo, Slice(judges=("dune-large",)), limit=60).rows

    halves = [rows(demo, Slice(judges=("dune-large",)), limit=30, offset=start).rows for start in (0, 30)]

    assert halves[0] + halves[1] == whole


def test_a_disagreement_is_an_over_or_an_underestimation(plain):
    spec = Slice()

    totals = {
        kind: rows(plain, spec, kind).total for kind in ("overestimation", "underestimation", "disagreement")
    }

    assert totals["underestimation"] == 0  # judges of this study never withhold credit
    assert totals["disagreement"] == totals["overestimation"] > 0


def test_all_rows_are_those_with_a_verdict(plain):
    # 3 judges x 3 generators x 12 instances x 3 rubrics, less one unparsed for each judge and generator
    assert rows(plain, Slice(), "all").total == 3 * 3 * (12 * 3 - 1)


def test_a_search_finds_words_in_any_text(plain):
    spec = Slice()

    assert rows(plain, spec, "all", search="question 3:").total == 3 * 3 * 3
    assert rows(plain, spec, "all", search="ANSWER 3 WITH").total == 3 * 3 * 3
    assert rows(plain, spec, "all", search="criterion 2").total == 3 * 3 * 12
    assert rows(plain, spec, "all", search="because <i>3</i>").total == 3 * 3 * 3
    assert rows(plain, spec, "all", search="because.*").total == 0  # words, not a pattern


def test_an_item_has_every_judges_verdict_and_the_reference(plain):
    listing = rows(plain, Slice(), judge="m1", generator="m1")
    row = listing.rows[0]

    judgment = item(
        plain, listing.request, instance_id=row["instance_id"], generator="m1", rubric_id=row["rubric_id"]
    )

    assert [verdict.judge for verdict in judgment.verdicts] == ["m1", "m2", "m3"]
    assert [verdict.relation for verdict in judgment.verdicts] == ["self", "family", "other"]
    assert judgment.verdicts[0].against == "overestimates"
    assert [source for source, _ in judgment.references] == ["program"]
    assert judgment.response is not None
    assert judgment.messages[0].role == "user"


def test_a_judgment_without_a_verdict_is_shown_with_its_raw_answer(plain):
    listing = rows(plain, Slice(), "all")

    judgment = item(plain, listing.request, instance_id="x0", generator="m1", rubric_id="r0")

    assert {verdict.status for verdict in judgment.verdicts} == {"unparsed"}
    assert {verdict.answer for verdict in judgment.verdicts} == {None}
    assert {verdict.raw for verdict in judgment.verdicts} == {"perhaps"}


def test_a_study_without_judgments_gives_the_reason(tmp_path):
    write(tmp_path, "empty", PLANS["no-judgments"])

    listing = rows(engine.open_study(str(tmp_path / "empty")), Slice())

    assert listing.total == 0
    assert listing.reason is not None


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ({"kind": "wrong"}, "overestimation"),
        ({"judge": "nobody"}, "m1"),
        ({"by": "theme", "value": "no theme"}, "theme 0"),
        ({"offset": -1}, "start at 0 or later"),
    ],
)
def test_unknown_options_are_refused_with_the_choices(plain, options, choices):
    with pytest.raises(UsageError, match=choices):
        rows(plain, Slice(), **options)


@pytest.mark.parametrize(
    ("prompt", "messages"),
    [
        ("plain words", [("user", "plain words")]),
        ('[{"role": "system", "content": "a"}, {"content": "b"}]', [("system", "a"), ("user", "b")]),
        ('[{"role": "user", "content": [{"type": "text", "text": "a"}]}]', [("user", "a")]),
        ("[not json", [("user", "[not json")]),
        ("[1, 2]", [("user", "[1, 2]")]),
        (None, []),
    ],
)
def test_a_prompt_is_a_list_of_messages_or_plain_text(prompt, messages):
    assert [(message.role, message.text) for message in conversation(prompt)] == messages
