"""Families guessed from names, other facts in a name, and how people correct them."""

from pathlib import Path

import pytest
from importers.foreign_files import alpaca, dump, imported, judgments, rows_of

from engine.errors import BadInputError
from engine.importers.families import resolve, twins
from engine.importers.model_names.corrections import as_csv, read_corrections


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-2024-05-13", "GPT"),
        ("text_davinci_003", "GPT"),
        ("o1", "GPT"),
        ("openai/o3-mini", "GPT"),
        ("weighted_alpaca_eval_gpt4_turbo", "GPT"),
        ("claude-3-5-sonnet-20241022", "Claude"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama"),
        ("vicuna-13b-v1.5", "Llama"),
        ("DeepSeek-R1-Distill-Qwen-7B", "Qwen"),
        ("gemma-2-27b-it", "Gemma"),
        ("gemini-1.5-pro", "Gemini"),
        ("Mixtral-8x7B-Instruct-v0.1", "Mistral"),
        ("c4ai-command-r-plus", "Command"),
        ("Phi-3-mini-4k-instruct", "Phi"),
        ("my-own-model", "my-own-model"),
        ("gpt-j-6b", "GPT-J"),
        ("dolphin", "dolphin"),
        ("<b>q</b>9", "<b>q</b>"),
    ],
)
def test_a_family_is_guessed_from_the_name(model: str, family: str) -> None:
    assert resolve(model).family == family


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-4o-2024-05-13", "snapshot 2024-05-13"),
        ("gpt-4-0613", "snapshot 0613"),
        ("claude-3-opus-20240229", "snapshot 20240229"),
        ("mistral-large-2407", "snapshot 2407"),
        ("TheBloke/Llama-2-7B-Chat-GPTQ", "quantised (gptq)"),
        ("qwen2.5-7b-instruct-q4_k_m", "quantised (q4_k_m)"),
        ("llama-3-8b-int4", "quantised (int4)"),
        ("DeepSeek-R1-Distill-Llama-8B", "tuned by DeepSeek, trained on outputs of DeepSeek-R1"),
        ("vicuna-13b-v1.5", "tuned by LMSYS, trained on outputs of ChatGPT"),
        ("llama-3-70b", ""),
        ("my-own-model", "no known family, so called after its name"),
    ],
)
def test_dates_quantisation_and_tuning_are_read_from_a_name(model: str, words: str) -> None:
    assert resolve(model).words == words


def test_models_that_differ_only_by_date_or_quantisation_are_reported() -> None:
    names = ["gpt-4-0613", "openai/gpt-4-0314", "gpt-4o", "llama-3-8b", "Llama-3-8B-AWQ"]

    assert twins(names) == [["gpt-4-0613", "openai/gpt-4-0314"], ["llama-3-8b", "Llama-3-8B-AWQ"]]


def test_a_models_file_corrects_families_and_names(tmp_path: Path) -> None:
    models = tmp_path / "models.csv"
    models.write_text(
        "model,family,name,size_b\nweighted_alpaca_eval_gpt4_turbo,GPT,gpt-4o-2024-05-13,\n"
        "text_davinci_003,Old GPT,,175\nnobody,X,,\n",
        "utf-8",
    )
    path = dump(tmp_path / "annotations.json", alpaca(1, 2))

    report, study = imported("alpaca-eval", path, corrections=read_corrections(models))

    assert sorted(rows_of(study.table("models"), "model", "family", "size_b")) == [
        ("gpt-4o-2024-05-13", "GPT", None),
        ("text_davinci_003", "Old GPT", 175.0),
    ]
    assert set(judgments(study, "judge")) == {("gpt-4o-2024-05-13",)}
    assert report.notes == ("the models file names 'nobody', which the import does not have",)


def test_a_models_file_spells_families_as_those_that_are_known_or_given_before(tmp_path: Path) -> None:
    models = tmp_path / "models.csv"
    models.write_text(
        "model,family\nweighted_alpaca_eval_gpt4_turbo,OpenAI\ntext_davinci_003, openai\n", "utf-8"
    )
    path = dump(tmp_path / "annotations.json", alpaca(1, 2))

    report, study = imported("alpaca-eval", path, corrections=read_corrections(models))

    assert {family for (family,) in rows_of(study.table("models"), "family")} == {"GPT", "OpenAI"}
    assert report.notes == ("families are spelt as others that are known: 'openai' is 'OpenAI'",)


def test_an_uncertain_name_is_a_question_until_somebody_decides(tmp_path: Path) -> None:
    rows = [row | {"generator_2": "zog-chat-7b"} for row in alpaca(1, 2)]
    path = dump(tmp_path / "annotations.json", rows)
    models = tmp_path / "models.csv"
    models.write_text(as_csv(["zog-chat-7b"]), "utf-8")

    report, _ = imported("alpaca-eval", path)
    (tmp_path / "again").mkdir()
    decided, _ = imported(
        "alpaca-eval",
        dump(tmp_path / "again" / "annotations.json", rows),
        corrections=read_corrections(models),
    )

    assert report.questions == ["zog-chat-7b: 'zog'? no known family, so called after its name"]
    assert f"  {report.questions[0]}" in list(report.lines())
    assert decided.questions == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("model,famly\na,b\n", "there is a column 'famly'"),
        ("model,family\na,b\na,c\n", "row 2: the model is 'a', which occurs twice"),
        ("family\nb\n", "the model is ''"),
        (
            "model,family,name\na,Aster,\nb,Boreal,a\n",
            "row 2: family of 'a' is 'Boreal', but 'Aster' in an earlier row; .* make them agree",
        ),
        ("model,family\na,b,c\n", "it has more cells than the header"),
        ("", "it has no row"),
    ],
)
def test_an_invalid_models_file_is_refused_with_its_row(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "models.csv"
    path.write_text(content, "utf-8")

    with pytest.raises(BadInputError, match=words):
        read_corrections(path)


def test_a_base_model_has_the_same_name_as_in_the_study(tmp_path: Path) -> None:
    student = "DeepSeek-R1-Distill-Qwen-7B"
    rows = [
        row | {"generator_2": student, "annotator": "deepseek-ai/DeepSeek-R1", "generator_1": "zog"}
        for row in alpaca(1, 2)
    ]

    _, study = imported("alpaca-eval", dump(tmp_path / "annotations.json", rows))

    models = rows_of(study.table("models"), "model", "base_model", "distilled_from")
    assert (student, "Qwen2.5-Math-7B", "deepseek-ai/DeepSeek-R1") in models
    assert ("zog", None, None) in models
