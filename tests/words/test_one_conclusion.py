"""No two places contradict each other about a judge (MEASURES section 16).

Every shipped study and eight random ones, which have every conclusion: what the board, the findings, the
pinned views of a presentation and of a report, `spb doctor`, `spb check-judge` and a notebook say is held
against the rows of the scorecard.
"""

import functools
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.claims.judges import Judges
from benchmarks.claims.pairs import PairStudies
from benchmarks.claims.rubrics import RubricStudies
from benchmarks.claims.scores import ScoreStudies
from without_charts import without_charts

from engine.charts.board import board_rows
from engine.conclusions import WORDS, is_claim, is_firm, is_open
from engine.explore.gate import check_judges
from engine.findings.findings import Findings
from engine.findings.standing import MarkKind
from engine.measures.scorecard.beyond_scale import is_beyond_scale
from engine.report.card import card_of
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study
from engine.views.registry import VIEWS, shown_by_name
from engine.views.summaries import summary_of
from engine.words import board_facts, caveats, conclusions, group_conclusions
from engine.words.given_expected import beyond_scale_words, of_rows

SHIPPED = sorted(path.name for path in Path("results").iterdir() if (path / "study.json").exists())
RANDOM = (0, 1, 2, 3, 5, 6, 8, 11)
ONE_OF_EACH_KIND = (8, 5, 2, 3)
"""Random studies with verdicts, without a reference, with pairs and with scores: a claim is made on three."""
FORTHRIGHT = re.compile(
    r"(?<!dis)favours? (itself|themselves)|disfavours? (itself|themselves)"
    r"|(is|are) harder on (itself|themselves)|(over|under)rates? (its|their) own answers"
    r"|prefers? (itself|themselves)"
    r"|(dis)?favours? (its|their|the rest of \w+) (famil\w+|relatives|sister models)"
)
"""The words in which a claim about a judge is made."""
OF_SELF = {
    *("own-failures", "equal-pairs", "beyond-gold", "own-points", "beyond-quality"),
    *("opponents", "own-places"),
}
"""Rules of findings whose claims stand only of judges that favour themselves."""


class Once(Study):
    """A study that computes each measure once for the same options."""

    @functools.cached_property
    def results(self):
        return {}

    def result(self, measure, **arguments):
        name = measure if isinstance(measure, str) else measure.name
        key = name, repr(sorted(arguments.items())) if name != "scorecard" else ""
        if key not in self.results:
            self.results[key] = super().result(measure, **arguments)
        return self.results[key]


def random_study(number: int, folder: Path) -> Study:
    """Return a small study of verdicts, pairs or scores with a bias of some kind, or none."""
    rng = np.random.default_rng([number, 9])
    judges = Judges(
        models=int(rng.choice([3, 6, 8, 8])),
        family_size=int(rng.integers(1, 3)),
        strictness=float(rng.choice([0.2, 1.0])),
        appeal=float(rng.choice([0.0, 0.0, 1.0])),
        tastes=float(rng.choice([0.0, 0.0, 0.4])),
        planted=float(rng.choice([-2.0, 0.0, 2.5, 2.5])),
        planted_family=float(rng.choice([0.0, 2.0])),
    )
    instances = int(rng.choice([9, 40, 60]))
    studies = (
        RubricStudies(judges, instances, rubrics=4, missing=float(rng.choice([0, 0, 0.5]))),
        RubricStudies(judges, instances, rubrics=2, reference=False),
        PairStudies(judges, instances, shown_share=1.0, gold=bool(rng.random() < 0.7)),
        ScoreStudies(judges, instances),
    )[number % 4]
    info = StudyInfo(name="random", title="Random", provenance="simulated", source="drawn")
    Store(folder).write("random", studies.draw(rng).tables(), info, mode="new")
    return Once.open(folder / "random")


@pytest.fixture(scope="module")
def draw_study(tmp_path_factory):
    """Return a function that returns a random study by number, each drawn once."""
    return functools.cache(lambda number: random_study(number, tmp_path_factory.mktemp("random")))


