"""Settings of a configuration: their bounds, their defaults, and the models that follow from them."""

from pathlib import Path
from typing import Any

import pydantic
import pytest

from engine.collect.configuration.config import (
    Drawing,
    Limits,
    ModelConfig,
    Params,
    Price,
    RunConfig,
    Sample,
    Transform,
)

PRICE = {"input_per_million": 1.0, "output_per_million": 1.0}
MODEL = {"model": "openai/x"}
RUN = {"study": "s"}
TINY = 1e-9

BOUNDS: list[tuple[type[pydantic.BaseModel], dict[str, Any], str, list[Any], list[Any]]] = [
    # the class, what it needs, a field, what is accepted, what is refused
    (Price, PRICE, "input_per_million", [0.0], [-TINY, float("inf")]),
    (Price, PRICE, "output_per_million", [0.0], [-TINY]),
    (Params, {}, "temperature", [0.0, 2.0], [-TINY]),
    (Params, {}, "top_p", [0.0, 1.0], [-TINY, 1 + TINY]),
    (Params, {}, "max_tokens", [1], [0]),
    (ModelConfig, {}, "model", ["x"], [""]),
    (ModelConfig, MODEL, "family", ["x"], [""]),
    (ModelConfig, MODEL, "api_base", ["x"], [""]),
    (ModelConfig, MODEL, "size_b", [0.0], [-TINY]),
    (ModelConfig, MODEL, "active_b", [0.0], [-TINY]),
    (ModelConfig, MODEL, "concurrency", [1], [0]),
    (ModelConfig, MODEL, "requests_per_minute", [TINY], [0.0]),
    (ModelConfig, MODEL, "tokens_per_minute", [TINY], [0.0]),
    (ModelConfig, MODEL, "timeout_s", [TINY], [0.0]),
    (ModelConfig, MODEL, "fallback", [["a", "b"]], [["a", "b", "a"]]),
    (Sample, {}, "n", [1], [0]),
    (Sample, {"n": 1}, "min_per_stratum", [0, 1], [-1]),
    (Drawing, {}, "epsilon", [0.0], [-TINY]),
    (Drawing, {}, "gap", [0.0], [-TINY]),
    (Drawing, {}, "null_pairs", [1], [0]),
    (Drawing, {}, "contrast_pairs", [1], [0]),
    (Drawing, {}, "max_proxies", [1], [0]),
    (Limits, {}, "concurrency", [1, "auto"], [0, True, "many"]),
    (Limits, {}, "timeout_s", [TINY], [0.0]),
    (Limits, {}, "retries", [0], [-1]),
    (Limits, {}, "processes", [1, 64], [0, 65]),
    (Limits, {}, "retry_on", [[400, 599]], [[399], [600]]),
    (Limits, {}, "max_minutes", [TINY], [0.0]),
    (Limits, {}, "max_usd", [0.0], [-TINY]),
    (Limits, {}, "poll_s", [TINY], [0.0]),
    (Limits, {}, "cache", [True, False, "folder"], [" ", "a\0b", "s3://bucket", 1]),
    (RunConfig, RUN, "data", ["x"], [""]),
    (RunConfig, RUN, "answer_template", ["x"], [""]),
    (RunConfig, RUN, "variants", [["x"]], [[]]),
    (RunConfig, RUN, "orderings", [["original"]], [[], ["no such"]]),
    (RunConfig, RUN, "judge_transforms", [["none"]], [[]]),
    (RunConfig, RUN, "repeats", [0], [-1]),
    (RunConfig, RUN, "lists", [1], [0]),
    (RunConfig, RUN, "seed", [0, 2**63 - 1], [-1, 2**63]),
]


@pytest.mark.parametrize(("kind", "needed", "field", "accepted", "refused"), BOUNDS)
def test_a_setting_is_accepted_up_to_its_bounds(
    kind: type[pydantic.BaseModel],
    needed: dict[str, Any],
    field: str,
    accepted: list[Any],
    refused: list[Any],
) -> None:
    for value in accepted:
        assert getattr(kind(**(needed | {field: value})), field) == value
    for value in refused:
        with pytest.raises(pydantic.ValidationError):
            kind(**(needed | {field: value}))


@pytest.mark.parametrize(("kind", "values"), [(Params, {"seed": 1}), (Limits, {"retries": 1})])
def test_a_setting_has_its_own_type_and_never_changes(
    kind: type[pydantic.BaseModel], values: dict[str, int]
) -> None:
    [(field, value)] = values.items()
    settings = kind(**values)

    with pytest.raises(pydantic.ValidationError, match="frozen"):
        setattr(settings, field, 2)
    with pytest.raises(pydantic.ValidationError):
        kind(**{field: str(value)})


def test_an_unknown_parameter_is_passed_on_and_any_other_unknown_field_is_refused() -> None:
    assert Params(thinking={"type": "enabled"}, seed=1).to_dict() == {
        "seed": 1,
        "thinking": {"type": "enabled"},
    }
    with pytest.raises(pydantic.ValidationError):
        Params(temperature=float("inf"))
    with pytest.raises(pydantic.ValidationError):
        Limits(thinking={})  # type: ignore[call-arg]


