"""`spb explain` knows every column and every code that the program prints."""

import ast
import json
from pathlib import Path
from typing import get_args

import pytest
from command_line import Spb, spb

from engine import paradigms, schema
from engine.arrays.left_out import CODES
from engine.cli import app
from engine.cli.exit_codes import exit_code_rows
from engine.cli.explain import _meanings, everything
from engine.cli.option_list import option_rows
from engine.collect.calls import Cause, FailureKind
from engine.conclusions import OF_FAMILY, OF_GROUP, OF_JUDGE, WORDS
from engine.errors import UsageError
from engine.explore.find_slices import FIND
from engine.explore.gate import EXIT_CODES, GateResult, GateStatus
from engine.findings.standing import MarkKind
from engine.measures.catalogue import MEASURES
from engine.measures.undefined_reasons import REASONS
from engine.slices import FLAGS, READERS_WORDS
from engine.store.study_files import StudyInfo
from engine.words.glossary import GLOSSARY
from engine.words.short_titles import field_title

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {(row["name"], row["kind"].split(" of ")[0]) for row in everything()}
NAMES = {name for name, _ in KNOWN}


def caveats_of_the_scorecard() -> set[str]:
    """The codes that the function of caveats names: the first of each pair in its list."""
    tree = ast.parse((ROOT / "engine/measures/scorecard/scorecard_caveats.py").read_text("utf-8"))
    body = next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "cautions"
    )
    pairs = [node for node in ast.walk(body) if isinstance(node, ast.Tuple) and len(node.elts) == 2]
    firsts = [pair.elts[0] for pair in pairs if isinstance(pair.elts[0], ast.Constant)]
    return {str(first.value) for first in firsts}


def test_every_column_of_the_store_is_explained() -> None:
    columns = {column.name for table in schema.TABLES.values() for column in table.columns}

    assert columns | set(StudyInfo.model_fields) <= NAMES


def test_every_column_of_a_measure_a_search_and_the_gate_is_explained() -> None:
    of_measures = {
        column
        for measure in (*MEASURES.values(), FIND)
        for field in measure.fields
        for column in field.columns()
    }

    assert of_measures <= NAMES
    assert set(GateResult.__dataclass_fields__) <= NAMES


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("conclusion", set(WORDS)),
        ("reason", set(REASONS)),
        ("left out", set(CODES)),
        ("caveat", caveats_of_the_scorecard()),
        ("status", set(schema.STATUSES)),
        ("shortfall", set(paradigms.SHORTFALLS)),
        ("kind", set(get_args(FailureKind))),
        ("cause", set(get_args(Cause))),
        ("mark", {kind.value for kind in MarkKind}),
        ("result", set(get_args(GateStatus))),
        ("paradigm", set(paradigms.PARADIGMS)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_code_that_the_program_prints_is_explained(kind: str, codes: set[str]) -> None:
    assert codes
    assert {code for code in codes if (code, kind) not in KNOWN} == set()


def test_a_remedy_names_a_code_that_exists() -> None:
    from engine.words.code_list import _REMEDIES, codes

    helped = [name for _, names in _REMEDIES for name in names]

    assert len(set(helped)) == len(helped)
    assert set(helped) <= {code.name for code in codes()}


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        # With these codes all may have judged the same answers, and there may be a reference.
        *((code, "have more models of other families") for code in ("no_shared_taste", "no_others")),
        ("few_families", "have models of more families"),
        ("nothing_unlabelled", "judge questions without a reference too"),
        ("too_few_labels", "give more questions a reference"),
        ("within_tastes", "judge more questions"),
        ("t_test", "judge more questions"),
        ("shared_taste", "judge more questions"),
        ("tastes_unknown", "have more models of other families"),
        ("no_gold_judges", ""),
        ("no_pair_with_two_winners", "judge more pairs"),
        ("no_equal_quality_pair", "judge more questions"),
        ("no_majority", "have an odd number of people"),
    ],
)
def test_what_helps_is_not_what_the_study_has(code: str, remedy: str) -> None:
    from engine.words.code_list import codes

    [what_helps] = {each.remedy for each in codes() if each.name == code}

    assert what_helps.startswith(remedy) if remedy else what_helps == ""


def test_a_code_with_the_name_of_its_command_is_answered_by_the_code() -> None:
    with pytest.raises(UsageError, match=r"nothing is called 'gate_pass'; did you mean .*PASS"):
        app(["explain", "gate_pass"], standalone_mode=False)


def test_of_a_shared_taste_it_is_explained_what_must_be_left(capsys: pytest.CaptureFixture[str]) -> None:
    app(["explain", "shared_taste"], standalone_mode=False)

    printed = " ".join(capsys.readouterr().out.split())
    assert "two thirds must be left" in printed
    assert "shared_taste_left in `spb judges --all`" in printed


