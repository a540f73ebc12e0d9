"""`spb try QUESTIONS --models NAMES`: one's own models on one's own questions, up to the board of judges."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from engine.cli.options import StoreOption, refuse_together, split_names
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption
from engine.cli.run.try_run import TryCommand, start_trial
from engine.errors import UsageError
from engine.phrases import join_names, quantity

_File = Annotated[
    str,
    typer.Argument(
        metavar="QUESTIONS",
        help="CSV, Excel or JSON Lines with a column question (also criteria, one on each line of its cell; "
        "reference_answer, category), or a text file (.txt) with one question on each line.",
    ),
]
_ModelNames = Annotated[
    list[str],
    typer.Option(
        "--models",
        metavar="NAMES",
        help="Models that answer and judge, as litellm knows them: openai/gpt-5,ollama/qwen3. Three families "
        "or more. simulated/NAME needs no key.",
    ),
]
_MaxUsd = Annotated[
    float | None,
    typer.Option(min=0, metavar="X", help="Spending cap in US dollars, trial calls not counted."),
]
_NoCap = Annotated[bool, typer.Option("--no-cap", help="Call models that cost money without a spending cap.")]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; go on with fewer families too.")]
_DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print what would be called and its cost; call and write nothing, but the file of --config.",
    ),
]
_Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=FIELD",
        help="Which field of the file holds prompt, criteria, reference_answer, category, theme, language, "
        "context or instance_id; may be given more than once.",
    ),
]
_Sample = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only N of the questions, drawn at random.")
]
_Study = Annotated[
    str | None, typer.Option("--study", metavar="NAME", help="Name of the study (default: the file's).")
]
_Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where to write the run's configuration, which `spb run` takes (default: STUDY.toml beside the "
        "store).",
    ),
]
_Family = Annotated[
    list[str] | None,
    typer.Option(metavar="MODEL=FAMILY", help="A model's family, if its name does not say it."),
]
_Price = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL=IN/OUT",
        help="US dollars per million tokens sent and received, if they are not listed.",
    ),
]
_ApiBase = Annotated[
    list[str] | None,
    typer.Option(metavar="MODEL=URL", help="Address of a server of your own with OpenAI's interface."),
]

Value = TypeVar("Value")


def try_models(
    questions: _File,
    models: _ModelNames,
    max_usd: _MaxUsd = None,
    no_cap: _NoCap = False,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    columns: _Map = None,
    sample: _Sample = None,
    study: _Study = None,
    config: _Config = None,
    family: _Family = None,
    price: _Price = None,
    api_base: _ApiBase = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Have your models answer and judge your questions.

    Each model is called once to see that it works, and you are asked before the rest. Then all answer the
    questions, and each judges all pairs of answers in both orders, and the criteria if there are any. The
    result is what `spb judges` prints: whether each favours its own answers. After an interruption, the same
    command continues.
    """
    from engine.collect.configuration.config import dollars_per_million
    from engine.collect.configuration.named_models import ModelSettings, models_by_name
    from engine.collect.configuration.question_run import QuestionRun
    from engine.collect.configuration.written_configuration import study_name
    from engine.importers.own_questions.question_columns import QuestionColumnError
    from engine.importers.own_questions.question_file import read_questions
    from engine.store import Store
    from engine.store.arrow_types import leave_pandas_out
    from engine.store.location import check_new_name

    leave_pandas_out()
    refuse_together(no_cap=no_cap, max_usd=max_usd)
    command = TryCommand(questions, models, columns, family, price, api_base, sample, study, config, store)
    _check_columns(
        columns or (),
        lambda maps: replace(command, columns=maps).text(max_usd, no_cap=no_cap, yes=yes, dry_run=dry_run),
    )
    fields = _by_name("--map", columns, "prompt=TEXT", str)
    settings = ModelSettings(
        families=_by_name("--family", family, "my-model=Llama", str),
        addresses=_by_name("--api-base", api_base, "my-model=http://127.0.0.1:8000/v1", str),
        prices=_by_name("--price", price, "my-model=1.25/10", dollars_per_million),
    )
    named_models = models_by_name(split_names(models), settings)
    if len(named_models.tables) < 2:
        raise UsageError("--models names fewer than two models; name three or more, of three families")
    try:
        read = read_questions(questions, fields)
    except QuestionColumnError as error:
        with_column = replace(command, columns=[*(columns or []), f"prompt={error.likely}"])
        again = with_column.text(max_usd, no_cap=no_cap, yes=yes, dry_run=dry_run)
        raise UsageError(f"{error.problem}. Name it, for example: {again}") from None
    file = Path(questions).expanduser()
    name = study_name(file) if study is None else study
    if sample is not None and sample >= len(read.instances):
        if sample > len(read.instances):
            of_file = quantity(len(read.instances), "question")
            say(f"--sample {sample:,}: the file has {of_file}, all are taken")
        sample = None
    wanted = QuestionRun(check_new_name(name), file, read, named_models, fields, sample, max_usd)
    start_trial(wanted, Store(store), command, config, no_cap=no_cap, yes=yes, dry_run=dry_run, form=format)


def _check_columns(maps: Sequence[str], command: Callable[[list[str]], str]) -> None:
    """Raise UsageError, with the command to write, for names the wrong way round and several criteria."""
    from engine.importers.own_questions.question_columns import COLUMNS, is_numbered_criterion

    pairs = [tuple(part.strip() for part in text.partition("=")[::2]) for text in maps]
    right = [
        (theirs, ours) if ours not in COLUMNS and theirs in COLUMNS else (ours, theirs)
        for ours, theirs in pairs
    ]
    hints = [
        f"the name of our column comes first: {ours}={theirs}"
        for ours, theirs in right
        if (ours, theirs) not in pairs
    ]
    criteria = [theirs for ours, theirs in right if ours == "criteria"]
    if len(criteria) > 1:
        right = [pair for pair in right if pair[0] != "criteria"]
        if not all(map(is_numbered_criterion, criteria)):
            numbered = "criterion_1, criterion_2 and so on"
            raise UsageError(
                f"--map names several columns of criteria; call them {numbered}, which are read together"
            )
        hints = [f"{join_names(criteria)} are read together as they are called, without --map"]
    if hints:
        raise UsageError(f"--map: {hints[0]}; write: {command(['='.join(pair) for pair in right])}")


def _by_name(
    option: str, texts: Iterable[str] | None, example: str, convert: Callable[[str], Value]
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for text in texts or ():
        name, sign, value = (part.strip() for part in text.partition("="))
        try:
            if not (name and sign and value):
                raise ValueError
            converted = convert(value)
        except ValueError:
            raise UsageError(
                f"{option} {text!r} is not understood; write it like {option} {example}"
            ) from None
        if name in values:
            raise UsageError(f"{option} names {name!r} twice; keep one of them")
        values[name] = converted
    return values
