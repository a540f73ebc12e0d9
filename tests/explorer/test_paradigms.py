"""Paradigms, committees, agreement, kinds of rubrics, and the numbers a paper printed."""

from pathlib import Path

import pytest
from explorer_studies import AWKWARD_NAMES, LACKING
from plain.published import STUDY, needs_published_study
from streamlit.testing.v1 import AppTest

import engine
from engine.explore import published
from engine.explore.filter_choices import choices_of
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.words import committee_words, paradigm_words

DEMO = Path(__file__).resolve().parents[2] / "results"
PARTS = ("paradigms", "committee", "agreement", "slices")
PAPERS = [
    "gemma_3_27b_it",
    "llama_4_maverick_17b_128e_instruct",
    "qwen3_235b_instruct",
    "gpt_5",
    "claude_4_5_sonnet",
]


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("published")
    import_tidy(STUDY, Store(store), "ifeval")
    return store


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("study", LACKING)
def test_every_part_of_an_awkward_study_opens_without_a_traceback(open_page, awkward_store, study, part):
    app = open_page("paradigms", awkward_store, study=study, part=part)

    assert app.header[0].value == "Paradigms and committee"
    messages = ("nothing to show", "a committee needs", "do not differ", "Too few", "Fewer than", "No ")
    messages += ("The study has no ",)
    assert app.get("vega_lite_chart") or any(sentence in texts(app) for sentence in messages)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_demonstration_has_a_chart(open_page, part):
    app = open_page("paradigms", part=part)

    assert len(app.get("vega_lite_chart")) == {"agreement": 2, "committee": 3}.get(part, 1)


def test_all_paradigms_are_compared_on_shared_responses(open_page):
    study = engine.open_study(str(DEMO / "demo-health"))
    common = study.result("hspp", by="paradigm", level="instance", common=True).rows
    apart = study.result("hspp", by="paradigm", level="instance").rows

    app = open_page("paradigms")
    on = texts(app)
    app.toggle(key="w_common").set_value(False).run()

    assert paradigm_words.paradigms(common) != paradigm_words.paradigms(apart)
    assert paradigm_words.paradigms(common) in on
    assert paradigm_words.paradigms(apart) in texts(app)
    assert app.query_params["common"] == "false"


def test_a_committee_is_measured_as_soon_as_it_is_chosen(open_page):
    members = ["aster-large", "boreal-mini", "cinder-mini"]
    study = engine.open_study(str(DEMO / "demo-health"))
    result_rows = study.result("committee", members=members).rows

    app = open_page("paradigms", part="committee")
    app.session_state["committee_open"] = True
    app.multiselect(key="w_members").set_value(members).run()

    table = next(frame.value for frame in app.dataframe if "hspp_self_committee" in frame.value)
    assert table["judge"].tolist() == [row["judge"] for row in result_rows]
    assert table["hspp_self_committee"].iloc[0].startswith(f"{result_rows[0]['hspp_self_committee']:.2f}")
    assert app.query_params["members"] == members


def test_two_members_are_no_committee(open_page):
    app = open_page("paradigms", part="committee", members=["aster-large", "boreal-mini"])

    assert texts(app).count("a committee needs 3 members; choose 1 more.") == 1


def test_a_member_that_is_no_judge_is_named_and_dropped(open_page):
    app = open_page(
        "paradigms", part="committee", members=["aster-large", "boreal-mini", "cinder-mini", "gone"]
    )

    assert "'gone'" in texts(app)
    assert app.multiselect(key="w_members").value == ["aster-large", "boreal-mini", "cinder-mini"]


def test_another_study_has_no_printed_numbers(open_page):
    app = open_page("paradigms", part="printed")

    assert "printed numbers" not in texts(app)
    assert published.dataset_of(engine.open_study(str(DEMO / "demo-health"))) is None


