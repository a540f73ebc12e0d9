"""What `spb try` does with a plan: tries the models, says what it costs, runs it and shows the board."""

import asyncio
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine.cli.exit_codes import FAILED, NO_ANSWER
from engine.cli.options import next_command, split_names
from engine.cli.output import say, say_detail
from engine.cli.printing.rows import RowFormat, print_done
from engine.cli.run.spending_cap import at_terminal
from engine.errors import UsageError
from engine.phrases import join_names, part_of, quantity

if TYPE_CHECKING:
    from engine.collect.configuration.config import RunConfig
    from engine.collect.configuration.question_run import QuestionRun
    from engine.collect.forecast.forecasts import Forecast
    from engine.collect.run_options import RunOptions
    from engine.store import Store


@dataclass(frozen=True)
class TryCommand:
    """What was typed, to be said again."""

    questions: str
    models: list[str]
    columns: list[str] | None
    family: list[str] | None
    price: list[str] | None
    api_base: list[str] | None
    sample: int | None
    study: str | None
    config: Path | None
    store: str | None

    def text(
        self,
        max_usd: float | None = None,
        *,
        no_cap: bool = False,
        yes: bool = False,
        dry_run: bool = False,
    ) -> str:
        words = ["spb", "try", self.questions, "--models", ",".join(split_names(self.models))]
        words += ["--dry-run"] if dry_run else []
        words += ["--max-usd", f"{max_usd:g}"] if max_usd is not None else []
        words += ["--no-cap"] if no_cap else []
        words += ["--yes"] if yes else []
        flags = {"map": self.columns, "family": self.family, "price": self.price, "api-base": self.api_base}
        for flag, values in flags.items():
            words += [word for value in values or () for word in (f"--{flag}", value)]
        one = {"sample": self.sample, "study": self.study, "config": self.config, "store": self.store}
        words += [
            word for flag, value in one.items() if value is not None for word in (f"--{flag}", str(value))
        ]
        return shlex.join(words)


@dataclass(frozen=True)
class _Trial:
    """A run that is planned: its configuration, to be written to `path`, and its costs."""

    wanted: "QuestionRun"
    command: TryCommand
    config: "RunConfig"
    path: Path
    options: "RunOptions"
    costs: "Forecast"
    is_free: bool


def start_trial(
    wanted: "QuestionRun",
    store: "Store",
    command: TryCommand,
    config_path: Path | None,
    *,
    no_cap: bool,
    yes: bool,
    dry_run: bool,
    form: RowFormat,
) -> None:
    from engine.cli.run.run import options_to_continue, run_calls, store_command_to_continue
    from engine.cli.run.run_outcome import print_report
    from engine.collect.configuration.read_config import parse_config
    from engine.collect.configuration.written_configuration import configuration_path
    from engine.collect.forecast.forecasts import forecast
    from engine.collect.run_options import RunOptions

    path = (config_path or configuration_path(store, wanted.study)).expanduser().absolute()
    config = parse_config(wanted.configuration(path.parent), folder=path.parent)
    options = RunOptions(max_usd=wanted.max_usd, no_cap=no_cap)
    is_free = _check_prices(config, options)
    costs = forecast(config, store, options)
    trial = _Trial(wanted, command, config, path, options, costs, is_free)
    if dry_run:
        _say_plan(trial, is_written=config_path is not None)
        print_done(form, **costs.to_dict())
        return
    if costs.total.calls:
        trial = _agreed(trial, store, yes=yes)
    options = trial.options
    again = command.text(options.max_usd, no_cap=options.no_cap, yes=yes)
    report = run_calls(trial.config, store, replace(options, command=again), None)
    to_continue = options_to_continue(trial.config, store, options, report)
    run_again = _run_command(path, command.store, to_continue)
    store_command_to_continue(trial.config, store, to_continue, report, run_again)
    print_report(report, None, run_again)
    _show_board(wanted.study, command.store, form)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _say_plan(trial: _Trial, *, is_written: bool) -> None:
    """Say what the run would call and cost, and how it starts; write its configuration if asked for."""
    from engine.cli.run.spending_cap import cap_lacking
    from engine.collect.configuration.written_configuration import write_configuration

    command, config, options, costs = trial.command, trial.config, trial.options, trial.costs
    _say_questions(trial.wanted)
    _say_costs(trial.wanted, costs)
    if (middle := costs.total.cost_usd) and cap_lacking(config, options) is not None:
        to_run = command.text(math.ceil(2 * middle))
        say(f"the run itself needs a spending cap, at which it stops, or --no-cap: {to_run}")
    if not is_written:
        say("nothing was called or written")
        return
    write_configuration(trial.path, config.text)
    run_words = _run_command(trial.path, command.store, options)
    say(f"nothing was called; the run is in {trial.path}: {run_words}")


