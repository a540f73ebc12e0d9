"""Responses changed without a model: what is stored, and what judges are shown."""

import pytest
import tomli_w
from collect.plan.small import as_table, config, stored, tables

from engine.collect.plan.changed_responses import PARAGRAPHS
from engine.collect.plan.planning import make_plan
from engine.errors import UsageError
from engine.store import Store
from engine.store.study_files import StudyInfo

CHANGES = {
    "named": {"make": "author", "names": {"b": "Model Bee"}},
    "padded": {"make": "padding"},
    "told": {"make": "injection"},
    "twin": {"make": "identical"},
}


def toml(transforms):
    """Return the transforms as lines of a configuration."""
    return tomli_w.dumps({"transforms": transforms})


def changed(tmp_path, **top):
    """Return the study with its responses changed, and the plan of its judgments."""
    settings = config(judges=["a"], transforms=toml(CHANGES), judge_transforms=list(CHANGES), **top)
    plan = make_plan(settings, stored(tmp_path, tables(1)), "rewrites")
    assert len(plan) == 0
    Store(tmp_path).write("s", {"responses": as_table(list(plan.response_rows))}, StudyInfo(), mode="append")
    return Store(tmp_path).open("s"), make_plan(settings, Store(tmp_path).open("s"))


def prompt(plan, transform, **about):
    (request,) = (
        request
        for request in plan
        if request.subject.transform == transform
        and all(getattr(request.subject, name) == value for name, value in about.items())
    )
    return plan.messages(request)[-1]["content"]


def test_changed_responses_are_separate_rows_and_need_no_model_call(tmp_path):
    study, _ = changed(tmp_path)

    rows = {(row["generator"], row["transform"]): row for row in study.table("responses").to_pylist()}

    assert rows["a", "padded"]["text"] == f"a on i0\n\n{PARAGRAPHS['padding']}"
    assert (rows["a", "padded"]["beside"], rows["a", "padded"]["transformed_by"]) == ("plain", None)
    assert (rows["a", "named"]["author"], rows["b", "named"]["author"]) == ("a", "Model Bee")
    assert (rows["c", "twin"]["text"], rows["c", "twin"]["beside"]) == ("c on i0", "itself")


def test_only_the_judges_own_side_of_a_pair_is_changed(tmp_path):
    _, plan = changed(tmp_path, paradigms=["pairwise"])

    text = prompt(plan, "told", generator="a", opponent="b", first="opponent")

    own, other = text.partition("Answer B:")[2], text.partition("Answer B:")[0]
    assert "a on i0" in own
    assert PARAGRAPHS["injection"] in own
    assert "b on i0" in other
    assert PARAGRAPHS["injection"] not in other


def test_authors_are_named_between_tags_before_each_response(tmp_path):
    _, plan = changed(tmp_path, paradigms=["pairwise", "listwise"], lists=1)

    text = prompt(plan, "named", generator="a", opponent="b", first="generator")

    head, _, second = text.partition("\nModel Bee\n")
    assert head.endswith("<author-" + second.partition("</author-")[2].partition(">")[0] + ">")
    assert head.index("\na\n") < head.index("a on i0") < len(head)
    assert "b on i0" in second
    ranked = next(r for r in plan if r.paradigm == "listwise" and r.subject.transform == "named")
    assert plan.messages(ranked)[-1]["content"].count("<author-") == 3


def test_a_response_is_paired_with_itself_once_for_each_generator(tmp_path):
    _, plan = changed(tmp_path, paradigms=["pairwise", "single_rubric"])

    twins = [request for request in plan if request.subject.transform == "twin"]

    assert [(r.subject.generator, r.subject.opponent) for r in twins] == [("a", "b"), ("b", "c"), ("c", "a")]
    assert {(request.paradigm, request.subject.first) for request in twins} == {("pairwise", "generator")}
    assert plan.messages(twins[1])[-1]["content"].count("b on i0") == 2


def test_responses_changed_one_at_a_time_are_not_ranked_in_lists(tmp_path):
    _, plan = changed(tmp_path, paradigms=["listwise"])

    assert {request.subject.transform for request in plan} == {"named"}


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ({}, r"transforms\.x\.by is missing"),
        ({"make": "padding", "by": "a"}, r"transforms\.x\.by is 'a', and 'padding' needs no model"),
        ({"make": "author", "template": "style"}, r"transforms\.x\.template is 'style'"),
        ({"make": "padding", "names": {"a": "A"}}, r"transforms\.x\.names is given"),
        ({"make": "louder"}, r"unknown value 'louder'; choose from: rewrite, author"),
    ],
)
def test_an_impossible_change_is_refused(transform, message):
    with pytest.raises(UsageError, match=message):
        config(transforms=toml({"x": transform}))