@pytest.fixture(scope="module", params=[*SHIPPED, *RANDOM], ids=str)
def study(request, draw_study):
    if request.param in SHIPPED:
        return Once.open(Path("results") / request.param)
    return draw_study(request.param)


@pytest.fixture(scope="module")
def rows(study):
    """The rows of single judges."""
    return conclusions.judges_of(study.result("scorecard").rows)


@pytest.fixture(scope="module")
def findings(study) -> Findings:
    return study.findings(resamples=40)


def concluded_on(rows, field="conclusion"):
    return {row["judge"]: row[field] for row in rows}


def allowed(rows):
    """Return every sentence that may make a claim about a judge."""
    sentences = [conclusions.study_sentence(rows), *conclusions.study_sentences(rows)]
    if (group := group_conclusions.group_row(rows)) is not None:
        sentences += [group_conclusions.group_sentence(rows), group_conclusions.group_family_sentence(group)]
    for row in conclusions.judges_of(rows):
        sentences += [conclusions.conclusion_sentence(row), conclusions.family_sentence(row) or ""]
    return sentences


def claims_beside(text, rows):
    """Return the claims in a text beyond the scorecard's own sentences; a question makes none."""
    text = re.sub(r"[^.?]+\?", "", text)
    for sentence in sorted(filter(None, allowed(rows)), key=len, reverse=True):
        text = text.replace(sentence, "")
    return [match[0] for match in FORTHRIGHT.finditer(text)]


def test_findings_claim_about_each_judge_what_the_scorecard_concludes(rows, findings):
    of_self, of_family = concluded_on(rows), concluded_on(rows, "family_conclusion")

    claims = {"conclusion": {}, "relatives": {}}
    for claim in findings.claims:
        if claim.rule in claims:
            assert claim.stands
            has_mark = claim.marked(MarkKind.CAUSE_OPEN)
            claims[claim.rule][claim.at["judge"]] = (claim.sentence, has_mark)

    by_judge = {row["judge"]: row for row in rows}
    assert claims["conclusion"] == {
        judge: (conclusions.conclusion_sentence(by_judge[judge]), is_open(code))
        for judge, code in of_self.items()
        if is_claim(code)
    }
    assert claims["relatives"] == {
        judge: (conclusions.family_sentence(by_judge[judge]), not is_firm(code))
        for judge, code in of_family.items()
        if is_claim(code)
    }


def test_no_other_claim_about_a_judge_itself_stands_without_the_conclusion(rows, findings):
    favouring = {row["judge"] for row in rows if row["conclusion"] == "favours_itself"}

    others = {claim.at["judge"] for claim in findings.claims if claim.rule in OF_SELF and claim.stands}

    assert others <= favouring


def test_advice_names_the_judges_and_the_group_that_rate_their_own_too_high(study, rows, findings):
    group = group_conclusions.group_row(study.result("scorecard").rows) or {"conclusion": None}
    of_self = {row["judge"] for row in rows if row["conclusion"] in ("favours_itself", "overrates_itself")}
    families = ("favours_family", "overrates_family")
    of_family = {row["judge"] for row in rows if row["family_conclusion"] in families}
    all_high = [code for code in (group["conclusion"], group.get("family_conclusion")) if is_high(code)]

    advised = {claim.rule: claim for claim in findings.claims if claim.question == "advice"}
    because = advised["leave-self-out"].because if "leave-self-out" in advised else ()
    family_because = advised["leave-family-out"].because if "leave-family-out" in advised else ()

    subjects = {claim_id.partition(":")[2] for claim_id in because}
    family_subjects = {claim_id.partition(":")[2] for claim_id in family_because}
    assert subjects == of_self | ({"all"} if is_high(group["conclusion"]) else set())
    assert family_subjects - {"families"} == of_family
    assert bool(all_high) == bool({"all", "families"} & (subjects | family_subjects))


def is_high(code):
    """Return whether a conclusion on the group says that judges rate their own, or relatives, too high."""
    return bool(re.match("judges_(favour|overrate)_", str(code)))


