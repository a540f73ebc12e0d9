"""The references of a claim lead to its number: the command, the view, the chart."""

import json
import math
import shlex

import pytest
from typer.testing import CliRunner

from engine import open_study
from engine.cli import app
from engine.findings.claimed_number import ends_of
from engine.findings.commands import command_of
from engine.findings.questions import QUESTIONS
from explorer.page_list import BY_NAME

STUDIES = ("demo-health", "demo-orders", "demo-pairs", "demo-verifiable")


@pytest.fixture(scope="module")
def findings():
    return {name: open_study(f"results/{name}").findings() for name in STUDIES}


@pytest.fixture(scope="module")
def printed():
    """Return a function that runs a command line, each one once, and returns its output."""
    outputs = {}

    def run(line):
        if line not in outputs:
            words = shlex.split(line)
            assert words[0] == "spb"
            done = CliRunner().invoke(app, [*words[1:], "--store", "results", "--format", "json"])
            assert done.exit_code == 0, done.output
            outputs[line] = json.loads(done.stdout)
        return outputs[line]

    return run


@pytest.mark.parametrize("study", STUDIES)
def test_the_command_of_each_claim_prints_its_number_and_its_interval(findings, printed, study):
    for claim in findings[study].claims:
        rows = [
            row
            for row in printed(claim.command)["rows"]
            if all(row[name] == value for name, value in claim.at.items())
        ]

        assert len(rows) == 1, (claim.id, claim.command)
        numbers = rows[0][claim.field], *ends_of(rows[0], claim.field)
        for ours, theirs in zip((claim.value, claim.low, claim.high), numbers, strict=True):
            assert (ours is None and theirs is None) or math.isclose(ours, theirs), claim.id


@pytest.mark.parametrize("study", STUDIES)
def test_each_claim_opens_a_page_that_accepts_its_view(findings, study):
    for claim in findings[study].claims:
        page = BY_NAME[claim.page]

        assert set(claim.view) <= set(page.keys), claim.id
        assert claim.view["study"] == (study,)
        assert all(isinstance(value, str) for values in claim.view.values() for value in values)


def test_the_named_chart_is_one_that_the_study_draws(findings):
    study = open_study("results/demo-health")
    with_chart = [claim for claim in findings["demo-health"].claims if claim.chart]
    charts = {(claim.chart, repr(claim.options)): claim for claim in with_chart}

    for claim in charts.values():
        assert study.chart(claim.chart, **claim.options).to_dict(validate=False)


@pytest.mark.parametrize("study", STUDIES)
def test_every_question_has_an_answer_or_a_reason_and_ids_are_unique(findings, study):
    of_study = findings[study]

    assert [answer.question for answer in of_study.answers] == list(QUESTIONS)
    assert all(answer.sentences for answer in of_study.answers)
    ids = [claim.id for claim in of_study.claims]
    assert len(set(ids)) == len(ids)
    id_set = set(ids)
    assert all(set(claim.because) <= id_set for claim in of_study.claims)


def test_the_options_and_the_view_are_json_values(findings):
    for of_study in findings.values():
        for claim in of_study.claims:
            json.dumps({"options": claim.options, "view": claim.view, "rows": claim.rows}, allow_nan=False)


def test_an_option_of_0_is_in_the_command_and_an_empty_one_is_not():
    command = command_of("s", "equal-quality", {"epsilon": 0.0, "judges": (), "exclude_family": False})

    assert command == "spb measure equal-quality s --epsilon 0"
