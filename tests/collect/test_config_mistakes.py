"""A mistake in the models of a configuration is answered with the lines that were meant."""

import pytest

from engine.collect.configuration.config import Price, Sample, dollars_per_million
from engine.collect.configuration.read_config import parse_config
from engine.errors import UsageError

TOP = 'study = "s"\njudges = ["mini"]\nparadigms = ["pairwise"]\n'


def problem(models: str) -> str:
    with pytest.raises(UsageError) as refused:
        parse_config(TOP + models)
    return str(refused.value).removeprefix("the configuration: ")


@pytest.mark.parametrize(
    ("models", "lines"),
    [
        (
            '[[models]]\nname = "mini"\nmodel = "openai/x"\nlogprobs = true\n[[models]]\nname = "opus"',
            '[models.mini]\nmodel = "openai/x"\nlogprobs = true\n\n[models.opus]\nmodel = "anthropic/opus"',
        ),
        ('[[models]]\nname = "openai/gpt-5"', '[models.gpt-5]\nmodel = "openai/gpt-5"'),
        ('models = ["anthropic/claude-x"]', '[models.claude-x]\nmodel = "anthropic/claude-x"'),
    ],
)
def test_a_list_of_models_is_written_as_tables(models: str, lines: str) -> None:
    assert problem(models) == f"models is a list, and takes a table for each name; write:\n{lines}"


@pytest.mark.parametrize("models", ["models = 3", "models = []", "models = [3]", "[[models]]\nname = 3"])
def test_models_without_a_name_cannot_be_written_so(models: str) -> None:
    assert problem(models).endswith("give a table")


def test_a_value_in_the_place_of_a_table_is_answered_with_the_tables_fields() -> None:
    words = "sample is 'few': give a table, [sample], of: n, stratify, min_per_stratum"

    assert problem(f"sample = 'few'\n{model('')}") == words


def test_a_number_of_questions_is_answered_with_the_line_that_takes_it() -> None:
    words = "sample is 10; write sample = { n = 10 }, or a table, [sample], of: n, stratify, min_per_stratum"
    line = "; to take 10 of the questions, write sample = { n = 10 }"

    assert problem(f"sample = 10\n{model('')}") == words
    assert problem(f"instances = 10\n{model('')}").endswith(line)
    assert parse_config(f"{TOP}sample = {{ n = 10 }}\n{model('')}").sample == Sample(n=10)


def model(line: str) -> str:
    return f'[models.mini]\nmodel = "openai/gpt-4o-mini"\n{line}\n'


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ("{ input = 0.8, output = 4 }", "{ input_per_million = 0.8, output_per_million = 4 }"),
        ("{ completion_cost = 4 }", "{ input_per_million = ..., output_per_million = 4 }"),
    ],
)
@pytest.mark.parametrize("field", ["price", "batch_price"])
def test_a_price_with_other_names_is_shown_in_the_right_ones(field: str, price: str, words: str) -> None:
    assert problem(model(f"{field} = {price}")).endswith(
        f"unknown field; choose from: input_per_million, output_per_million; write {field} = {words}"
    )


def test_another_field_of_a_model_gets_no_price() -> None:
    assert "write" not in problem(model("params = { max_tokens = 0 }"))
    assert "input_per_million" not in problem('[models.price]\nmodel = "x"\ncolour = 1')


def test_a_price_may_be_written_as_the_command_line_takes_it() -> None:
    config = parse_config(TOP + model('price = "0.8/4"\nbatch_price = " 0.4 / 2 "'))

    assert config.models["mini"].price == Price(input_per_million=0.8, output_per_million=4.0)
    assert config.models["mini"].batch_price == Price(input_per_million=0.4, output_per_million=2.0)


@pytest.mark.parametrize("value", ['"0.8"', '"a/b"', '"-1/2"', '"1/inf"', '"1/2/3"', "0.8", "[1, 2]", "true"])
def test_what_is_no_price_is_answered_with_its_form(value: str) -> None:
    words = problem(model(f"price = {value}"))

    assert words.startswith("models.mini.price is ")
    assert words.endswith(
        'write it as "IN/OUT", in US dollars per million tokens sent and received, such as "0.8/4"'
    )


def test_dollars_for_tokens_sent_and_received_are_read() -> None:
    assert dollars_per_million("1.25/10") == (1.25, 10.0)
