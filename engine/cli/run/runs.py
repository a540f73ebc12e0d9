"""`spb run list`, `show`, `watch` and `stop`: the runs of a store, and one of them."""

import json
import shlex
import time
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import NoAnswerError
from engine.cli.former import is_former
from engine.cli.options import AnyStudyArgument, FormOption, StoreOption, next_command, open_study
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, TextFormatOption, print_done, print_rows
from engine.cli.run.run_outcome import value_text
from engine.cli.run.run_progress import run_progress
from engine.errors import UsageError, unknown
from engine.phrases import dollars, duration, quantity

if TYPE_CHECKING:
    from engine.collect.watch.watched_runs import WatchedRun
    from engine.store import Store

runs_app = typer.Typer(name="runs", invoke_without_command=True)

_Run = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="Run to watch, as `spb run list` names it (default: the active one)."),
]
_STATUS_FIELDS = ("done", "total", "cost_usd", "seconds_left", "started_at")
_SHARD_FIELDS = ("shards", "shards_to_begin", "commands_to_continue", "command_for_the_rest")
_SHOWN_FIELDS = (
    *("unparsed", "refused", "error", "error_words", "warnings"),
    *("message", "command", "command_to_continue", "trial_usd"),
)
_MOST_COMMANDS = 3
_POLL_S = 0.5


@runs_app.callback()
def runs(context: typer.Context, store: StoreOption = None, form: FormOption = "text") -> None:
    """List the runs of a store, newest first.

    Shown are which runs are active, and how the others ended.
    """
    if context.invoked_subcommand is None:
        list_runs(store=store, form=form)


def list_runs(
    study: AnyStudyArgument = None, store: StoreOption = None, form: TextFormatOption = "table"
) -> None:
    """List the runs of a store, or of a study, newest first.

    Shown are which runs are active, and how the others ended. Of a study, runs made elsewhere come last.
    """
    from engine.collect.watch.watched_runs import all_runs
    from engine.store import Store

    rows = [_facts(each) for each in all_runs(Store(store)) if study in (None, each.study)]
    if study is not None:
        rows += _stored_runs(store, study, {row["run_id"] for row in rows})
    if form == "json":
        print(json.dumps(rows))
        return
    if form == "csv" or not is_former():
        _print_runs(rows, form)
        return
    for row in rows:
        cost = "cost unknown" if row["run_cost_usd"] is None else _cost(row)
        parts = (row["run_id"], row["study"], row["state"], f"{row['done']:,} of {row['total']:,}", cost)
        print("  ".join(value_text(each) for each in parts))
    _say_notes(rows)
    if not rows:
        say("this store has no runs yet")


def _stored_runs(store: str | None, study: str, watched: Collection[str]) -> list[dict[str, Any]]:
    """Return the runs of a study that were made elsewhere; UsageError for an unknown study."""
    names = [name for name in open_study(store, study).inventory.runs if name not in watched]
    facts = dict.fromkeys((*_STATUS_FIELDS, "first_started_at", "run_cost_usd", "run_calls"))
    return [{"run_id": name, "study": study, "state": "stored", **facts, "notes": []} for name in names]


def _facts(run: "WatchedRun") -> dict[str, Any]:
    from engine.collect.dispatch.run_status import of_run

    facts: dict[str, Any] = {"run_id": run.run_id, "study": run.study, "state": run.state}
    facts |= {name: run.status.get(name) for name in _STATUS_FIELDS}
    facts |= {} if run.active else {"seconds_left": None}
    facts |= {
        "first_started_at": run.first_started_at,
        "run_cost_usd": run.cost_usd,
        "run_calls": of_run(run.status, "run_calls"),
        "usd_under_way": run.usd_under_way,
        "has_lost_calls": run.status.get("has_lost_calls", False),
    }
    facts |= {name: run.status[name] for name in _SHARD_FIELDS if name in run.status}
    return facts | {"notes": run.status.get("notes") or []}