@pytest.mark.parametrize(
    ("term", "words"),
    [
        # MEASURES section 4: a winner and a tie: the winner; two ties, or two winners: a tie.
        (
            "vote",
            "1 if it wins both, or one and ties the other; .5 for two ties or different winners; else 0",
        ),
        ("vote_outside", "1 if it wins both orders, or one and ties the other, .5 for two ties or different"),
        ("pairs", "both orders in which it saw them are one pair"),
        ("given", "its mean vote (a flip is one half)"),
        # MEASURES section 19
        ("expected", "fitted by marginal likelihood (Gauss-Hermite, 31 nodes, ridge 1e-4 on s and f)"),
        ("expected", "own_expected = rate(d - log odds_self)"),
        ("points", "scores from 1 to 10 are divided by 10, so they begin at 10 points, not at 0"),
    ],
)
def test_how_given_and_expected_are_counted_is_explained(
    term: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app(["explain", term], standalone_mode=False)

    assert words in " ".join(capsys.readouterr().out.split())


def test_what_helps_is_printed_with_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    app(["explain", "few_credited", "--format", "json"], standalone_mode=False)

    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["meaning"].partition("What helps: ")[2].startswith("judge more questions")


def explained(capsys: pytest.CaptureFixture[str], term: str) -> list[dict[str, str]]:
    app(["explain", term, "--format", "json"], standalone_mode=False)
    rows: list[dict[str, str]] = json.loads(capsys.readouterr().out)["rows"]
    return rows


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("annotator", "label"),
        ("annotators", "label"),
        ("instance", "question"),
        ("instances", "question"),
        ("criteria", "criterion"),
        ("judges", "judge"),
        ("generator", "author"),
        ("generators", "author"),
        ("hspp", "HSPP ratio"),
        ("Hspp", "HSPP ratio"),
        ("families", "family"),
        ("axes", "axis, theme, category"),
        ("self preference", "self-preference"),
        ("own  Failure", "own failures"),
        ("responses", "answer"),
    ],
)
def test_a_term_answers_to_its_other_forms(capsys: pytest.CaptureFixture[str], word: str, term: str) -> None:
    assert (term, "term") in {(row["name"], row["kind"]) for row in explained(capsys, word)}


def test_every_form_of_every_term_finds_it() -> None:
    missing = [
        (form, term.name)
        for term in GLOSSARY
        for form in (term.name, *term.forms)
        for written in (form, form.upper(), form.replace(" ", "_"), form.replace(" ", "-"))
        if term.name not in {row["name"] for row in _meanings(written)}
    ]

    assert missing == []


def test_every_name_finds_itself_in_any_case_and_with_any_dashes() -> None:
    names = {row["name"] for row in everything()}

    lost = [
        name
        for name in names
        if name not in {row["name"] for row in _meanings(name.upper().replace("_", "-"))}
    ]

    assert lost == []


