"""Which calls a run plans."""

import hashlib
from dataclasses import replace

import pytest
from collect.plan.small import MODELS, config, stored, subjects, tables

from engine.collect.calls import Subject
from engine.collect.client.token_counts import message_tokens
from engine.collect.plan.planning import make_plan
from engine.collect.plan.shown_orders import in_order, list_orders, option_orderings, rubric_orderings
from engine.collect.plan.token_estimates import estimate
from engine.collect.run_options import Shard
from engine.errors import UsageError
from engine.shown_order import shown_models


@pytest.fixture
def study(tmp_path):
    return stored(tmp_path, tables())


@pytest.mark.parametrize(
    ("paradigm", "calls"),
    [
        ("single_rubric", 4 * 3 * 2),  # instances, generators, criteria
        ("all_rubrics", 4 * 3),
        ("direct_assessment", 4 * 3),
        ("pairwise", 4 * 3 * 2),  # instances, pairs of three generators, orders
        ("score_rubric", 4 * 3 * 6),  # instances, generators, orderings of three options
        ("quality", 4 * 3),
        ("listwise", 4 * 2),  # instances, orders of their list
        ("recognition", 4 * 2 * 2),  # instances, other generators, orders
    ],
)
def test_each_judge_is_asked_about_every_response(study, paradigm, calls):
    plan = make_plan(config(judges=["a", "b"], paradigms=[paradigm]), study)

    assert len(plan) == 2 * calls
    assert len({request.key for request in plan}) == 2 * calls


def test_a_plan_is_deterministic_and_its_shards_partition_it(study):
    plan = make_plan(config(judges=["a", "b"], paradigms=["pairwise", "all_rubrics"]), study)
    keys = [request.key for request in plan]

    parts = [[request.key for request in plan.shard(Shard(k, 3))] for k in (1, 2, 3)]

    assert keys == [request.key for request in plan]
    assert sorted(keys) == sorted(parts[0] + parts[1] + parts[2])
    assert all(parts)


@pytest.mark.parametrize(("k", "n"), [(0, 3), (4, 3), (1, 0)])
def test_an_invalid_shard_is_refused(study, k, n):
    with pytest.raises(UsageError, match="such as 1/"):
        make_plan(config(), study).shard(Shard(k, n))


def test_answered_requests_can_be_left_out(study):
    plan = make_plan(config(), study)
    first = next(iter(plan)).key

    remaining = plan.only(lambda request: request.key != first)

    assert len(remaining) == len(plan) - 1
    assert first not in {request.key for request in remaining}


def test_judges_take_turns_within_an_instance(study):
    plan = make_plan(config(judges=["a", "b"]), study)

    assert [request.model for request in plan][:4] == ["a", "b", "a", "b"]


def test_a_judges_own_response_is_the_target_of_its_pairs(study):
    plan = make_plan(config(judges=["b"], paradigms=["pairwise"]), study)

    own = [
        request.subject for request in plan if "b" in (request.subject.generator, request.subject.opponent)
    ]

    assert {subject.generator for subject in own} == {"b"}


def test_all_judges_rank_a_list_in_the_same_orders_and_their_reverses(study):
    plan = make_plan(config(judges=["a", "b"], paradigms=["listwise"], lists=5), study)

    orders = {judge: [r.subject.ordering for r in plan if r.model == judge] for judge in "ab"}

    assert orders["a"] == orders["b"]
    shown = [shown_models(ordering) for ordering in orders["a"][:5]]
    assert len(set(shown)) == 5
    assert all(sorted(each) == ["a", "b", "c"] for each in shown)
    assert [shown[0][::-1], shown[2][::-1]] == [shown[1], shown[3]]
    other_seed = make_plan(config(judges=["a"], paradigms=["listwise"], lists=5, seed=1), study)
    assert [r.subject.ordering for r in other_seed] != orders["a"]


def test_recognition_uses_only_pairs_with_the_judges_own_response(study):
    plan = make_plan(config(judges=["b", "q"], paradigms=["recognition"]), study)

    assert {(r.model, r.subject.generator) for r in plan} == {("b", "b")}
    assert {r.subject.opponent for r in plan} == {"a", "c"}


def test_recognition_without_a_judge_that_generates_is_an_error(study):
    with pytest.raises(UsageError, match="needs a judge that is also in `generators`"):
        make_plan(config(judges=["q"], paradigms=["recognition"]), study)


def test_a_list_of_two_has_two_orders_and_a_list_of_one_has_none():
    assert sorted(list_orders(("a", "b"), 9, 0, "i")) == [("a", "b"), ("b", "a")]
    assert list(list_orders(("a",), 9, 0, "i")) == []