def _agreed(trial: _Trial, store: "Store", *, yes: bool) -> _Trial:
    """Return the trial with its cap, once each model has answered, the user agrees and it is written.

    UsageError if somebody must be asked and there is no terminal; the command ends if the answer is no.
    """
    from engine.cli.run.spending_cap import with_cap
    from engine.collect.configuration.read_config import parse_config
    from engine.collect.configuration.written_configuration import check_configuration, write_configuration
    from engine.collect.forecast.question_power import families_words

    wanted, command, path = trial.wanted, trial.command, trial.path
    check_configuration(path)
    few = families_words(wanted.models.families)
    must_ask = not yes and (few is not None or not trial.is_free)
    if must_ask and not at_terminal():
        raise _nobody_to_ask(trial, few)
    _say_questions(wanted)
    options = with_cap(trial.config, store, trial.options)
    text = replace(wanted, max_usd=options.max_usd).configuration(path.parent)
    config = parse_config(text, folder=path.parent)
    to_edit = replace(command, config=path).text(options.max_usd, no_cap=options.no_cap, dry_run=True)
    _try_all(config, to_edit)
    _say_costs(wanted, trial.costs)
    if must_ask and not _confirmed():
        to_go_on = command.text(options.max_usd, no_cap=trial.options.no_cap)
        say(f"stopped before the run; go on with: {to_go_on}")
        raise typer.Exit(FAILED)
    write_configuration(path, config.text)
    run_command = _run_command(path, command.store, options)
    say(f"the run is in {path}, for you to keep and edit: {run_command}")
    return replace(trial, config=config, options=options)


def _nobody_to_ask(trial: _Trial, few: str | None) -> UsageError:
    """Return the error that says what would be asked, and the options by which nothing is."""
    from engine.cli.run.spending_cap import cap_lacking

    why = few or "models of this run may cost money"
    yes_words = "give --yes to go on without being asked"
    if (lacking := cap_lacking(trial.config, trial.options)) is None:
        return UsageError(f"{why}; {yes_words} (nothing was called)")
    why, cap = f"{few}; {lacking}" if few else lacking, math.ceil(2 * (trial.costs.total.cost_usd or 0.5))
    return UsageError(
        f"{why}; {yes_words}, and --max-usd X, at which the run stops (or --no-cap), such as: "
        f"{trial.command.text(cap, yes=True)} (nothing was called)"
    )


def _run_command(path: Path, store: str | None, options: "RunOptions") -> str:
    words = ["run", str(path)]
    words += ["--max-usd", f"{options.max_usd:g}"] if options.max_usd is not None else []
    words += ["--no-cap"] if options.no_cap else []
    words += ["--run-id", options.run_id] if options.run_id else []
    return next_command(store, *words)


def _check_prices(config: "RunConfig", options: "RunOptions") -> bool:
    """Return whether all models are free; UsageError, naming all of unknown price, under a cap."""
    from engine.collect.client.model_client import Models
    from engine.collect.configuration.prices import is_free

    priced, models = Models(config.models), config.models
    prices = {name: priced.price(name) for name in models}
    unpriced = [name for name, price in prices.items() if price is None]
    if unpriced and options.max_usd is not None:
        words = _price_words({name: models[name].model for name in unpriced})
        raise UsageError(
            f"--max-usd cannot be kept, as no price is known of {words}, or give --no-cap in place of "
            "--max-usd"
        )
    return all(is_free(price) for price in prices.values())


def _price_words(models: Mapping[str, str]) -> str:
    """Return the models without a price, and what to do: correct their names, or give their prices.

    `models` has what litellm calls each.
    """
    from engine.collect.configuration.prices import priced_names_like

    like = {model: names for model in models.values() if (names := priced_names_like(model))}
    flags = " ".join(f"--price {name}=IN/OUT" for name in models)
    give = f"give {flags}, in US dollars per million tokens sent and received (0/0 on a machine of your own)"
    if len(models) == 1:
        correction = "".join(
            f"correct its name (listed: {join_names(names)}), or " for names in like.values()
        )
    else:
        names_like = "; ".join(f"for {model}: {join_names(names)}" for model, names in like.items())
        correction = f"correct the names (listed: {names_like}), or " if like else ""
    return f"{join_names(list(models.values()))}: {correction}{give}"