def _print_runs(rows: list[dict[str, Any]], form: str) -> None:
    from engine.collect.watch.watched_shards import state_words

    heads = {"run_id": "Run", "study": "Study", "state": "State", "answered": "Answered", "cost": "Cost"}
    cells = [
        row
        | {"state": state_words(row["state"], row)}
        | {"answered": None if row["done"] is None else f"{row['done']:,} of {row['total']:,}"}
        | {"cost": None if row["done"] is None else _cost(row)}
        for row in rows
    ]
    sentences = () if rows else ("There are no runs here yet.",)
    print_rows(Rows(rows, heads, sentences, cells=cells), form)
    if form != "csv":
        _say_notes(rows)


def _say_notes(rows: list[dict[str, Any]]) -> None:
    """Say the first clause of each note on the runs, and where the rest is."""
    for row in rows:
        for note in row["notes"]:
            clause, _, rest = value_text(note).partition("; ")
            say(f"{row['run_id']}: {clause}" + (f" (spb run show {row['run_id']} has more)" if rest else ""))


def _cost(row: Mapping[str, Any]) -> str:
    """Return what a run cost: at least so much, while calls that were under way have no answer."""
    if (amount := row["run_cost_usd"]) is None:
        return "unknown"
    return f"at least {dollars(amount)}" if row.get("usd_under_way") else dollars(amount)