def test_columns_of_that_very_name_stay_alone_beside_the_term(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {row["name"] for row in explained(capsys, "judges")}

    assert kinds == {"judge", "judges", "--judges"}


@pytest.mark.parametrize(
    "word", ["board", "card", "demonstration", "cells", "discernment", "few credited", "naive"]
)
def test_a_word_that_newcomers_met_is_explained(word: str) -> None:
    assert list(_meanings(word))


def test_every_filter_and_every_option_of_every_command_is_explained(capsys, monkeypatch) -> None:
    rows = option_rows()
    flags = {f"--{flag.name.replace('_', '-')}" for flag in FLAGS}

    assert flags <= {row["name"] for row in rows if row["kind"] == "filter"}
    assert {"--out", "--by", "--quiet", "--max-usd", "--decide", "--set"} <= {row["name"] for row in rows}
    assert [row["name"] for row in rows if not row["meaning"]] == []
    for flag in sorted(flags | {"--out", "--by", "--format", "--redo"}):
        for written in (flag, flag[2:], flag[2:].replace("-", "_")):
            assert spb(monkeypatch, "explain", written) == 0
            assert f"{flag} (" in capsys.readouterr().out


def test_a_filter_that_shares_its_name_with_a_column_is_explained_beside_it(capsys, monkeypatch) -> None:
    spb(monkeypatch, "explain", "agreement_of")
    both = capsys.readouterr().out
    spb(monkeypatch, "explain", "--agreement-of")
    of_option = capsys.readouterr().out

    assert "agreement_of (column of which-judge)" in both
    assert "--agreement-of (filter)" in both
    assert "--agreement-of (filter)" in of_option
    assert "column of" not in of_option


def test_own_options_of_explain_still_apply(capsys, monkeypatch) -> None:
    assert spb(monkeypatch, "explain", "--min-agreement", "--format", "json") == 0

    assert [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["--min-agreement"]


@pytest.mark.parametrize("word", ["failed", "p-value", "p", "p value", "passed"])
def test_the_words_of_every_sentence_are_terms(word: str) -> None:
    assert "term" in {row["kind"] for row in _meanings(word)}


@pytest.mark.parametrize(
    "words", ["which-judge", "which judge", "choose", "Which judge to use?", "Which judge is fit for what?"]
)
def test_who_looks_for_a_judge_to_use_gets_the_measure_and_its_command(words: str) -> None:
    (measure,) = [row for row in _meanings(words) if row["kind"] == "measure"]

    assert measure["name"] == "which-judge"
    assert "`spb measure which-judge STUDY` computes it" in measure["meaning"]


@pytest.mark.parametrize("words", ["order bias", "position bias", "Position-bias"])
def test_a_bias_by_order_leads_to_the_measure_of_it(words: str) -> None:
    assert "order-effect" in {row["name"] for row in _meanings(words) if row["kind"] == "measure"}


def test_a_name_that_is_not_alike_is_not_proposed(spb_here: Spb) -> None:
    far, near = spb_here("explain", "median"), spb_here("explain", "overestimatoin")

    assert "did you mean" not in far.stderr
    assert "did you mean" in near.stderr
    assert "overestimation" in near.stderr


def test_every_conclusion_is_explained_by_more_than_its_own_words() -> None:
    meanings = {row["name"]: row["meaning"] for row in everything() if row["kind"] == "conclusion"}

    assert set(meanings) == set(WORDS)
    for code, words in WORDS.items():
        own = {*words.casefold().split(), *code.split("_")}
        assert len(set(meanings[code].rstrip(".").casefold().split()) - own) > 5, code


def test_every_conclusion_is_found_by_the_words_of_its_chip() -> None:
    for conclusions in (OF_GROUP, OF_FAMILY, OF_JUDGE):
        for code, words in conclusions.items():
            assert code in {row["name"] for row in _meanings(words) if row["kind"] == "conclusion"}


def test_what_is_concluded_on_families_is_explained_of_families() -> None:
    meanings = {row["name"]: row["meaning"] for row in everything() if row["kind"] == "conclusion"}

    assert meanings["favours_family"].startswith("it rates its family's other models higher than ")
    assert meanings["judges_disfavour_their_families"].startswith(
        "as a group, the judges rate their families' other models lower than "
    )


def test_a_measure_that_is_other_rows_of_one_is_explained_by_its_present_command() -> None:
    (measure,) = [row for row in _meanings("judge-costs") if row["kind"] == "measure"]

    assert "`spb measure which-judge STUDY --rows costs` computes it" in measure["meaning"]


def test_every_heading_of_a_measures_table_and_the_words_of_every_reason_are_explained() -> None:
    headings = {
        field_title(measure, field.name) for measure in (*MEASURES.values(), FIND) for field in measure.fields
    }

    unexplained = {
        words for words in {*headings, *REASONS.values(), *WORDS.values()} if not list(_meanings(words))
    }

    assert unexplained == set()


def test_the_code_of_an_inconclusive_gate_is_explained() -> None:
    code = EXIT_CODES["INCONCLUSIVE"]
    (row,) = [row for row in exit_code_rows() if row["code"] == code]

    assert "`gate`" in str(row["meaning"])
    assert "inconclusive" in str(row["meaning"])


@pytest.mark.parametrize(
    ("term", "name", "words"),
    [
        ("configuration", "configuration", "the TOML file of `spb run`"),
        ("config", "configuration", "`spb run -h` shows the smallest"),
        ("price", "price", 'price = "IN/OUT"'),
        ("cap", "cap", "`max_usd` under [run]"),
        ("max_usd", "max_usd", "spending cap of the run in dollars"),
        ("retry-on", "retry_on", "further HTTP statuses"),
    ],
)
def test_words_of_a_runs_configuration_lead_to_an_example_and_to_all_fields(
    term: str, name: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spb(monkeypatch, "explain", term, "--format", "json") == 0

    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert row["name"] == name
    assert words in row["meaning"]
    assert "`spb run example` prints a configuration, and docs/run-options.md has all" in row["meaning"]


def test_a_word_with_another_meaning_keeps_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spb(monkeypatch, "explain", "config")

    assert "config (column of the table runs)" in capsys.readouterr().out


@pytest.mark.parametrize("word", READERS_WORDS)
def test_readers_words_of_filters_are_explained(spb_here: Spb, word: str) -> None:
    output = spb_here("explain", word)

    text = " ".join(output.stdout.split())
    assert output.returncode == 0, output.stderr
    assert f"{word} (word of readers): In `--" in text
    assert f"the same as `{READERS_WORDS[word]}`" in text


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("leniency", "In JSON and CSV of 1, in tables in points of 100."),
        ("pair_order", "In JSON and CSV of 1, in tables in percent."),
        ("bonus", "In points of 100."),
    ],
)
def test_a_column_of_shares_or_points_is_explained_with_its_unit(column, unit):
    columns = [row for row in _meanings(column) if row["kind"].startswith("column")]

    assert columns
    assert all(unit in row["meaning"] for row in columns)


@pytest.mark.parametrize("name", ["base_url", "OPENAI_BASE_URL", "endpoint"])
def test_an_address_is_explained_by_the_names_that_other_programs_have_for_it(
    spb_here: Spb, name: str
) -> None:
    assert "api_base (field of a run's configuration" in spb_here("explain", name).stdout


def test_an_argument_that_only_python_has_is_explained_as_such(spb_here: Spb) -> None:
    explained = spb_here("explain", "full").stdout

    assert explained.startswith("full (argument of frames in Python): whether all columns")