def _say_questions(wanted: "QuestionRun") -> None:
    """Say what was read, and which models of which families answer and judge."""
    questions = wanted.questions
    parts = [quantity(wanted.size, "question")]
    if wanted.size < len(questions.instances):
        parts[0] += f" of {len(questions.instances):,}"
    if questions.rubrics:
        parts.append(quantity(len(questions.rubrics), "criterion"))
    sources = [
        f"{ours} from {join_names([repr(each) for each in columns])}"
        for ours, columns in questions.columns.items()
    ]
    parts += sources
    if questions.unread:
        parts.append(f"not read: {join_names([repr(each) for each in questions.unread], 6)}")
    say(f"{wanted.file}: {', '.join(parts)}")
    for words in questions.notes:
        say(words)
    families: dict[str, list[str]] = {}
    for name, family in wanted.models.families.items():
        families.setdefault(family, []).append(name)
    members = [f"{family} ({join_names(names)})" for family, names in families.items()]
    count = quantity(len(families), "family")
    say(f"{quantity(len(wanted.models.tables), 'model')} of {count}: {join_names(members)}")
    for words in wanted.models.notes:
        say(words)


def _try_all(config: "RunConfig", to_edit: str) -> None:
    """Call each model once; UsageError names those that do not answer."""
    from engine.collect.dispatch.trial import try_models as call_each

    outcomes = asyncio.run(call_each(config.models))
    for name, trial in outcomes.items():
        if trial.answered:
            say(f"{name}: {trial.words.partition(': ')[0]}")
    failed = [f"{name}: {trial.words}" for name, trial in outcomes.items() if not trial.answered]
    remedy = (
        "correct that, or leave the model out, and repeat the command; a model's parameters are set in the "
        f"run's file, which this writes: {to_edit}"
    )
    if failed:
        verb = "does" if len(failed) == 1 else "do"
        count = f"{part_of(len(failed), len(outcomes), 'model')} {verb} not answer"
        lines = [f"{count}, and nothing was collected:", *failed, remedy]
        raise UsageError("\n".join(lines))


def _say_costs(wanted: "QuestionRun", costs: "Forecast") -> None:
    """Say what the run calls and costs, and how many questions would show an excess of 10 in 100."""
    from engine.collect.forecast.question_power import CostRange, families_words, limits_words, power_words

    total, families = costs.total, wanted.models.families
    calls = quantity(total.calls, "call")
    if costs.already_done:
        calls += f" beside {costs.already_done:,} that are answered"
    cost = CostRange.of(total)
    if cost is None:
        say(f"{calls}, of unknown cost")
        words = _price_words({name: costs.litellm_names.get(name, name) for name in costs.unpriced})
        say(f"no price is known of {words}")
    elif cost.high:
        paid = dict.fromkeys(line.model for line in costs.lines if line.cost_usd)
        thinking = [name for name in paid if name in costs.thinking]
        say(f"{calls}, for {cost.words_of_thinking(thinking) if thinking else cost.words()}")
        if wanted.max_usd is not None:
            say(cost.within(wanted.max_usd))
    else:
        say(f"{calls}, at no cost")
    for words in costs.guesses:
        say_detail(words)
    whole = cost if not costs.already_done else None
    for sentence in (
        families_words(families),
        limits_words(families),
        power_words(families, wanted.size, whole),
    ):
        if sentence is not None:
            say(sentence)
    if total.calls:
        say(costs.time.words())


def _confirmed() -> bool:
    try:
        return typer.confirm("Go on?", err=True)
    except typer.Abort:
        return False


def _show_board(study: str, store: str | None, form: RowFormat) -> None:
    """Print what `spb judges` prints, and the command that opens it."""
    from engine.cli.judges import judges

    try:
        judges(study, store=store, format=form)
    except typer.Exit as ended:
        if ended.exit_code != NO_ANSWER:
            raise
    say(f"open it with: {next_command(store, 'open', study)}")
