"""What a configuration leaves out is taken from the names of its models, and from its study."""

from pathlib import Path

import pytest
from collect.run.small import config_text, write_folder

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import load_config, parse_config
from engine.collect.run.start import run
from engine.errors import UsageError
from engine.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def judge_study(store: Store, folder: Path, **settings: object) -> None:
    """Write a study `s` of the models a and b, judged as the settings say."""
    text = config_text(write_folder(folder / "data"), **settings)  # type: ignore[arg-type]
    run(parse_config(text.replace("openai/", "simulated/")), store)


def read(text: str, store: Store | None = None, folder: Path | None = None) -> RunConfig:
    return parse_config(text, folder=folder, store=store)


JUDGED = 'study = "s"\nparadigms = ["pairwise"]\n'


def test_a_judge_named_as_litellm_knows_it_needs_no_table() -> None:
    config = read(f'{JUDGED}judges = ["openai/gpt-4o-mini", "anthropic/claude-3-5-haiku-latest"]')

    assert config.judges == ["gpt-4o-mini", "claude-3-5-haiku-latest"]
    assert {name: (each.model, each.family) for name, each in config.models.items()} == {
        "gpt-4o-mini": ("openai/gpt-4o-mini", "GPT"),
        "claude-3-5-haiku-latest": ("anthropic/claude-3-5-haiku-latest", "Claude"),
    }
    assert config.notes[0] == (
        "openai/gpt-4o-mini has no table in the configuration; in the study it is 'gpt-4o-mini', of the "
        "family GPT"
    )


@pytest.mark.parametrize(
    "models",
    [
        '[models.a]\nmodel = "openai/x"\n',
        '[models]\na = { model = "openai/x" }',
        'models = { a = { model = "openai/x" } }',
    ],
)
def test_the_text_that_is_stored_with_a_run_has_what_was_left_out_and_is_read_alike(models: str) -> None:
    text = f'{JUDGED}judges = ["a", "openai/gpt-4o"]\n# mine\n{models}'

    config = read(text)
    again = read(config.text)

    assert list(config.models) == ["a", "gpt-4o"]
    assert (again.text, again.judges, again.models) == (config.text, config.judges, config.models)
    assert again.notes == ()


def test_a_name_of_litellm_stands_for_the_table_that_calls_it() -> None:
    table = '[models.mini]\nmodel = "openai/gpt-4o-mini"\nprice = "0.8/4"\n'

    config = read(f'{JUDGED}judges = ["openai/gpt-4o-mini"]\n{table}')

    assert (config.judges, list(config.models)) == (["mini"], ["mini"])


def test_models_of_one_last_part_are_called_in_full() -> None:
    both = read(f'{JUDGED}judges = ["openai/gpt-4o", "azure/gpt-4o"]')
    beside = read(f'{JUDGED}judges = ["openai/gpt-4o"]\n[models.gpt-4o]\nmodel = "azure/gpt-4o"')

    assert both.judges == ["openai/gpt-4o", "azure/gpt-4o"]
    assert beside.judges == ["openai/gpt-4o"]
    assert beside.models["openai/gpt-4o"].model == "openai/gpt-4o"


def test_a_name_that_is_not_clear_gets_the_lines_to_add() -> None:
    def problem(judge: str, models: str = "") -> str:
        with pytest.raises(UsageError) as refused:
            read(f'{JUDGED}judges = ["{judge}"]\n{models}')
        return str(refused.value).partition(": ")[2]

    assert problem("claude-opus-4-1") == (
        "judges: unknown model 'claude-opus-4-1'; add a table, such as\n"
        '[models.claude-opus-4-1]\nmodel = "anthropic/claude-opus-4-1"'
    )
    assert problem("nobody/x", '[models.a]\nmodel = "openai/a"') == (
        "judges: unknown model 'nobody/x'; choose from: a, or add a table, such as\n"
        '[models.x]\nmodel = "nobody/x"'
    )
    assert problem("hosted_vllm/x").endswith(
        '[models.x]\nmodel = "hosted_vllm/x"\napi_base = "http://127.0.0.1:8000/v1"'
    )


def test_a_judge_has_the_name_and_the_family_of_the_study(store: Store, tmp_path: Path) -> None:
    judge_study(store, tmp_path)  # whose family of a is x

    config = read(f'{JUDGED}judges = ["openai/a"]', store)

    assert config.judges == ["a"]
    assert config.models["a"].family is None  # so that no other is asked of the study
    assert "of the family that the study says" in config.notes[0]


def test_generators_of_questions_need_no_table_and_those_with_answers_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question\nWhy?\n", "utf-8")
    names = 'generators = ["openai/gpt-4o"]\njudges = ["openai/gpt-4o"]\n'

    of_questions = read(f'{JUDGED}data = "q.csv"\n{names}', folder=tmp_path)
    stored = read(f"{JUDGED}{names}")

    assert of_questions.generators == of_questions.judges == ["gpt-4o"]
    assert stored.generators == stored.judges == ["openai/gpt-4o"]


def test_without_paradigms_a_study_is_judged_as_it_was(store: Store, tmp_path: Path) -> None:
    judge_study(store, tmp_path, paradigms=["pairwise"], variants=["cot"])
    path = tmp_path / "run.toml"
    path.write_text('study = "s"\njudges = ["openai/gpt-4o"]\n', "utf-8")

    config = load_config(path, store)

    assert (config.paradigms, config.variants) == (["pairwise"], ["cot"])
    assert config.text.startswith('paradigms = ["pairwise"]\nvariants = ["cot"]\nstudy = "s"\n')
    assert """as the study 's' was judged: paradigms = ["pairwise"], variants = ["cot"]""" in config.notes
    # Who says one of them says both.
    path.write_text('variants = ["default"]\nstudy = "s"\njudges = ["openai/gpt-4o"]\n', "utf-8")
    assert load_config(path, store).variants == ["default"]
    path.write_text('study = "s"\ngenerators = ["a"]\n', "utf-8")
    assert load_config(path, store).paradigms == []


@pytest.mark.parametrize(("line", "state"), [("", "left out"), ("paradigms = []", "empty")])
def test_of_several_paradigms_those_of_the_study_are_named(
    line: str, state: str, store: Store, tmp_path: Path
) -> None:
    judge_study(store, tmp_path, paradigms=["pairwise", "single_rubric"])

    with pytest.raises(UsageError) as refused:
        read(f'study = "s"\njudges = ["openai/gpt-4o"]\n{line}', store)

    assert str(refused.value).endswith(
        f": paradigms is {state}, and the study 's' has judgments of single_rubric and pairwise; name those "
        'to judge by, such as paradigms = ["single_rubric"]'
    )


@pytest.mark.parametrize("study", ['"none"', '"a/b"', "3"])
def test_without_a_stored_study_nothing_is_taken_from_it(study: str, store: Store) -> None:
    with pytest.raises(UsageError, match=r"paradigms is empty; name at least one|study is 3|study: "):
        read(f'study = {study}\njudges = ["openai/gpt-4o"]\n', store)


def test_what_is_misplaced_is_said_before_what_is_missing(store: Store, tmp_path: Path) -> None:
    judge_study(store, tmp_path, paradigms=["pairwise", "single_rubric"])

    with pytest.raises(UsageError, match=r"max_usd: this field belongs under \[run\]; move it there"):
        read('study = "s"\nmax_usd = 5\njudges = ["openai/gpt-4o"]\n', store)