def test_orders_of_a_list_are_drawn_one_after_the_other_and_each_is_followed_by_its_reverse():
    def drawn(draw):
        keys = {name: f"7\0i\0{draw}\0{name}".encode() for name in "abcd"}
        return tuple(sorted(keys, key=lambda name: hashlib.blake2b(keys[name], digest_size=16).digest()))

    firsts = [drawn(draw) for draw in range(3)]

    # Two runs with the same seed show the same orders, so the draws are counted from 0 by one.
    assert list_orders(tuple("abcd"), 6, 7, "i") == [each for one in firsts for each in (one, one[::-1])]


def test_points_are_never_shown_to_a_judge(study):
    plan = make_plan(
        config(paradigms=["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric"]),
        study,
    )

    shown = "\n".join(message["content"] for request in plan for message in plan.messages(request))

    assert "-3" not in shown
    assert "points" not in shown.casefold()


def test_messages_show_the_texts_of_their_own_request(study):
    plan = make_plan(config(paradigms=["pairwise"]), study)
    request = replace(next(iter(plan)), subject=Subject("i2", "c", opponent="a", first="opponent"))

    user = plan.messages(request)[-1]["content"]

    assert user.index("a on i2") < user.index("c on i2")
    assert "Says i2." in user
    assert "i1" not in user


def test_the_orderings_of_a_list():
    assert list(rubric_orderings(["original", "rotated", "rotated-2"], 3)) == [
        "original",
        "rotated-2",
        "rotated-3",
    ]
    assert list(rubric_orderings(["reversed", "rotated-4"], 3)) == ["reversed"]
    assert in_order("abc", "reversed") == ("c", "b", "a")
    assert in_order("abc", "rotated-2") == ("b", "c", "a")


def test_rubrics_are_judged_in_the_configured_order(study):
    orders = {
        (subject.ordering, subject.rubric_ids)
        for subject in subjects(study, paradigms=["all_rubrics"], orderings=["original", "rotated-2"])
    }

    assert orders == {("original", ("r1", "r2")), ("rotated-2", ("r2", "r1"))}


def test_options_are_shown_in_the_balanced_orderings_and_the_first_is_repeated():
    orderings = list(option_orderings([1.0, 2.0, 3.0], repeats=3))

    # three rotations up, three down, and trials 1 and 2 of the ascending one
    assert orderings == [
        ("1-2-3", 0),
        ("2-3-1", 0),
        ("3-1-2", 0),
        ("3-2-1", 0),
        ("2-1-3", 0),
        ("1-3-2", 0),
        ("1-2-3", 1),
        ("1-2-3", 2),
    ]


def test_benchmark_judges_rate_quality_in_place_of_the_judges(study):
    plan = make_plan(
        config(judges=["a"], quality_judges=["q"], paradigms=["quality", "single_rubric"]), study
    )

    assert {(request.paradigm, request.model) for request in plan} == {
        ("quality", "q"),
        ("single_rubric", "a"),
    }


def test_only_missing_responses_are_collected(tmp_path):
    rows = tables()
    rows["responses"] = [
        row for row in rows["responses"] if row["generator"] != "c" or row["instance_id"] == "i1"
    ]
    study = stored(tmp_path, rows)

    plan = make_plan(config(generators=["a", "c"]), study, "responses")

    assert [(request.model, request.subject.instance_id) for request in plan] == [
        ("c", "i0"),
        ("c", "i2"),
        ("c", "i3"),
    ]
    assert plan.messages(next(iter(plan))) == [{"role": "user", "content": "Ask i0."}]


def test_collected_responses_stay_part_of_the_plan(tmp_path):
    rows = tables(2)
    for row in rows["responses"]:
        row["run_id"] = "run-1" if row["generator"] == "c" else "import"
    study = stored(tmp_path, rows)
    generators = config(generators=list(MODELS))

    assert len(make_plan(generators, study, "responses")) == 0
    assert len(make_plan(generators, study, "responses", run_id="run-1")) == 2


def test_uncollected_responses_are_counted_and_not_judged(tmp_path):
    rows = tables(2)
    rows["responses"] = [row for row in rows["responses"] if row["generator"] != "c"]
    study = stored(tmp_path, rows)
    settings = config(generators=list(MODELS), paradigms=["pairwise"])

    plan, counted = make_plan(settings, study), make_plan(settings, study, assume=True)

    assert (len(plan), sum(plan.missing.values())) == (2 * 1 * 2, 2)
    assert (len(counted), sum(counted.missing.values())) == (2 * 3 * 2, 0)


REWRITING = '[transforms.paraphrase]\nby = "q"'


def test_responses_are_rewritten_and_then_judged(tmp_path):
    rows = tables(1)
    study = stored(tmp_path, rows)
    settings = config(transforms=REWRITING)

    rewrites, before = make_plan(settings, study, "rewrites"), make_plan(settings, study)
    request = next(iter(rewrites))

    assert [(r.model, r.variant, r.subject.generator, r.subject.transform) for r in rewrites] == [
        ("q", "paraphrase", generator, "paraphrase") for generator in MODELS
    ]
    assert "a on i0" in rewrites.messages(request)[-1]["content"]
    assert {r.subject.transform for r in before} == {"none"}
    assert sum(before.missing.values()) == 3


