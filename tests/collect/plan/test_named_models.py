"""Models by the names that litellm knows them by, and the run of one's own questions that is made of them."""

import hashlib
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from engine.collect.configuration.named_models import ModelSettings, NamedModels, models_by_name
from engine.collect.configuration.question_run import QuestionRun
from engine.collect.configuration.written_configuration import (
    check_configuration,
    configuration_path,
    study_name,
    write_configuration,
)
from engine.collect.forecast.question_power import (
    CostRange,
    families_words,
    limits_words,
    power_words,
    questions_needed,
)
from engine.collect.plan.token_estimates import EstimateLine
from engine.errors import UsageError
from engine.importers.own_questions.question_checks import Questions
from engine.stats.conclusions.power_of_differences import AssumedStudy, instances_for, power_of
from engine.store import Store


def test_a_model_is_called_by_the_last_part_of_its_name_and_has_the_family_that_the_name_says() -> None:
    named = models_by_name(["openai/gpt-5", "openrouter/anthropic/claude-sonnet-4"])

    assert {name: table["model"] for name, table in named.tables.items()} == {
        "gpt-5": "openai/gpt-5",
        "claude-sonnet-4": "openrouter/anthropic/claude-sonnet-4",
    }
    assert len(set(named.families.values())) == 2
    assert named.families == {name: table["family"] for name, table in named.tables.items()}
    assert named.notes == ()
    assert set(named.tables["gpt-5"]) == {"model", "family"}


def test_models_with_the_same_last_part_keep_their_full_names() -> None:
    named = models_by_name(["openai/gpt-5", "azure/gpt-5", "openai/gpt-4o"])

    assert list(named.tables) == ["openai/gpt-5", "azure/gpt-5", "gpt-4o"]
    assert [note for note in named.notes if "look like one model in several forms" in note] == [
        "openai/gpt-5 and azure/gpt-5 look like one model in several forms, of one family"
    ]


@pytest.mark.parametrize("name", ["gpt-5", "/gpt-5", "openai/", " / ", "openai/ "])
def test_a_name_without_a_provider_or_a_model_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(
        UsageError, match="is not a provider and a name; write it as litellm knows it, such as"
    ):
        models_by_name([name])


def test_the_example_is_the_whole_list_with_the_makers_of_the_models() -> None:
    with pytest.raises(UsageError, match=r"such as openai/gpt-5,anthropic/claude-sonnet-4-5,azure/gpt-4o$"):
        models_by_name(["gpt-5", "claude-sonnet-4-5", "azure/gpt-4o"])


def test_the_example_has_the_name_that_was_given() -> None:
    with pytest.raises(UsageError, match=r"such as openai/llama$"):
        models_by_name(["llama"])
    with pytest.raises(UsageError, match=r"such as openai/gpt-5$"):
        models_by_name(["/"])


def test_a_model_that_is_named_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="model 'openai/gpt-5' is named twice; keep one"):
        models_by_name(["openai/gpt-5", "openai/gpt-4o", "openai/gpt-5"])


def test_settings_may_be_given_by_either_name_and_correct_what_was_assumed() -> None:
    settings = ModelSettings(
        families={"zog-chat": "zog", "openai/gpt-5": "mine"},
        addresses={"gpt-5": "http://here/v1"},
        prices={"zog-chat": (1.5, 2.5)},
    )

    named = models_by_name(["openai/gpt-5", "groq/zog-chat"], settings)

    assert named.families == {"gpt-5": "mine", "zog-chat": "zog"}
    assert named.tables["gpt-5"]["api_base"] == "http://here/v1"
    assert named.tables["zog-chat"]["price"] == {"input_per_million": 1.5, "output_per_million": 2.5}
    assert "price" not in named.tables["gpt-5"]
    assert "api_base" not in named.tables["zog-chat"]
    assert named.notes == ()