@runs_app.command()
def attach(
    run_id: _Run = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Watch a run until it ends.

    Ends with the run's exit code; Ctrl-C leaves it running.
    """
    from engine.collect.run.run_report import EXIT_CODES
    from engine.collect.watch.watched_runs import watched_run
    from engine.collect.watch.watched_shards import LOST, PARTIAL
    from engine.store import Store

    study_store = Store(store)
    run = _run_to_watch(study_store, run_id)
    try:
        with run_progress(f"to stop: {next_command(store, 'run', 'stop', run.run_id)}") as show:
            while run.active:
                show(run.status)
                time.sleep(_POLL_S)
                run = watched_run(study_store, run.study, run.run_id) or run
    except KeyboardInterrupt:
        again = next_command(store, "run", "watch", run.run_id)
        say(f"the run continues; watch it again with `{again}`")
        return
    print_done(format, _facts(run))
    if run.state == LOST and not run.shards:
        command = _first_command(run) or "the command that started it"
        say(f"{run.run_id}: its process has ended; continue it with {command}")
        raise typer.Exit(1)
    if run.state != "done" and not run.status.get("command_to_continue"):
        time.sleep(_POLL_S)  # its process works that command out after the run has ended
        run = watched_run(study_store, run.study, run.run_id) or run
    say(str(run.status["message"]))
    for words, count in run.status.get("error_words", []):
        say(f"{count:,} times: {value_text(words)}")
    _say_next(run, store)
    codes = {str(state): code for state, code in EXIT_CODES.items()} | {PARTIAL: EXIT_CODES["errors"]}
    raise typer.Exit(codes.get(run.state, 1))


_RunToShow = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="A run, as `spb run list` names it, or a study, for its newest run (default: the newest).",
    ),
]


def show_run(
    run_id: _RunToShow = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Show a run's state, answers and cost, and how to go on."""
    from engine.collect.watch.watched_runs import all_runs
    from engine.store import Store

    study_store = Store(store)
    if run_id is not None:
        run = _run_to_watch(study_store, run_id)
    elif newest_first := all_runs(study_store):
        run = newest_first[0]
    else:
        raise NoAnswerError(
            f"the store {study_store.root!r} has no runs; begin one with `spb run CONFIG.toml`"
        )
    facts = _facts(run) | {name: run.status.get(name) for name in _SHOWN_FIELDS}
    print_rows(Rows([facts], {}) if format != "table" else Rows((), {}, tuple(_run_sentences(facts))), format)
    if run.active:
        say(f"next: {next_command(store, 'run', 'watch', run.run_id)}")
        if run.shards:
            _say_next_of_shards(run.status, active=True)
    else:
        _say_next(run, store)


def _say_next(run: "WatchedRun", store: str | None) -> None:
    """Say the commands that go on from a run that has ended."""
    done = run.state == "done"
    if run.shards:
        _say_next_of_shards(run.status)
    elif command := run.status.get("command_to_continue") or (None if done else _first_command(run)):
        say(f"next: {value_text(command)}")
    if done:
        say(f"next: {next_command(store, 'judges', run.study)}")


def _first_command(run: "WatchedRun") -> str | None:
    """Return the command that began a run, with the run's name, so that it continues no later one."""
    command: str | None = run.status.get("command")
    if command is None or not command.startswith("spb run ") or " --run-id " in command:
        return command
    return f"{command} {shlex.join(['--run-id', run.run_id])}"


def _say_next_of_shards(status: Mapping[str, Any], *, active: bool = False) -> None:
    """Say the commands that go on with a run's shards; if none is active, the one that makes all the rest."""
    commands = status["commands_to_continue"]
    for command in commands[:_MOST_COMMANDS]:
        say(f"next: {value_text(command)}")
    if len(commands) > _MOST_COMMANDS:
        say(f"and {quantity(len(commands) - _MOST_COMMANDS, 'more shard')}; --format json has all commands")
    if commands and not active:
        say(f"or all that is left by one command: {value_text(status['command_for_the_rest'])}")


def _run_sentences(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is to be known of a run."""
    from engine.collect.dispatch.run_status import FINAL
    from engine.collect.watch.watched_shards import shard_sentences, state_words

    start, state = facts["first_started_at"], state_words(facts["state"], facts)
    yield f"{facts['run_id']}, of the study {facts['study']}, begun {start}: {state}."
    yield from shard_sentences(facts)
    without = ", ".join(f"{facts[name]:,} {name}" for name in ("unparsed", "refused") if facts[name])
    words = f"{facts['done']:,} of {quantity(facts['total'], 'call')} answered"
    words += f" ({without})" if without else ""
    yield f"{words}, {quantity(facts['error'], 'error')}." if facts["error"] else f"{words}."
    cost = facts["run_cost_usd"]
    if cost is not None and facts["usd_under_way"]:
        more = f"calls that were under way may have cost up to {dollars(facts['usd_under_way'])} more"
        yield f"It cost {_cost(facts)}: {more}."
    elif cost is not None and facts["has_lost_calls"]:
        most = "calls that were cut off count at the most they may have cost"
        yield f"It cost at most {dollars(cost)}: {most}."
    else:
        trials = f", and its trial calls {dollars(facts['trial_usd'])}" if facts["trial_usd"] else ""
        yield "What it cost is not known." if cost is None else f"It cost {dollars(cost)}{trials}."
    if facts["seconds_left"]:
        yield f"About {duration(facts['seconds_left'])} left."
    for message, count in facts["error_words"] or ():
        yield f"{count:,} times: {message}"
    if facts["state"] not in FINAL:
        yield from (f"Warning: {words}." for words in (facts["warnings"] or {}).values())
    yield from facts["notes"]


_RunToStop = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="Run to stop, as `spb run list` names it (default: the active one)."),
]


def stop_run(
    run_id: _RunToStop = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Stop a run in good order.

    Answers under way are kept, and the command that started it continues it.
    """
    from engine.collect.watch.watched_runs import stop
    from engine.store import Store

    run = _run_to_watch(Store(store), run_id, "stop")
    if not run.active:
        raise UsageError(f"the run {run.run_id!r} is not active: {run.state}")
    stop(run)
    watching = next_command(store, "run", "watch", run.run_id)
    say(f"asked {run.run_id} to stop; see its end with: {watching}")
    print_done(format, _facts(run))


def _run_to_watch(store: "Store", run_id: str | None, purpose: str = "watch") -> "WatchedRun":
    """Return the run of that name, the newest of the study of that name, or the only active one."""
    from engine.collect.watch.watched_runs import all_runs

    runs_of_store = all_runs(store)
    if run_id is not None:
        of_name = [each for each in runs_of_store if each.run_id == run_id]
        of_study = [each for each in runs_of_store if each.study == run_id]
        if of_name or of_study:
            return (of_name or of_study)[0]
        hint = "the study of that name has no runs of `spb run`" if run_id in store.studies() else ""
        raise unknown("run", run_id, [each.run_id for each in runs_of_store], hint, whole="`spb run list`")
    active = [each for each in runs_of_store if each.active]
    if len(active) != 1:
        names = ", ".join(each.run_id for each in active)
        what = f"{len(active)} runs are active ({names})" if active else "no run of this store is active"
        raise UsageError(f"{what}; name the run to {purpose}, as `spb run list` names it")
    return active[0]