def test_no_advice_on_committees_contradicts_what_stands_on_them(findings):
    standing = [claim for claim in findings.claims if claim.question == "committee" and claim.stands]
    helping = [claim for claim in standing if claim.rule in ("members", "sizes")]
    advice = next((claim for claim in findings.claims if claim.rule == "use-committee"), None)
    answer = next(answer for answer in findings.answers if answer.question == "committee")

    if any(closer_to_none(claim) for claim in helping):
        assert advice.sentence.startswith("Judge by")
        assert not any(sentence.startswith("No committee") for sentence in answer.sentences)
    elif advice is not None:
        assert advice.sentence.startswith("Do not use a committee")
        assert "nothing to correct" not in advice.sentence


def closer_to_none(claim):
    """Return whether a claim says that a committee is nearer to no preference than single judges are."""
    if claim.rule == "members":
        return claim.value < claim.rows[0]["ratio_outside"]
    alone = next(row["hspp_self"] for row in claim.rows if row["size"] == 1)
    return abs(claim.value - 1) < abs(alone - 1)


def test_what_is_not_shown_is_in_no_answer(findings):
    answers = {sentence for each in findings.answers for sentence in each.sentences}
    not_shown = {claim.sentence for claim in findings.claims if not claim.stands}

    assert answers & not_shown == set()


def test_the_short_answer_is_the_studys_sentence(study, rows, findings):
    answer = next(answer for answer in findings.answers if answer.question == "who")

    if rows:
        every = study.result("scorecard").rows
        assert answer.sentences[0] == conclusions.study_sentence(every)
        assert claims_beside(" ".join(answer.sentences), every) == []


def test_the_board_has_each_judges_conclusion(rows):
    judges = board_facts.by_excess(rows)

    if rows:
        assert {row["judge"] for row in judges} == set(concluded_on(rows))
        frame = board_rows(rows)
        chips = dict(zip(frame["judge"], frame["conclusion"], strict=True))
        with_numbers = [row for row in rows if row["own_expected"] is not None]
        assert chips == {row["judge"]: conclusions.conclusion_words(row) for row in with_numbers}


def test_pinned_views_of_judges_show_the_studys_sentence(study, rows):
    every = study.result("scorecard").rows

    with without_charts():
        exhibit = shown_by_name(study, "judges", {})
        of_overview = shown_by_name(study, "overview", {})

    if rows:
        own = conclusions.study_sentences(every)
        others = exhibit.sentences[len(own) :]
        assert exhibit.sentences[: len(own)] == own
        assert claims_beside(" ".join(own), every) == []
        assert all(each.startswith("These conclusions rest on") for each in others)
    assert of_overview == exhibit


@pytest.mark.parametrize("study", ["demo-health", *ONE_OF_EACH_KIND], indirect=True, ids=str, scope="module")
def test_every_view_repeats_the_conclusions_and_makes_none(study):
    every = study.result("scorecard").rows
    words = {row["judge"]: conclusions.conclusion_words(row) for row in every}

    for view in VIEWS.values():
        with without_charts():
            shown = view.shown(study, {})

        assert claims_beside(" ".join(shown.sentences), every) == [], view.name
        table = shown.table
        if table is not None and {"judge", "conclusion"} <= set(table.names):
            judge, conclusion = (table.names.index(name) for name in ("judge", "conclusion"))
            cells = {row[judge]: row[conclusion] for row in table.rows}
            assert {judge: cells[judge] for judge in words if judge in cells} == {
                judge: words[judge] for judge in words if judge in cells
            }, view.name


def test_advice_on_which_judge_to_use_follows_the_conclusions(study, rows):
    advice = {row["judge"]: row for row in study.result("which-judge").rows}

    for row in rows:
        if row["judge"] in advice:
            of_judge = advice[row["judge"]]
            assert of_judge["conclusion"] == row["conclusion"]
            rated_high = row["conclusion"] in ("favours_itself", "overrates_itself")
            if rated_high:
                assert "never on its own answers" in of_judge["advice"]