def test_names_are_never_markup(open_page, awkward_store):
    for part in PARTS:
        app = open_page("paradigms", awkward_store, study="awkward-names", part=part)

        for kind in (app.markdown, app.header, app.subheader):
            for element in kind:
                assert not any(name in element.value for name in AWKWARD_NAMES)


def test_judges_of_pairs_make_a_committee_too(open_page):
    app = open_page("paradigms", study="demo-verifiable", paradigm="pairwise", part="committee")

    assert "On comparisons of answers the committee's ratio" in texts(app)
    assert "On single criteria" not in texts(app)
    assert app.get("vega_lite_chart")


@needs_published_study
def test_the_printed_numbers_are_shown_beside_the_recomputed_ones(open_page, store):
    app = open_page("paradigms", store, study="ifeval", part="printed")

    table = next(frame.value for frame in app.dataframe if "MRA, printed" in frame.value).set_index("row")
    assert table.loc["GPT-5", "HSPP-Rub. (Self), printed"] == "1.47"
    assert table.loc["GPT-5", "HSPP-Rub. (Self), here"] == "1.47"
    assert "All 36 printed numbers of the rows in this study are reproduced" in texts(app)


@needs_published_study
def test_every_number_printed_on_losses_turned_into_wins_is_reproduced(open_page, store):
    app = open_page("paradigms", store, study="ifeval", part="printed", table="Table 2")

    assert "All 48 printed numbers of the rows in this study are reproduced" in texts(app)


@needs_published_study
def test_the_papers_committee_is_the_default_of_the_published_study(open_page, store):
    app = open_page("paradigms", store, study="ifeval", part="committee")

    assert sorted(app.multiselect(key="w_members").value) == sorted(PAPERS)
    assert "for all 5 members" in texts(app)


@needs_published_study
@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_published_study_has_a_chart(open_page, store, part):
    app = open_page("paradigms", store, study="ifeval", part=part)

    assert app.get("vega_lite_chart")
    assert part != "agreement" or "50%" in texts(app)


@needs_published_study
def test_the_published_study_is_recognised_by_its_models_and_not_by_its_name(store):
    study = engine.open_study(str(store / "ifeval"))

    assert published.dataset_of(study) == "IFEval"
    assert sorted(published.committee(study)) == sorted(PAPERS)


def member(level, alone, together):
    """Return a row of `committee` with numbers, each with its interval, None for an undefined one."""
    numbers = {"hspp_self": alone, "hspp_self_committee": together} | {
        "mra": (0.8, 0.75, 0.85),
        "mra_committee": (0.9, 0.87, 0.93),
        "mipa": (0.8, 0.7, 0.9),
        "mipa_committee": (0.85, 0.7, 0.9),
    }
    ends = ("", "_low", "_high")
    return {"judge": "a", "level": level} | {
        f"{name}{end}": value
        for name, values in numbers.items()
        for end, value in zip(ends, values or (None,) * 3, strict=True)
    }


def test_the_sentence_on_a_committee_counts_members_that_have_both_numbers():
    first, second, still = committee_words.committee(
        [
            member("rubric", (1.5, 1.3, 1.7), (1.1, 1.05, 1.2)),
            member("rubric", (1.5, 1.05, 2.1), (1.1, 0.7, 1.6)),
            member("rubric", None, (1.2, 0.9, 1.5)),
            member("instance", None, None),
        ]
    )

    assert first == (
        "On single criteria the committee's ratio is lower than the member's for both members, "
        "clearly so for 1. Its accuracy is higher for all 3 members, clearly so for all."
    )
    assert second.endswith("Its accuracy is higher for the only member, clearly so for none.")
    assert still == "The committee's ratio is still above 1 for a (single criteria)."


