"""Data sets of questions whose answers programs check: IFEval, AlpacaEval, MATH-500, MBPP+."""

from pathlib import Path

from engine.checkers.checks_by_id import SHIPPED, rubric_columns
from engine.errors import SpbError
from engine.importers.datasets.file_records import DataSet, DataSetImporter, json_lines, json_list, rows_of
from engine.importers.reading.study_builder import InstanceRows
from engine.store.study_files import StudyInfo

_REMEDY = "give input_data.jsonl of google-research's instruction_following_eval"
_SOURCE = "https://github.com/google-research/google-research/tree/master/instruction_following_eval"


@DataSetImporter
def import_ifeval(path: Path) -> DataSet:
    """Read IFEval (Zhou et al. 2023): each instruction is a rubric with its checker and arguments.

    An instance's category is the group of its first instruction. Raises BadInputError naming the line.
    """
    items = []
    for entry in json_lines(path, _REMEDY):
        key = str(entry.get("key", int))
        ids, kwargs = entry.get("instruction_id_list", list), entry.get("kwargs", list)
        if not ids or len(ids) != len(kwargs):
            problem = f"it has {len(ids)} instructions and {len(kwargs)} kwargs, expected equal numbers"
            raise entry.error(problem)
        instructions = []
        for checker, values in zip(ids, kwargs, strict=True):
            if checker not in SHIPPED:
                choices = ", ".join(SHIPPED)
                raise entry.error(f"instruction_id_list has {checker!r}, expected one of {choices}")
            arguments = entry.fits("kwargs", values, dict)
            try:
                instructions.append(rubric_columns(checker, arguments))
            except SpbError as error:
                raise entry.error(str(error)) from error
        rows = InstanceRows(key, prompt=entry.get("prompt", str), category=instructions[0]["axis"])
        for place, instruction in enumerate(instructions, start=1):
            rows.rubric(f"r{place}", **instruction)
        items.append(rows)
    info = StudyInfo(title="IFEval", dataset="ifeval", licence="Apache-2.0", source=_SOURCE)
    return DataSet(info, rows_of(items))


_ALPACA = "give alpaca_eval.json of tatsu-lab/alpaca_eval"
_MATH = "give test.jsonl of MATH-500 (prm800k's math_splits)"
_MBPP = "give MbppPlus.jsonl.gz of evalplus/mbppplus_release"


@DataSetImporter
def import_alpaca(path: Path) -> DataSet:
    """Read AlpacaEval's instructions as numbered instances, and its baseline's outputs as responses."""
    items = []
    entries = list(json_list(path, _ALPACA))
    for entry in entries:
        number, generator = f"{entry.number:0{len(str(len(entries)))}}", entry.maybe("generator", str)
        category = entry.maybe("dataset", str)
        rows = InstanceRows(number, prompt=entry.get("instruction", str), category=category)
        if generator is not None:
            rows.response(generator, entry.get("output", str))
        items.append(rows)
    source = "https://huggingface.co/datasets/tatsu-lab/alpaca_eval"
    info = StudyInfo(title="AlpacaEval", dataset="alpaca-eval", licence="CC-BY-NC-4.0", source=source)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_math500(path: Path) -> DataSet:
    """Read MATH-500's problems as instances, with one rubric: that the final answer is right."""
    items = []
    for entry in json_lines(path, _MATH):
        answer, level = entry.get("answer", str), entry.maybe("level", int)
        name, prompt = entry.get("unique_id", str), entry.get("problem", str)
        category, theme = entry.maybe("subject", str), None if level is None else f"level {level}"
        rows = InstanceRows(name, prompt=prompt, category=category, theme=theme, reference_answer=answer)
        criterion = f"The final answer is mathematically equal to {answer}"
        rows.rubric("correct", criterion=criterion, axis="accuracy")
        items.append(rows)
    source = "https://github.com/openai/prm800k"
    info = StudyInfo(title="MATH-500", dataset="math500", licence="MIT", source=source)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_mbpp_plus(path: Path) -> DataSet:
    """Read MBPP+'s tasks as instances, with one rubric: that the function is right for every valid input.

    No code is run: whether a response is right must come from EvalPlus, as references.
    """
    items = []
    for entry in json_lines(path, _MBPP):
        prompt = entry.get("prompt", str).strip().removeprefix('"""').removesuffix('"""').strip()
        prompt, solution = f"Write a Python function.\n\n{prompt}", entry.get("canonical_solution", str)
        rows = InstanceRows(entry.get("task_id", str), prompt=prompt, reference_answer=solution.strip("\n"))
        function = entry.get("entry_point", str)
        criterion = f"The code defines `{function}`, and it returns the right result for all valid inputs."
        rows.rubric("correct", criterion=criterion, axis="accuracy")
        items.append(rows)
    source = "https://github.com/evalplus/mbppplus_release"
    info = StudyInfo(title="MBPP+", dataset="mbpp-plus", licence="Apache-2.0", source=source)
    return DataSet(info, rows_of(items))