def test_a_card_has_the_conclusion_the_cases_and_the_sentence_of_its_judge(study, rows):
    for row in rows:
        if row["conclusion"] is not None:
            card = card_of(study, row["judge"])

            assert (card.concluded.chip, card.concluded.sentence) == (
                conclusions.conclusion_words(row),
                conclusions.conclusion_sentence(row),
            )
            given = {
                number.words for number in card.concluded.numbers if number.label == "Its own answers: given"
            }
            has_given = row["own_given"] is not None and row["own_expected"] is not None
            assert given == ({f"{100 * row['own_given']:.0f}"} if has_given else set())


def test_findings_in_a_notebook_and_a_terminal_claim_no_more(study, findings):
    every = study.result("scorecard").rows
    shown = " ".join(claim.sentence for claim in findings.shown)

    assert claims_beside(shown, every) == []


def test_random_studies_include_conclusions_in_both_directions(draw_study):
    rows = [
        row for number in RANDOM for row in conclusions.judges_of(draw_study(number).result("scorecard").rows)
    ]

    codes = {row["conclusion"] for row in rows}
    assert codes >= {"favours_itself", "overrates_itself", "not_shown", "too_few_cases"}
    assert codes & {"disfavours_itself", "underrates_itself"}


def test_an_expected_number_beyond_the_scale_is_marked(study):
    for row in study.result("scorecard").rows:
        ends = [row.get(f"{who}_expected{end}") for who in ("own", "family") for end in ("", "_low", "_high")]
        is_beyond = any(value is not None and not -1e-9 <= value <= 1 + 1e-9 for value in ends)
        assert ("beyond_scale" in row["cautions"]) == is_beyond
        assert ("beyond_scale" in caveats.caveats_of(row)) == is_beyond


def test_a_share_that_only_rounding_puts_above_1_is_on_the_scale():
    assert not is_beyond_scale({"own_expected": 1.0, "own_expected_high": 1.0000000000000002})
    assert is_beyond_scale({"own_expected": 1.0, "own_expected_high": 1.01})


def test_some_random_studies_expect_more_than_the_scale_has(draw_study):
    rows = [row for number in RANDOM for row in draw_study(number).result("scorecard").rows]

    assert any("beyond_scale" in row["cautions"] for row in rows)


def test_the_measure_expected_says_of_how_many_rows_the_numbers_lie_beyond_the_scale(study):
    result = study.result("expected")

    beyond = sum(map(is_beyond_scale, (row for row in result.rows if row["excess"] is not None)))
    for lines in (of_rows(result), summary_of(result).sentences):
        (words,) = [line for line in lines if "beyond 0 to 100" in line] or [""]
        assert words.startswith(f"In {beyond} of ") == (beyond > 0)


def test_a_familys_number_beyond_the_scale_is_not_counted_among_those_of_its_own():
    row = {"own_expected": 0.5, "family_expected": 0.1, "family_expected_low": -0.1}

    assert beyond_scale_words([row]) == ""
    assert beyond_scale_words([row, {"own_expected": 1.2}]).startswith("In 1 of 2 rows")


def test_measures_shown_together_make_no_claims_of_their_own(study, rows):
    sentences = {row["sentence"] for row in study.result("together").rows}

    assert [claims for sentence in sentences if (claims := claims_beside(sentence, rows))] == []


def test_the_doctor_states_the_conclusions(rows):
    lines = list(conclusions.study_lines(rows))

    assert lines[0].strip() == conclusions.study_sentence(rows)
    assert claims_beside("\n".join(lines), rows) == []
    for row in rows:
        stated = any(line.strip() == conclusions.conclusion_sentence(row) for line in lines)
        assert stated == is_firm(row["conclusion"])


def test_a_gate_fails_exactly_the_judges_that_overrate_themselves(study, rows):
    of_self = concluded_on(rows)

    for result in check_judges(study, require="no_self_preference"):
        code = of_self.get(result.judge)
        assert (result.status == "FAIL") == (code in ("favours_itself", "overrates_itself"))
        if code is not None:
            assert WORDS[code] in result.reason


def test_a_notebook_holds_the_same_rows(study, rows):
    frame = study.measure("scorecard")

    assert list(frame["judge"].dropna()) == [row["judge"] for row in rows]
    if rows:
        assert list(frame["conclusion"][1:]) == [row["conclusion"] for row in rows]
