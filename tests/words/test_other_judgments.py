"""A study of several kinds of judgments, or variants, says on which its conclusions rest."""

import pandas as pd
import pytest

import engine
from engine.report.saving import save_report
from engine.shipped_files import RESULTS
from engine.views.judges import JUDGES

HEAD = "These conclusions rest on single criterion judgments; the study also has "
LAST = 'all criteria, pairwise and direct assessment: see `judges(paradigm="all_rubrics")`.'


@pytest.fixture(scope="module")
def health():
    return engine.open_study(RESULTS / "demo-health")


def test_conclusions_and_a_gate_say_in_python_which_other_judgments_conclude(health):
    assert health.judges().attrs["sentences"][-1] == HEAD + LAST
    assert health.gate(max_excess=5).sentences[-1] == HEAD + LAST
    assert str(health.gate(max_excess=5)).endswith(LAST)


def test_a_report_says_so_with_the_command(health, tmp_path):
    text = save_report(health, tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", "")

    assert HEAD in text
    assert "spb judges demo-health --paradigm all_rubrics" in text


def test_nothing_is_said_where_the_paradigm_is_named_or_nothing_else_concludes(health):
    pairs = engine.open_study(RESULTS / "demo-pairs")  # whose quality rows conclude nothing

    assert "rest on" not in str(health.judges(paradigm="pairwise").attrs["sentences"])
    assert "rest on" not in str(pairs.judges(variant="forced").attrs["sentences"])


MODELS = ("gpt-4.1", "claude-3-5-haiku", "gemini-2.0-flash", "mistral-large", "llama-3.1-70b", "qwen2-72b")
REST = (
    "These conclusions rest on variant v1 (4,320 single criterion judgments); the study also has v2 (4,320). "
    "Conclusions differ: with variant v2, "
)


@pytest.fixture(scope="module")
def prompts():
    """A study in which gpt-4.1 passes all of its own answers, by the second of two prompts alone."""
    return engine.from_frame(
        pd.DataFrame(
            {
                "instance_id": f"q{question}",
                "criterion": f"c{criterion}",
                "judge": judge,
                "generator": generator,
                "variant": prompt,
                "met": (question * 5 + place * 7 + criterion * 3 + (question * place + noise) % 4) % 5 > 1
                or (prompt == "v2" and judge == generator == "gpt-4.1"),
            }
            for question in range(60)
            for criterion in range(2)
            for noise, judge in enumerate(MODELS)
            for place, generator in enumerate(MODELS)
            for prompt in ("v1", "v2")
        )
    )


def test_verdicts_of_another_variant_are_counted_and_what_they_conclude_is_said(prompts):
    judges, alone = prompts.judges(), prompts.judges(variant="v2")

    assert judges.attrs["other_variants"] == 4_320  # 60 questions, 2 criteria, 6 judges, 6 models
    assert judges.attrs["sentences"][-1].startswith(REST)
    assert "gpt-4.1 overrates its own answers" in judges.attrs["sentences"][-1]
    assert judges.attrs["sentences"][-1].endswith(' See `judges(variant="v2")`.')
    assert dict(alone[["judge", "conclusion"]].to_numpy())["gpt-4.1"] == "overrates_itself"
    assert "other_variants" not in alone.attrs
    assert "rest on" not in str(alone.attrs["sentences"])


def test_a_gate_a_page_and_an_audit_say_so_too_and_a_gate_takes_one_variant(prompts):
    passes, fails = prompts.gate("gpt-4.1", max_excess=40), prompts.gate("gpt-4.1", variant="v2")

    assert passes.passed
    assert passes.sentences[-1].startswith(REST)
    assert passes.remarks[-1].startswith(REST)
    assert fails.status == "FAIL"
    assert JUDGES.shown(prompts, {}).sentences[-1].startswith(REST)
    assert REST in str(engine.audit(prompts))


def test_an_audit_of_criteria_says_that_pairs_have_conclusions_of_their_own(health):
    assert HEAD + LAST in str(engine.audit(health))