@pytest.mark.parametrize(
    ("option", "field"), [("--family", "families"), ("--api-base", "addresses"), ("--price", "prices")]
)
def test_settings_of_a_model_that_is_not_named_are_refused(option: str, field: str) -> None:
    settings = ModelSettings(**{field: {"gpt-6": ("a", "b")}})  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=f"unknown model of {option} 'gpt-6'; choose from: openai/gpt-5"):
        models_by_name(["openai/gpt-5"], settings)


def test_a_family_that_the_name_does_not_say_is_noted_with_its_correction() -> None:
    guessed = models_by_name(["groq/zog-chat-7b", "openai/gpt-5", "groq/wub-chat"])

    families = guessed.families
    [note] = guessed.notes
    assert note == (
        f"family taken from the name alone: zog-chat-7b ({families['zog-chat-7b']}) and wub-chat "
        f"({families['wub-chat']}); --family zog-chat-7b=NAME corrects it"
    )


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 3 more")])
def test_notes_name_six_models_and_count_the_others(count: int, more: str) -> None:
    names = [f"zog{number}-chat" for number in range(count)]

    notes = models_by_name([f"llamafile/{name}" for name in names]).notes

    [families] = [note for note in notes if note.startswith("family taken")]
    [local] = [note for note in notes if "machine of yours" in note]
    written = [[name for name in names if name in note] for note in (families.partition(";")[0], local)]
    assert written == [names if not more else names[:6]] * 2
    assert families.partition(";")[0].endswith(more or ")")
    assert f"{more} run on a machine" in local


def test_models_on_ones_own_machine_cost_nothing_unless_a_price_is_given() -> None:
    free = {"input_per_million": 0.0, "output_per_million": 0.0}
    names = ["ollama/llama3", "ollama_chat/qwen3", "llamafile/gemma-2"]

    one = models_by_name(names[:1])
    several = models_by_name(names, ModelSettings(prices={"gemma-2": (0.5, 1.0)}))
    cloud = models_by_name(["ollama/gpt-oss:120b-cloud"])

    assert one.tables["llama3"]["price"] == several.tables["qwen3"]["price"] == free
    assert several.tables["gemma-2"]["price"] == {"input_per_million": 0.5, "output_per_million": 1.0}
    assert one.notes[-1] == "llama3 runs on a machine of yours, and no cost is counted"
    assert several.notes[-1] == "llama3 and qwen3 run on a machine of yours, and no cost is counted"
    assert "price" not in cloud.tables["gpt-oss:120b-cloud"]
    assert not [note for note in cloud.notes if "machine of yours" in note]


@pytest.mark.parametrize("provider", ["lm_studio", "hosted_vllm"])
def test_a_server_without_a_usual_address_needs_one(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    for ending in ("API_BASE", "BASE_URL"):
        monkeypatch.delenv(f"{provider.upper()}_{ending}", raising=False)

    with pytest.raises(UsageError, match=f"'{provider}/llama3' needs .*; give --api-base llama3=URL"):
        models_by_name([f"{provider}/llama3"])
    given = models_by_name([f"{provider}/llama3"], ModelSettings(addresses={"llama3": "http://here/v1"}))
    monkeypatch.setenv(f"{provider.upper()}_API_BASE", "http://there/v1")
    from_environment = models_by_name([f"{provider}/llama3"])

    assert given.tables["llama3"]["api_base"] == "http://here/v1"
    assert "api_base" not in from_environment.tables["llama3"]


def families(*names: str) -> dict[str, str]:
    """Return a model of each of these families."""
    return {f"m{place}": name for place, name in enumerate(names)}


def test_one_or_two_families_conclude_nothing_and_say_how_many_are_lacking() -> None:
    one, two = families_words(families("x", "x", "x")), families_words(families("x", "y", "x"))

    assert one is not None
    assert one.startswith(
        "all models are of one family, 'x': whether a model favours its own answers cannot be"
    )
    assert one.endswith("add models of two more families")
    assert two is not None
    assert two.startswith("the models are of two families, 'x' and 'y': ")
    assert two.endswith("add models of one more family")
    assert families_words(families("x", "y", "z")) is None


OVERRATE = (
    "a model can be shown to overrate its own answers; that it does so because they are its own takes 5 "
)
TOGETHER = "a conclusion on all together takes 4 families"


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ("xy", []),
        ("xyz", [f"{OVERRATE}models of 4 families", TOGETHER]),
        ("xyzzz", [f"{OVERRATE}models of 4 families", TOGETHER]),
        ("xyzw", [f"{OVERRATE}models of 4 families"]),
        ("xyzww", []),
    ],
)
def test_what_takes_more_models_or_families_is_said(names: str, parts: list[str]) -> None:
    assert limits_words(families(*names)) == ("; ".join(parts) or None)


