"""The overview warns of relatives in the reference, failures and few cases, and puts numbers in words."""

import pytest
from explorer_studies import THREE, Plan, write

from engine.explore.cautions import MOST_NAMES, family_in_reference, few_cases, many_failures
from engine.store import Store
from engine.store.publish import change_info
from engine.store.study_files import Committee, StudyFiles
from engine.views.ratios import judge_sentences

FAMILIES = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}
MEMBERS = ("a1", "a2", "b1")


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


def test_each_judge_whose_family_votes_in_its_reference_is_named_with_how_many():
    (caution,) = family_in_reference(FAMILIES, "committee:x", MEMBERS, FAMILIES)

    assert caution.judges == ("a1", "a2", "b1")
    assert "a1 (2 of 3 members)" in caution.text
    assert "b1 (1 of 3 members)" in caution.text
    assert "--exclude-family" in caution.text


def test_a_judge_left_out_of_its_reference_is_warned_of_for_its_relatives_only():
    (caution,) = family_in_reference(FAMILIES, "committee:x", MEMBERS, FAMILIES, leave_self_out=True)

    assert caution.judges == ("a1", "a2")
    assert "a1 (1 of 3 members)" in caution.text


CALLED = [{"model": "a", "role": "judge", "config": "judges = ['a']"}]


@pytest.mark.parametrize("reference", [None, "program", "human"])
def test_a_reference_that_is_no_committee_has_no_relatives(reference):
    assert family_in_reference(FAMILIES, reference, MEMBERS, FAMILIES) == []


def test_a_committee_of_other_families_needs_no_warning():
    assert family_in_reference(["c1"], "committee:x", MEMBERS, FAMILIES) == []


def test_failures_above_a_twentieth_are_reported_with_their_share_and_main_kind():
    counts = [("a", "ok", 80), ("a", "unparsed", 15), ("a", "error", 5), ("b", "ok", 95), ("b", "error", 5)]

    (caution,) = many_failures(counts, CALLED)

    assert caution.judges == ("a",)  # b: 5 of 100 is not above a twentieth
    assert "a (20.0% of 100, mostly unparsed)" in caution.text
    assert "Continue the run" in caution.text


def test_a_judge_without_any_verdict_is_warned_of():
    (caution,) = many_failures([("a", "refused", 3)], CALLED)

    assert "a (100.0% of 3, mostly refused)" in caution.text


@pytest.mark.parametrize(
    ("runs", "of_run", "of_import"),
    [
        (["a", "b"], True, False),
        (["a"], True, True),
        ([], False, True),
    ],
)
def test_only_what_a_run_asked_is_asked_again_by_it(runs, of_run, of_import):
    rows = [{"model": name, "role": "judge", "config": "x"} for name in runs]

    (caution,) = many_failures([("a", "error", 3), ("b", "error", 3)], rows)

    assert ("ontinue the run, which retries errors" in caution.text) is of_run
    assert ("f the file that was imported lacks them, import it again" in caution.text) is of_import


def row(judge, n_self, n_family=100, n_matched=100, ratio=1.2, family=1.1):
    return {
        "judge": judge,
        "hspp_self": ratio,
        "n_self": n_self,
        "hspp_matched": 1.0,
        "n_matched": n_matched,
        "hspp_family": family,
        "n_family": n_family,
    }


def test_ratios_of_fewer_than_thirty_cases_are_named_with_their_number():
    (caution,) = few_cases([row("a", 29), row("b", 30), row("c", 30, n_family=7), row(None, 1)])

    assert caution.judges == ("a", "c")
    assert "a (29 own cases)" in caution.text
    assert "c (7 family cases)" in caution.text


def test_a_missing_ratio_is_not_called_small():
    assert few_cases([row("a", 100, n_family=0, family=None)]) == []


def test_of_very_many_judges_the_first_are_named_and_the_others_counted():
    (caution,) = few_cases([row(f"j{place}", 1) for place in range(200)])

    assert len(caution.judges) == 200
    assert f"j{MOST_NAMES - 1} (" in caution.text
    assert f"and {200 - MOST_NAMES} more" in caution.text


def numbers(**changes):
    row_ = {"judge": "j", "hspp_self": 1.5, "hspp_self_low": 1.2, "hspp_self_high": 1.9, "o_self": 0.3}
    row_ |= {"o_other": 0.2, "n_self": 1200, "hspp_matched": None, "hspp_family": None, "reasons": {}}
    return row_ | changes


def test_a_judges_numbers_make_a_sentence():
    (sentence,) = judge_sentences([numbers()], "rubric")

    assert sentence == (
        "j passed 30.0% of the 1,200 criteria that its own answers failed, and 20.0% of those that another "
        "family's model failed, averaged over models: 1.50 times as often (95% CI 1.20 to 1.90)."
    )


