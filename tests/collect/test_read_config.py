"""Settings that do not fit together are refused, and those beside them on the allowed side are read."""

from pathlib import Path

import pytest
from collect.run.small import config, write_folder

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.errors import UsageError

BASE = {"study": '"s"', "judges": '["a"]', "paradigms": '["pairwise"]'}
MODELS = "".join(f'[models.{name}]\nmodel = "openai/{name}"\n' for name in "abcdg")


def read(models: str = MODELS, tables: str = "", **top: str) -> RunConfig:
    lines = [f"{name} = {value}" for name, value in (BASE | top).items() if value]
    return parse_config("\n".join([*lines, tables, models]))


def problem(models: str = MODELS, tables: str = "", **top: str) -> str:
    with pytest.raises(UsageError) as refused:
        read(models, tables, **top)
    return str(refused.value)


def test_a_studys_name_must_be_one_of_a_folder() -> None:
    assert ": study: " in problem(study='"a/b"')


def test_somebody_must_judge_or_answer() -> None:
    assert "there are neither `judges` nor `generators`; name at least one" in problem(judges="[]")
    assert read(judges="[]", generators='["a"]', paradigms="[]").generators == ["a"]
    assert "paradigms is empty; name at least one" in problem(paradigms="[]")
    quality = problem(judges="[]", quality_judges='["a"]', paradigms="[]")
    assert "paradigms is empty; name at least one" in quality
    assert read(judges="[]", quality_judges='["a"]', paradigms='["quality"]').quality_judges == ["a"]
    lacking = problem(judges="[]", quality_judges='["a"]', paradigms='["quality", "pairwise"]')
    assert "judges is empty, and 'pairwise' needs some; name them" in lacking


@pytest.mark.parametrize("field", ["judges", "quality_judges", "gold_judges"])
def test_a_judge_must_be_a_model(field: str) -> None:
    names = '["b", "c", "z"]'

    assert f"{field}: unknown model 'z'; choose from: a, b, c, d, g" in problem(**{field: names})


def test_a_gold_panel_has_three_judges_who_compare_all_pairs() -> None:
    assert "gold_judges has 2, and a panel needs 3; name more" in problem(gold_judges='["b", "c"]')
    three = '["b", "c", "d"]'
    assert read(gold_judges=three).gold_judges == ["b", "c", "d"]
    all_pairs = 'gold_judges compare all pairs; write paradigms = ["pairwise"] and pairs = "all"'
    assert all_pairs in problem(gold_judges=three, paradigms='["single_rubric"]')
    assert all_pairs in problem(gold_judges=three, pairs='["equal"]')


TERSE = "[transforms.terse]\n"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            '[transforms.none]\nmake = "padding"',
            "transforms.none: 'none' means not rewritten; choose another",
        ),
        (TERSE, "transforms.terse.by is missing; name the model that rewrites"),
        (f'{TERSE}by = "z"', "transforms.terse.by: unknown model 'z'; choose from: a, "),
        (
            f'{TERSE}make = "padding"\nby = "a"',
            "transforms.terse.by is 'a', and 'padding' needs no model; leave it out",
        ),
        (
            f'{TERSE}make = "padding"\ntemplate = "style"',
            "transforms.terse.template is 'style', and 'padding' needs no model; leave it out",
        ),
        (
            f'{TERSE}make = "padding"\nnames = {{ a = "A" }}',
            "transforms.terse.names is given, and 'padding' names nobody; leave it out",
        ),
        (
            f'{TERSE}by = "a"\ntemplate = "style"\ngenerators = ["c"]',
            "transforms.terse.generators: unknown generator 'c'; choose from: a, b",
        ),
        (
            f'{TERSE}by = "a"',
            "transforms.terse.template: unknown template 'terse'; choose from: attractive, ",
        ),
    ],
)
def test_a_transform_is_made_by_a_model_or_by_a_program(table: str, says: str) -> None:
    assert says in problem(tables=table, generators='["a", "b"]')


def test_transforms_that_fit_are_read() -> None:
    tables = (
        f'{TERSE}by = "a"\ntemplate = "style"\ngenerators = ["b"]\n'
        '[transforms.padded]\nmake = "padding"\n[transforms.signed]\nmake = "author"\nnames = { a = "A" }'
    )

    read_in = read(tables=tables, generators='["a", "b"]')

    assert list(read_in.transforms) == ["terse", "padded", "signed"]
    assert list(read_in.rewritings) == ["terse"]
    # Without generators of the run any model of the study may be named.
    assert read(tables=f'{TERSE}by = "a"\ntemplate = "style"\ngenerators = ["z"]').transforms


def spare(names: str, more: str = "") -> str:
    return MODELS.replace('"openai/a"\n', f'"openai/a"\nfallback = {names}\n') + more