def test_the_questions_needed_find_an_excess_of_a_tenth_four_times_in_five() -> None:
    assert questions_needed(families("x", "y")) is None
    needed = questions_needed(families("x", "y", "z", "z"))

    assert needed is not None
    assert needed == instances_for(AssumedStudy("vote_outside", 0.1, 4, 3), 0.8)
    assert power_of(AssumedStudy("vote_outside", 0.1, 4, 3), needed) >= 0.8
    assert power_of(AssumedStudy("vote_outside", 0.1, 4, 3), needed - 1) < 0.8


def test_a_cost_is_known_if_its_ends_are() -> None:
    line = {"model": "a", "role": "judge", "paradigm": None, "variant": None}
    ends = {"cost_usd": 0.5, "cost_usd_low": 0.25, "cost_usd_high": 2.0}

    assert CostRange.of(EstimateLine(**line, **ends)) == CostRange(0.5, 0.25, 2.0)  # type: ignore[arg-type]
    for name in ends:
        lacking = {**ends, name: None}
        assert CostRange.of(EstimateLine(**line, **lacking)) is None  # type: ignore[arg-type]


def test_a_cost_grows_with_the_calls_and_is_written_in_cents_from_ten_up() -> None:
    assert CostRange(1.0, 0.5, 4.0).times(3) == CostRange(3.0, 1.5, 12.0)
    assert CostRange(0.424, 0.1, 1045.175).words() == "about $0.42 ($0.10 to $1,045.17)"
    assert CostRange(0.424, 0.09, 4.0).words() == "about $0.42 ($0.0900 to $4.00)"


def test_a_cap_stops_a_run_that_costs_more_than_it() -> None:
    cost = CostRange(2.0, 1.0, 4.0)

    assert cost.within(1.99) == "the cap of $1.99 is below that, and would stop the run before its end"
    longer = "the cap of ${} stops the run if the answers are so long that they cost more"
    assert [cost.within(2.0), cost.within(3.99)] == [longer.format("2.00"), longer.format("3.99")]
    assert cost.within(4.0) == "the cap of $4.00 is above all of that"