def test_at_instance_level_the_sentence_speaks_of_comparisons():
    (sentence,) = judge_sentences([numbers()], "instance")

    assert sentence.startswith(
        "j made wins or ties of 30.0% of the 1,200 comparisons that its own answers lost"
    )


def test_a_missing_ratio_is_explained_in_the_sentence():
    (sentence,) = judge_sentences([numbers(hspp_self=None, reasons={"hspp_self": "no_others"})], "rubric")

    assert sentence == "j has no ratio: no model of another family."


def with_committee(root, name):
    """Write a study whose only reference is a committee of two relatives and an outsider."""
    write(root, name, Plan(THREE, tuple(THREE), references=False))
    committee = {"all": Committee(members=list(THREE), paradigm="single_rubric", variant="default")}
    change_info(StudyFiles.at(root / name), lambda info: info.model_copy(update={"committees": committee}))


def test_the_overview_warns_of_relatives_that_vote_in_the_reference(open_page, tmp_path):
    with_committee(tmp_path, "kin")

    lines = texts(open_page(store=tmp_path, study="kin"))

    assert "committee:all" in lines
    assert "m1 (2 of 3 members)" in lines


def test_the_overview_of_a_small_study_names_its_small_cells(open_page, awkward_store):
    lines = texts(open_page(store=awkward_store, study="plain"))

    assert "Ratios based on fewer than 30 cases: m1 (" in lines


def test_the_demonstration_needs_no_warning(open_page):
    assert "⚠" not in texts(open_page())


def test_the_overview_puts_every_judges_numbers_into_words(open_page):
    app = open_page(in_words="true")
    app.session_state["ratios_open"] = True
    app.run()
    lines = texts(app)

    for judge in ("aster-large", "dune-large"):
        assert f"{judge} passed " in lines
    assert "another family's model failed, averaged over models" in lines


def test_a_study_without_judgments_has_the_button_that_starts_a_run(open_page, awkward_store):
    app = open_page(store=awkward_store, study="no-judgments")

    assert "There are no judgments yet." in texts(app)
    assert "Run judges on the answers" in [link.label for link in app.main.get("page_link")]


def test_a_study_without_references_has_a_button_for_each_way_to_one(open_page, tmp_path):
    write(tmp_path, "no-reference", Plan(THREE, tuple(THREE), references=False))
    app = open_page(store=tmp_path, study="no-reference")

    links = [link.label for link in app.main.get("page_link")]
    assert {"Have people label answers", "Import a file with references"} <= set(links)
    assert "spb " not in texts(app), "the page has buttons, not commands"
    app.button(key="majority").click().run()

    assert not app.exception
    assert "all-judges" in Store(tmp_path).open("no-reference").info.committees


STRANGERS = Plan({"judge": "a", "writer": "a"}, ("judge",), references=False, generators=("writer",))
"""One judge, whose own responses nobody judged."""


def test_a_judge_without_responses_of_its_own_is_told_once_what_is_missing(open_page, tmp_path):
    write(tmp_path, "strangers", STRANGERS)
    pages = {page: open_page(page, tmp_path, study="strangers") for page in ("judges", "findings", "present")}

    why = "Self-preference cannot be measured here, because no judge is among the models that it judged; "
    for app in pages.values():
        assert texts(app).count("no judge is among the models that it judged") == 1
        assert why + "have these models, and judges of other families, judge the answers." in texts(app)
    links = [link.label for link in pages["judges"].main.get("page_link")]
    assert "Have models judge each other" in links
    assert "no judge has judged its own answers" not in texts(pages["judges"])


@pytest.mark.parametrize("page", ["equal_quality", "quality_baseline"])
def test_a_page_of_pairs_without_pairs_leads_to_a_run_of_pairs(open_page, tmp_path, page):
    write(tmp_path, "no-pairs", Plan(THREE, tuple(THREE), references=False))
    app = open_page(page, tmp_path, study="no-pairs")

    links = [link.label for link in app.main.get("page_link")]
    assert "Have models judge each other, in both orders" in links
    assert "Import a file with references" not in links


def test_judges_that_judged_only_others_get_the_reason_instead_of_an_empty_chart(open_page, tmp_path):
    write(tmp_path, "outside", Plan(THREE | {"j": "gamma"}, ("j",), generators=("m1", "m2", "m3")))

    app = open_page(store=tmp_path, study="outside")

    assert "because no judge is among the models that it judged; have these models" in texts(app)
    assert "No judge has a ratio" not in texts(app)
    assert "How often is a judge right?" in [head.value for head in app.subheader]
