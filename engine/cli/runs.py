"""`spb runs`: what runs, ran and failed in a store, and watching a run that goes on by itself."""

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import FormOption, StoreOption, say
from engine.cli.run import run_progress, shown

if TYPE_CHECKING:
    from engine.collect.run_folder import Watched
    from engine.store import Store

runs_app = typer.Typer(name="runs", invoke_without_command=True)

_Run = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="Run to watch, as `spb runs` lists it (default: the active one)."),
]
_LISTED = ("done", "total", "cost_usd", "seconds_left", "started_at")
_LOOK_S = 0.5


@runs_app.callback()
def runs(context: typer.Context, store: StoreOption = None, form: FormOption = "text") -> None:
    """List the runs of a store, newest first: which are active, and how the others ended."""
    if context.invoked_subcommand is not None:
        return
    from engine.collect.run_folder import all_runs
    from engine.store import Store

    listed = [
        {"run_id": each.run_id, "study": each.study, "state": each.state}
        | {name: each.status.get(name) for name in _LISTED}
        | ({} if each.active else {"seconds_left": None})
        for each in all_runs(Store(store))
    ]
    if form == "json":
        print(json.dumps(listed))
        return
    for row in listed:
        cost = "cost unknown" if row["cost_usd"] is None else f"${row['cost_usd']:,.4f}"
        parts = (row["run_id"], row["study"], row["state"], f"{row['done']:,} of {row['total']:,}", cost)
        print("  ".join(shown(each) for each in parts))
    if not listed:
        say("this store has no runs yet")


@runs_app.command()
def attach(run_id: _Run = None, store: StoreOption = None) -> None:
    """Watch a run until it ends, and exit with its exit code; Ctrl-C leaves it running."""
    from engine.collect.run_folder import LOST, watched
    from engine.collect.run_report import EXIT_CODES
    from engine.store import Store

    place = Store(store)
    run = _chosen(place, run_id)
    try:
        with run_progress() as show:
            while run.active:
                show(run.status)
                time.sleep(_LOOK_S)
                run = watched(place, run.study, run.run_id) or run
    except KeyboardInterrupt:
        say(f"the run continues; watch it again with `spb runs attach {run.run_id}`")
        return
    if run.state == LOST:
        command = run.status.get("command") or "the command that started it"
        say(f"{run.run_id}: its process has ended; continue it with {command}")
        raise typer.Exit(1)
    say(str(run.status["message"]))
    for words, count in run.status.get("error_words", []):
        say(f"{count:,} times: {shown(words)}")
    codes = {str(state): code for state, code in EXIT_CODES.items()}
    raise typer.Exit(codes.get(run.state, 1))


def _chosen(store: "Store", run_id: str | None) -> "Watched":
    """Return the run of that name, or the only one at work."""
    from engine.collect.run_folder import all_runs
    from engine.errors import UsageError, unknown

    runs_of_store = all_runs(store)
    if run_id is not None:
        for each in runs_of_store:
            if each.run_id == run_id:
                return each
        raise unknown("run", run_id, [each.run_id for each in runs_of_store])
    active = [each for each in runs_of_store if each.active]
    if len(active) != 1:
        names = ", ".join(each.run_id for each in active)
        what = f"{len(active)} runs are active ({names})" if active else "no run of this store is active"
        raise UsageError(f"{what}; name the run to watch, as `spb runs` lists it")
    return active[0]