def test_a_fallback_has_no_verdicts_of_its_own() -> None:
    assert read(spare('["c", "d"]')).models["a"].fallback == ["c", "d"]
    in_batch = problem(spare('["c"]'), mode='"batch"')
    assert 'models.a.fallback: batches have no fallback; leave it out, or write mode = "live"' in in_batch
    assert "models.a.fallback: unknown model 'z'" in problem(spare('["z"]'))
    judging = "'b' is a judge of this run and has verdicts of its own; name another"
    assert judging in problem(spare('["b"]'), judges='["a", "b"]')
    assert judging in problem(spare('["b"]'), quality_judges='["b"]', paradigms='["pairwise", "quality"]')
    assert judging in problem(spare('["b"]'), gold_judges='["b", "c", "d"]')
    twice = spare('["c"]').replace('"openai/b"\n', '"openai/b"\nfallback = ["c"]\n')
    assert (
        "'c' stands in for 'a' already, and would have two verdicts on one answer; name another"
        in problem(twice, judges='["a", "b"]')
    )


CONTINUED = MODELS.replace(
    '"openai/a"\n', '"openai/a"\nprotocol = "completion"\napi_base = "http://here/v1"\napi_key_env = "K"\n'
)


def test_a_judge_that_continues_a_text_gives_letters_on_a_server_that_can() -> None:
    assert read(CONTINUED, variants='["forced"]').models["a"].protocol == "completion"
    elsewhere = CONTINUED.replace('"openai/a"', '"anthropic/a"')
    assert "needs a server of OpenAI's text completions, and models.a.model is 'anthropic/a'" in problem(
        elsewhere, variants='["forced"]'
    )
    assert "does not work in batches" in problem(CONTINUED, variants='["forced"]', mode='"batch"')
    assert "gives a letter, and single_rubric asks for more; choose from pairwise, " in problem(
        CONTINUED, variants='["forced", "default"]', paradigms='["pairwise", "single_rubric"]'
    )
    assert "gives a letter, and the variant 'default' asks for an object" in problem(
        CONTINUED, variants='["default"]'
    )
    # Of a model that is no judge of pairs the variant is its own affair.
    assert read(CONTINUED, judges='["b"]', generators='["b"]', variants='["default"]')
    simulated = MODELS.replace('"openai/a"\n', '"simulated/a"\nprotocol = "completion"\n')
    assert read(simulated, variants='["forced"]').models["a"].protocol == "completion"


def test_a_smallest_stratum_needs_strata() -> None:
    assert "sample.min_per_stratum is 2 and sample.stratify is missing; name the column" in problem(
        tables="[sample]\nn = 4\nmin_per_stratum = 2"
    )
    fitting = read(tables='[sample]\nn = 4\nmin_per_stratum = 2\nstratify = "category"').sample
    assert fitting is not None
    assert (fitting.n, fitting.min_per_stratum) == (4, 2)
    assert read(tables="[sample]\nn = 4\nmin_per_stratum = 0").sample is not None


def test_data_is_a_file_a_folder_or_a_known_data_set(tmp_path: Path) -> None:
    folder, file = write_folder(tmp_path / "data"), tmp_path / "q.csv"
    file.write_text("id,prompt\n1,Why?\n")

    def with_columns(path: Path, columns: str) -> RunConfig:
        return config(path, more=f"columns = {columns}")

    assert with_columns(file, '{ prompt = "Ask" }').columns == {"prompt": "Ask"}
    with pytest.raises(UsageError, match="columns: unknown column 'question'; choose from: "):
        with_columns(file, '{ question = "Ask" }')
    with pytest.raises(UsageError, match="columns applies to data that is a file of questions; leave it out"):
        with_columns(folder, '{ prompt = "Ask" }')
    assert "data: there is no 'demo-none'; " in problem(data='"demo-none"')
    neither = problem(data='"nothing"')
    assert "data: 'nothing' is neither a file, a folder nor a known data set; give a file" in neither
    assert read(data='"ifeval"').data == "ifeval"


def test_templates_are_looked_for_before_anything_is_called() -> None:
    assert ": variants: unknown variant 'cott' of pairwise" in problem(variants='["cott"]')
    assert ": answer_template: unknown template 'box'" in problem(answer_template='"box"')
    assert read(answer_template='"boxed"', generators='["a"]').answer_template == "boxed"


def test_a_configuration_keeps_its_text_and_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f'study = "s"\njudges = ["a"]\nparadigms = ["pairwise"]\n{MODELS}'

    assert parse_config(text).folder == tmp_path
    assert parse_config(text).text == text


@pytest.mark.parametrize(("checker", "refused"), [("boxed", True), ("exact", False), ("choice", False)])
def test_a_checker_whose_package_is_missing_is_named_before_anything_is_called(
    monkeypatch: pytest.MonkeyPatch, checker: str, refused: bool
) -> None:
    def make_check(name: str, _: object) -> None:
        raise UsageError(f"{name} needs a package")

    monkeypatch.setattr("engine.checkers.make_check", make_check)

    if refused:
        with pytest.raises(UsageError, match="checker: boxed needs a package"):
            read(checker=f'"{checker}"')
    else:
        assert read(checker=f'"{checker}"').checker == checker