def test_splits_of_a_committee_are_counted_and_passed_failures_are_compared():
    lower = {"o_self_common": 0.5, "o_self_common_low": 0.4, "o_self_common_high": 0.6}
    lower |= {
        "o_self_common_committee": 0.1,
        "o_self_common_committee_low": 0.03,
        "o_self_common_committee_high": 0.2,
    }
    row = member("rubric", (1.5, 1.3, 1.7), (1.1, 0.9, 1.6)) | lower

    few, many = (committee_words.committee([row | {"divided": share}]) for share in (0.05, 0.2))

    # .9 on the criteria that it decides: with splits as half right .95 x .9 + .05 / 2 = .88 and .82. The
    # member's own accuracy ends at .85.
    assert few[0].endswith("Its accuracy is higher for the only member, clearly so for 1.")
    assert many[0].endswith("Its accuracy is higher for the only member, clearly so for none.")
    assert few[1].endswith("the only member, clearly so for 1 (a 50.0%, the committee 10.0%).")
    assert "split on 5.0% of the criteria" in few[2]
    assert few[2].endswith("With a split counted as half right its accuracy is 88.0%.")
    assert many[2].endswith("With a split counted as half right its accuracy is 82.0%.")


def test_the_sentence_on_paradigms_names_the_highest_first():
    means = [
        {"judge": None, "slice": name, "hspp_self": value, "hspp_self_low": low, "hspp_self_high": high}
        for name, value, low, high in (("pairwise", 1.2, 1.1, 1.3), ("single_rubric", 1.4, None, None))
    ]

    assert paradigm_words.paradigms(means) == (
        "The mean ratio over judges is highest with single criterion (1.40), followed by pairwise "
        "(1.20, 95% CI 1.10 to 1.30)."
    )
    assert paradigm_words.paradigms([]) == "No paradigm has a mean ratio here."


def test_the_mean_ratio_of_paradigms_is_said_to_count_comparisons_not_criteria():
    of_criteria, of_pairs = (
        [{"judge": None, "slice": name, "hspp_self": 1.2, "hspp_self_low": 1.1, "hspp_self_high": 1.3}]
        for name in ("single_rubric", "pairwise")
    )

    assert paradigm_words.what_counts(of_criteria, common=True).startswith(
        "It counts comparisons of the answers that all paradigms and judges share"
    )
    assert paradigm_words.what_counts(of_criteria, common=False).startswith(
        "It counts comparisons of answers, "
    )
    assert paradigm_words.what_counts(of_pairs, common=True) == ""


def test_the_sentences_on_size_warn_of_committees_that_can_be_divided():
    rows = [
        {"size": size, "level": "rubric", "hspp_self": value, "hspp_self_low": None, "hspp_self_high": None}
        for size, value in ((1, 1.5), (2, None), (3, 1.1))
    ]

    moved, warned = committee_words.committee_sizes(rows)

    assert "from 1.50 with one judge to 1.10 with 3 judges together" in moved
    assert "even size" in warned
    assert len(committee_words.committee_sizes(rows, "mean")) == 1
    assert committee_words.committee_sizes(rows[:2]) == [
        "Fewer than two committee sizes have a ratio to compare."
    ]


def test_the_sentence_on_families_counts_those_that_have_both_numbers():
    def left_out(family, others, everyone):
        ends = {"hspp_self_outside_low": None, "hspp_self_outside_high": None}
        numbers = {"hspp_self_outside": others, "hspp_self_outside_whole": everyone}
        return {"without": family, "level": "rubric"} | numbers | ends

    sentence = committee_words.committee_families(
        [left_out("F", 0.9, 1.2), left_out("G", 1.3, 1.1), left_out("H", None, 1)]
    )

    assert (
        "for 1 of 2 families when their own members do not vote: F from 1.20 to 0.90; G from 1.10 to 1.30."
        in sentence
    )
    assert "too few members" in committee_words.committee_families([left_out("F", None, None)])


def test_stage_and_size_are_offered_if_judges_differ_in_them():
    pairs, orders = (
        choices_of(engine.open_study(str(DEMO / name))) for name in ("demo-pairs", "demo-orders")
    )

    assert {"stage", "size"} <= set(pairs.groupings)
    assert "size" in orders.groupings
    assert "stage" not in orders.groupings