def test_the_power_of_questions_is_said_with_the_cost_of_more() -> None:
    three = families("x", "y", "z")
    needed = questions_needed(three)
    assert needed is not None

    def words(questions: int, cost: CostRange | None) -> str | None:
        return power_words(three, questions, cost)

    start = "an excess of 10 in 100 own cases is found, four times in five, with about "
    cost = CostRange(2.0, 1.0, 4.0)
    assert words(needed, cost) == f"{start}{needed:,} questions; these are {needed:,}"
    assert words(needed // 2, None) == f"{start}{needed:,} questions; these are {needed // 2:,}"
    assert words(needed // 2, CostRange(0.0, 0.0, 0.0)) == words(needed // 2, None)
    more = f"about ${2 * needed / (needed // 2):.2f}"  # what is expected alone
    assert words(needed // 2, cost) == (f"{start}{needed:,} questions, for {more}; these are {needed // 2:,}")
    assert power_words(families("x", "y"), 10, cost) is None


def run_of(file: Path, **more: object) -> QuestionRun:
    questions = Questions(tuple({"instance_id": f"i{n}"} for n in range(3)), ())
    models = NamedModels({"b": {"model": "p/b", "family": "y"}, "a": {"model": "p/a", "family": "x"}})
    return QuestionRun("mine", file, questions, models, **more)  # type: ignore[arg-type]


def test_the_configuration_of_a_run_is_what_it_was_made_of(tmp_path: Path) -> None:
    file = tmp_path / "in" / "questions.csv"

    plain = tomllib.loads(run_of(file).configuration(tmp_path))
    full = run_of(file, columns={"prompt": "Ask"}, sample=2, max_usd=1.5)

    models = {"b": {"model": "p/b", "family": "y"}, "a": {"model": "p/a", "family": "x"}}
    assert plain == {
        "study": "mine",
        "data": "in/questions.csv",
        "generators": ["b", "a"],
        "judges": ["b", "a"],
        "paradigms": ["pairwise"],
        "models": models,
    }
    assert tomllib.loads(full.configuration(tmp_path / "elsewhere")) == plain | {
        "data": file.as_posix(),
        "columns": {"prompt": "Ask"},
        "sample": {"n": 2},
        "run": {"max_usd": 1.5},
    }
    zero = tomllib.loads(run_of(file, sample=0, max_usd=0.0).configuration(tmp_path))
    assert (zero["sample"], zero["run"]) == ({"n": 0}, {"max_usd": 0.0})


def test_a_run_takes_the_sample_of_its_questions_and_criteria_if_there_are_any(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    with_criteria = Questions(({"instance_id": "i"},), ({"instance_id": "i", "criterion": "c"},))

    assert [run_of(file, sample=sample).size for sample in (None, 2, 3, 4)] == [3, 2, 3, 3]
    assert run_of(file).paradigms == ["pairwise"]
    models = NamedModels({})
    assert QuestionRun("s", file, with_criteria, models).paradigms == ["pairwise", "single_rubric"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("my questions (2).csv.gz", "my-questions-2"),
        ("-.csv", "questions"),
        ("Été_1.txt", "Été_1"),
        (f"{'x' * 101}.csv", "x" * 100),
    ],
)
def test_a_study_is_called_after_its_file(file: str, name: str) -> None:
    assert study_name(Path("folder", file)) == name


def test_the_configuration_stands_beside_the_store_or_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert configuration_path(Store(tmp_path / "a" / "store"), "s") == tmp_path / "a" / "s.toml"
    assert configuration_path(Store("b/store"), "s") == tmp_path / "b" / "s.toml"
    elsewhere = cast("Store", SimpleNamespace(root="s3://b/store"))
    assert configuration_path(elsewhere, "s") == tmp_path / "s.toml"


def test_a_configuration_is_written_anew_until_somebody_edits_it(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"

    check_configuration(path)
    write_configuration(path, "study = 'a'\n")
    write_configuration(path, "study = 'b'\n")

    written = "# the study that is written\nstudy = 'b'\n"
    checksum = hashlib.sha256(written.encode()).hexdigest()[:12]
    line = f"# Written by `spb try`; once edited it stays as it is ({checksum}).\n"
    assert path.read_text() == f"{line}{written}"
    for other in (f"{line}study = 'c'\n", f"\n{line}study = 'b'\n", "study = 'b'\n", ""):
        path.write_text(other)
        with pytest.raises(UsageError, match="is there already and holds something else, or was edited"):
            write_configuration(path, "study = 'd'\n")
        assert path.read_text() == other


def test_what_cannot_be_read_as_a_configuration_is_not_replaced(tmp_path: Path) -> None:
    binary, link = tmp_path / "s.toml", tmp_path / "t.toml"
    binary.write_bytes(b"\xff\xfe")
    link.symlink_to(tmp_path / "nowhere")

    for path in (binary, link):
        with pytest.raises(UsageError, match="holds something else"):
            check_configuration(path)