def test_rewritten_responses_are_judged_in_their_rewritten_form(tmp_path):
    rows = tables(1)
    rows["responses"] += [
        {
            "instance_id": "i0",
            "generator": g,
            "text": f"{g} anew",
            "transform": "paraphrase",
            "transformed_by": "q",
        }
        for g in MODELS
    ]
    study = stored(tmp_path, rows)

    plan = make_plan(config(transforms=REWRITING, judge_transforms=["paraphrase"]), study)

    assert {request.subject.transform for request in plan} == {"paraphrase"}
    assert "a anew" in plan.messages(next(iter(plan)))[-1]["content"]


@pytest.mark.parametrize(
    ("spoil", "top", "says"),
    [
        (lambda rows: rows.pop("responses"), {}, "no answers and `generators` is empty"),
        (lambda _: None, {"generators": ["z"]}, "'z' is not in .*choose from: a, b, c, q"),
        (
            lambda rows: [row.pop("criterion") for row in rows["rubrics"]],
            {},
            "'r1' of question 'i0' .* no text",
        ),
        (
            lambda rows: [row.pop("prompt") for row in rows["instances"]],
            {},
            "'i0' .and 3 others. .* no prompt",
        ),
        (lambda rows: rows.pop("rubrics"), {}, "single_rubric needs criteria"),
        (
            lambda rows: [row.pop("options", 0) for row in rows["rubrics"]],
            {"paradigms": ["score_rubric"]},
            "options",
        ),
    ],
)
def test_a_study_that_lacks_what_is_judged_is_refused_with_the_reason(tmp_path, spoil, top, says):
    rows = tables()
    spoil(rows)
    study = stored(tmp_path, rows)

    with pytest.raises(UsageError, match=says):
        make_plan(config(**top), study)


def test_an_estimate_counts_calls_by_model_and_paradigm(study):
    plan = make_plan(config(judges=["a", "b"], paradigms=["single_rubric", "pairwise"]), study)

    estimates = estimate(plan, config())

    assert [(each.model, each.paradigm, each.calls) for each in estimates] == [
        ("a", "single_rubric", 24),
        ("b", "single_rubric", 24),
        ("a", "pairwise", 24),
        ("b", "pairwise", 24),
    ]
    letters = sum(len(m["content"]) for r in plan if r.model == "a" for m in plan.messages(r))
    ranges = [message_tokens(plan.messages(request)) for request in plan if request.model == "a"]
    of_a = [each for each in estimates if each.model == "a"]
    assert sum(each.prompt_tokens for each in of_a) == sum(each.middle for each in ranges)
    assert sum(e.prompt_tokens_low for e in of_a) < letters / 4 < sum(e.prompt_tokens_high for e in of_a)


@pytest.mark.parametrize("stage", ["responses", "rewrites", "judgments"])
def test_the_plans_of_the_models_add_up_to_the_plan(tmp_path, stage):
    rows = tables(2)
    if stage == "responses":
        rows["responses"] = rows["responses"][:1]
    study = stored(tmp_path, rows)
    settings = config(
        judges=["a", "b"],
        quality_judges=["c"],
        paradigms=["single_rubric", "pairwise", "quality"],
        generators=list(MODELS),
        transforms=REWRITING,
    )
    plan = make_plan(settings, study, stage)

    parts = {name: [request.key for request in plan.of_model(name)] for name in (*MODELS, "q")}

    assert len(plan) > 0
    assert sum(map(len, parts.values())) == len(plan)
    for name, keys in parts.items():
        assert keys == [request.key for request in plan if request.model == name]


@pytest.mark.parametrize("named", [True, False])
def test_answers_that_no_model_of_the_run_writes_are_left_out_also_changed_or_in_pairs(tmp_path, named):
    rows = tables(2)
    rows["responses"] = [
        row for row in rows["responses"] if (row["generator"], row["instance_id"]) != ("c", "i1")
    ]
    study = stored(tmp_path, rows)
    changed = "[transforms.pad]\nmake = 'padding'"
    models = list(MODELS) if named else []
    run = config(generators=models, transforms=changed, paradigms=["pairwise"], judges=["a"])
    without = run.model_copy(update={"models": {"a": run.models["a"]}})

    rewrites = make_plan(without, study, "rewrites")
    planned, foreseen = (make_plan(without, study, assume=assume) for assume in (False, True))

    pairs = len(MODELS) * (len(MODELS) - 1)  # in both orders
    assert (rewrites.missing, len(rewrites.response_rows)) == ({}, 2 * len(MODELS) - 1)
    assert len(foreseen) == 2 * (pairs + pairs - 2 * (len(MODELS) - 1))  # as written and changed
    assert {key for key in planned.missing if key[0] == "c"} == {("c", None)}
    assert planned.missing["c", None] == 1  # the changed one of i0 alone, which is still to be made