def test_pairs_are_drawn_as_in_the_paper_unless_it_is_said_otherwise() -> None:
    drawing = Drawing()

    # MEASURES, sections 9 and 10: one scoring step, two points, 10 of a question, 100 in all
    assert (drawing.epsilon, drawing.gap) == (0.25, 2.0)
    assert (drawing.null_pairs, drawing.contrast_pairs, drawing.max_proxies) == (10, 100, None)


def test_what_is_not_said_is_neither_counted_nor_shared_nor_kept() -> None:
    limits, config = Limits(), RunConfig(**RUN)

    assert (limits.processes, limits.cache, limits.keep_raw, limits.retry_on) == (1, False, False, [])
    assert (config.lists, config.repeats, config.seed) == (2, 0, 0)
    assert Sample(n=3).min_per_stratum == 0
    assert ModelConfig(**MODEL).logprobs is False
    assert limits.poll_s == 30


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("MY_KEY", True),
        ("_k1", True),
        ("1K", False),
        ("A-B", False),
        ("", False),
        ("K" * 64, True),
        ("K" * 65, False),
        ("sk_abc", False),  # as keys begin
        ("Ab1" + "x" * 16, True),
        ("Ab1" + "x" * 17, False),  # 20 small and large letters with a digit
        ("ab1" + "x" * 17, True),
        ("AB1" + "X" * 17, True),
        ("Abc" + "x" * 17, True),
    ],
)
def test_a_keys_variable_is_a_name_and_not_shaped_like_a_key(name: str, accepted: bool) -> None:
    if accepted:
        assert ModelConfig(**MODEL, api_key_env=name).api_key_env == name
    else:
        with pytest.raises(pydantic.ValidationError, match="the name of an environment variable"):
            ModelConfig(**MODEL, api_key_env=name)


def run_of(**fields: Any) -> RunConfig:
    models = {name: ModelConfig(**MODEL) for name in ("a", "b", "c", "d", "e")}
    return RunConfig(**(RUN | {"models": models} | fields))


def test_the_judges_of_a_paradigm_include_those_of_gold_and_those_of_quality() -> None:
    config = run_of(judges=["a", "b"], quality_judges=["c"], gold_judges=["b", "d"])

    assert config.judges_of("pairwise") == ("a", "b", "d")
    assert config.judges_of("quality") == ("c",)
    assert config.judges_of("single_rubric") == ("a", "b")
    assert run_of(judges=["a"]).judges_of("quality") == ("a",)


def test_the_models_of_a_run_are_those_with_a_part_in_it_and_their_fallbacks() -> None:
    spare = ModelConfig(**MODEL, fallback=["d"])
    transforms = {"t": Transform(by="b"), "padded": Transform(make="padding", by="c")}
    models = {"e": ModelConfig(**MODEL), "d": ModelConfig(**MODEL), "b": spare, "a": spare, "c": spare}

    config = run_of(models=models, generators=["a", "stored"], transforms=transforms)

    assert config.run_models() == ("d", "b", "a")
    assert run_of(quality_judges=["c"]).run_models() == ("c",)
    assert run_of(gold_judges=["d"]).run_models() == ("d",)


def test_only_judges_and_rewriters_have_a_fallback() -> None:
    spare = ModelConfig(**MODEL, fallback=["e"])
    models = dict.fromkeys(("a", "b", "c", "d", "w"), spare) | {"e": ModelConfig(**MODEL)}

    config = run_of(
        models=models,
        generators=["a"],
        judges=["b", "e", "unknown"],
        quality_judges=["c"],
        gold_judges=["d"],
        transforms={"t": Transform(by="w")},
    )

    assert config.models_with_fallback() == ("b", "c", "d", "w")


def test_a_model_without_a_family_is_one_of_its_own() -> None:
    models = {"a": ModelConfig(**MODEL, family="x", size_b=7.0, stage="base"), "b": ModelConfig(**MODEL)}

    rows = run_of(models=models, judges=["a", "b"]).model_rows()

    assert [(row["model"], row["family"], row["size_b"], row["stage"]) for row in rows] == [
        ("a", "x", 7.0, "base"),
        ("b", "b", None, None),
    ]


def test_transforms_are_judged_with_the_answers_as_written_unless_it_is_said_which() -> None:
    transforms = {"t": Transform(by="a"), "padded": Transform(make="padding")}

    assert run_of(transforms=transforms).judged_transforms == ("none", "t", "padded")
    assert run_of(transforms=transforms, judge_transforms=["t"]).judged_transforms == ("t",)
    assert list(run_of(transforms=transforms).rewritings) == ["t"]
    assert run_of(pairs=["equal", "null"]).rules == ("equal", "null")
    assert run_of().rules == ("all",)


@pytest.mark.parametrize(
    ("data", "is_local"),
    [("folder", True), ("file.csv", True), ("plain", False), ("none", False), ("a\0b", False), (None, False)],
)
def test_local_data_are_a_folder_or_a_file_with_an_ending(
    tmp_path: Path, data: str | None, is_local: bool
) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("file.csv", "plain"):
        (tmp_path / name).touch()
    config = run_of(data=data)
    config._folder = tmp_path

    assert config.has_local_data is is_local
