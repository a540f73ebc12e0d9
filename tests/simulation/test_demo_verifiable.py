"""The demonstration study of program-checked instructions, built from `datasets/demo_verifiable`."""

import itertools
import json
import shutil
from collections import Counter

import numpy as np
import pytest

import engine
from engine.checkers.checks_by_id import SHIPPED
from engine.checkers.run import check_study
from engine.checkers.verdicts import judge
from engine.errors import BadInputError
from engine.store import Store
from tests.tools.demos.drafts import write_response
from tests.tools.demos.study import ROOT
from tests.tools.demos.verifiable import DEMO, LEADS, MODELS, TEXTS, demo_tables, read_prompts

TABLES = ("models", "instances", "rubrics", "responses", "references", "runs", "judgments")


@pytest.fixture(scope="module")
def prompts():
    return read_prompts()


@pytest.fixture(scope="module")
def built():
    return demo_tables()


def test_150_prompts_have_one_to_three_instructions_of_all_25_types(prompts):
    counts = Counter(checker for prompt in prompts for checker, _ in prompt.instructions)

    assert len(prompts) == len({prompt.prompt for prompt in prompts}) == 150
    assert {len(prompt.instructions) for prompt in prompts} == {1, 2, 3}
    assert set(counts) == set(SHIPPED)
    assert min(counts.values()) >= 10


def test_every_combination_of_met_and_failed_instructions_can_be_written(prompts):
    wrong = []
    leads = itertools.cycle(dict.fromkeys(LEADS.values()))
    for seed, (prompt, lead) in enumerate(zip(prompts, leads, strict=False)):
        checks = prompt.checks()
        rng = np.random.default_rng(seed)
        for met in itertools.product((True, False), repeat=len(checks)):
            text = write_response(prompt.topic, prompt.instructions, met, rng, lead)
            if [judge(check, text).strict for check in checks] != list(met):
                wrong.append((prompt.instance_id, met, text))

    assert wrong == []


def test_the_checkers_agree_with_the_drawn_verdicts(built):
    tables, study = built
    place = {model.name: row for row, model in enumerate(MODELS)}
    rubric = {
        (study.items.instance_ids[i], r): k
        for k, (i, r) in enumerate(zip(study.items.instance, study.items.rubric_ids, strict=True))
    }

    for row in tables["references"].to_pylist():
        if row["source"] == "program":
            met = study.truth.met[place[row["generator"]], rubric[row["instance_id"], row["rubric_id"]]]
            assert row["met"] == met, row


def test_the_check_command_reproduces_the_verdicts_of_the_shipped_study(tmp_path):
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "demo-verifiable")
    before = Store(tmp_path).open("demo-verifiable").table("references")

    report = check_study(Store(tmp_path).open("demo-verifiable"))

    after = Store(tmp_path).open("demo-verifiable").table("references")
    assert (report.missing, report.textless, report.problems) == (0, 0, {})
    assert sorted(map(str, after.to_pylist())) == sorted(map(str, before.to_pylist()))


def test_the_shipped_study_is_the_one_built_from_the_texts(tmp_path):
    """If this fails, the texts changed: rebuild it, `python -m tests.tools.demos.verifiable`."""
    DEMO.write(Store(tmp_path))

    built, shipped = (Store(root).open("demo-verifiable") for root in (tmp_path, ROOT / "results"))
    assert shipped.info.truth == built.info.truth
    assert shipped.info.provenance == "simulated"
    for name in TABLES:
        table = shipped.table(name)
        columns = [name for name in table.column_names if name != "software"]  # its version
        assert table.select(columns).equals(built.table(name).select(columns)), name
    files = (ROOT / "results" / "demo-verifiable").rglob("*")
    assert sum(path.stat().st_size for path in files if path.is_file()) < 4_000_000


@pytest.fixture(scope="module")
def hspp():
    study = engine.open_study(ROOT / "results" / "demo-verifiable")
    frame = study.measure("hspp", paradigm="single_rubric", resamples=1000, seed=0)
    return frame[frame["judge"].notna()].set_index("judge")


@pytest.fixture(scope="module")
def expected():
    info = Store(ROOT / "results").open("demo-verifiable").info
    return {judge: planted["expected"] for judge, planted in info.truth["judges"].items()}


def test_the_planted_self_preference_is_found(hspp, expected):
    row = hspp.loc["ember-large"]

    assert row["hspp_self_low"] > 1
    assert row["hspp_self_low"] < expected["ember-large"]["hspp_self"] < row["hspp_self_high"]


@pytest.mark.parametrize("judge", ["fjord-large", "fjord-mini"])
def test_the_planted_family_preference_is_found(hspp, expected, judge):
    row = hspp.loc[judge]

    assert row["hspp_family_low"] > 1
    assert row["hspp_family_low"] < expected[judge]["hspp_family"] < row["hspp_family_high"]


def test_no_other_judge_is_found_to_prefer_itself(hspp):
    others = hspp.drop(index="ember-large")

    assert (others["hspp_self_low"] < 1).all()


def test_all_four_paradigms_have_verdicts_of_every_judge(built):
    tables, _ = built
    rows = tables["judgments"].select(["paradigm", "judge"]).to_pylist()

    assert {row["paradigm"] for row in rows} == {
        "single_rubric",
        "all_rubrics",
        "direct_assessment",
        "pairwise",
    }
    assert len({(row["paradigm"], row["judge"]) for row in rows}) == 4 * len(MODELS)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("topics.jsonl", lambda row: row.pop("title"), "topics.jsonl, row 1: its fields are not"),
        (
            "prompts.jsonl",
            lambda row: row.update(topic="x"),
            "prompts.jsonl, row 1: 'x' is missing or unknown",
        ),
        (
            "prompts.jsonl",
            lambda row: row["instructions"][0].update(checker="x"),
            "prompts.jsonl, row 1: unknown checker 'x'",
        ),
    ],
)
def test_broken_texts_are_refused_with_their_line(tmp_path, file, change, message):
    for name in ("topics.jsonl", "prompts.jsonl"):
        lines = (TEXTS / name).read_text("utf-8").splitlines()
        if name == file:
            row = json.loads(lines[0])
            change(row)
            lines[0] = json.dumps(row)
        (tmp_path / name).write_text("\n".join(lines), "utf-8")

    with pytest.raises(BadInputError, match=message):
        read_prompts(tmp_path)
