"""What a name means, as `engine.explain` says it in Python."""

import inspect

import pytest

import engine
from engine.errors import UsageError
from engine.importers.tables.table_columns import COLUMNS
from engine.measures.catalogue import PRESENT
from engine.measures.methods import method_name
from engine.measures.undefined_reasons import REASONS
from engine.slices import FLAGS, Option


def test_every_code_measure_column_filter_and_option_is_explained() -> None:
    options = {option.name for measure in PRESENT.values() for option in measure.options}
    columns = {name for measure in PRESENT.values() for field in measure.fields for name in field.columns()}

    for name in {*REASONS, *PRESENT, *map(method_name, PRESENT.values()), *options, *columns}:
        assert engine.explain(name)
    for flag in FLAGS:
        assert f"{flag.name} (filter): {flag.meaning}" in engine.explain(flag.name)


def test_every_argument_of_a_public_function_and_every_column_of_a_table_to_import_is_explained() -> None:
    methods = [getattr(engine.Study, name) for name in dir(engine.Study) if not name.startswith("_")]
    functions = filter(inspect.isfunction, [*(getattr(engine, name) for name in engine.__all__), *methods])
    arguments = {
        each.name
        for function in functions
        for each in inspect.signature(function).parameters.values()
        if each.kind is each.KEYWORD_ONLY
    }

    assert {"full", "mode", "guess", "max_excess"} < arguments
    for name in {*arguments, *COLUMNS}:
        assert engine.explain(name)


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag.choices], ids=lambda flag: flag.name)
def test_every_value_of_a_filter_is_explained(flag: Option) -> None:
    for value in flag.choices:
        assert value in engine.explain(value)
    assert "value of the filter scores" in engine.explain("fraction")


def test_the_scale_of_differences_in_quality_is_explained() -> None:
    for name in ("epsilon", "gap"):
        assert "quality is of 0 to 10, true scores of 0 to 1 times 10" in engine.explain(name)


def test_an_explanation_is_in_the_words_of_python_and_shown_as_it_reads() -> None:
    explained = engine.explain("hspp")

    assert "`study.hspp()` computes it" in explained
    assert repr(explained) == str(explained)
    assert "percent" not in engine.explain("own_given")
    assert "few_instances (reason): own answers from fewer than 10 questions" in engine.explain(
        "few instances"
    )


def test_what_has_no_meaning_is_refused_with_what_is_like_it() -> None:
    with pytest.raises(UsageError, match="nothing is called 'few_instancs'; did you mean few_instances"):
        engine.explain("few_instancs")
