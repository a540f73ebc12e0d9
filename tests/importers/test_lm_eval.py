"""Samples of lm-evaluation-harness with metrics that are graded, computed over the set, or of IFEval."""

from pathlib import Path
from typing import Any

from importers.foreign_files import imported, lines, rows_of

from engine.importers.import_options import ImportOptions

MODEL = ImportOptions(generator="g")


def logged(number: int, doc: dict[str, Any] | None = None, **metrics: Any) -> dict[str, Any]:
    """Return a sample in the form of version 0.4 of the harness."""
    return {
        "doc_id": number,
        "doc": doc or {"question": f"What is {number} + 1?"},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
        "resps": [["Two."]],
        "filtered_resps": ["Two."],
        "filter": "none",
        "metrics": list(metrics),
        **metrics,
    }


def references(study: Any) -> list[tuple[Any, ...]]:
    return rows_of(study.table("references"), "instance_id", "rubric_id", "met")


def test_no_value_of_a_metric_that_is_graded_anywhere_in_the_file_is_a_verdict(tmp_path: Path) -> None:
    samples = [logged(0, f1=1.0, em=1.0), logged(1, f1=0.0, em=0.0), logged(2, f1=0.4, em=0.0)]

    report, study = imported("lm-eval", lines(tmp_path / "samples_drop.jsonl", samples), MODEL)

    assert references(study) == [("drop-0", "em", True), ("drop-1", "em", False), ("drop-2", "em", False)]
    assert "the metric 'f1' is not always true or false: none of its values is stored" in report.notes
    assert "f1" in report.unused
    assert "em" not in report.unused


def test_a_filters_graded_metric_leaves_another_filters_verdicts(tmp_path: Path) -> None:
    samples = [logged(0, score=1.0) | {"filter": "strict"}, logged(0, score=0.5) | {"filter": "soft"}]

    _, study = imported("lm-eval", lines(tmp_path / "samples_x.jsonl", samples), MODEL)

    assert references(study) == [("x-0", "score,strict", True)]


def test_the_correct_and_the_chosen_class_are_not_verdicts(tmp_path: Path) -> None:
    samples = [
        logged(0, acc=1.0, f1=[0, 0], mcc=[0, 0], brier_score=[0, "[0.9 0.1]"]),
        logged(1, acc=0.0, f1=[1, 0], mcc=[1, 0], brier_score=[1, "[0.9 0.1]"]),
    ]

    report, study = imported("lm-eval", lines(tmp_path / "samples_mrpc.jsonl", samples), MODEL)

    assert references(study) == [("mrpc-0", "acc", True), ("mrpc-1", "acc", False)]
    assert {"f1", "mcc", "brier_score"} <= set(report.unused)


def test_a_reference_text_beside_a_verdict_does_not_hide_it(tmp_path: Path) -> None:
    path = lines(tmp_path / "samples_wmt.jsonl", [logged(0, chrf=["4", "Two."], exact_match=0.0)])

    _, study = imported("lm-eval", path, MODEL)

    assert references(study) == [("wmt-0", "exact_match", False)]


def test_ifevals_instructions_are_worded_for_judges(tmp_path: Path) -> None:
    doc = {
        "prompt": "Write.",
        "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words", "mine:own"],
        "kwargs": [{"num_words": None}, {"relation": "at least", "num_words": 300}, {}],
    }
    samples = [logged(0, doc, inst_level_strict_acc=[True, False, True])]

    _, study = imported("lm-eval", lines(tmp_path / "samples_ifeval.jsonl", samples), MODEL)

    assert rows_of(study.table("rubrics"), "criterion", "axis", "checker", "checker_kwargs") == [
        ("The response contains no comma.", "punctuation", "punctuation:no_comma", "{}"),
        (
            "The response has at least 300 words.",
            "length_constraints",
            "length_constraints:number_words",
            '{"relation": "at least", "num_words": 300}',
        ),
        (None, "mine", "mine:own", None),
    ]
