"""`spb run CONFIG.toml` collects responses and judgments."""

import math
import os
import shlex
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from engine.cli.options import FormOption, StoreOption, next_command, refuse_together
from engine.cli.output import say
from engine.cli.run.run_options import (
    AbandonOption,
    CacheDirOption,
    CacheOption,
    ClusterOption,
    ConcurrencyOption,
    ConfigArgument,
    DetachOption,
    FreshOption,
    KeepRawOption,
    MaxUsdOption,
    NoCapOption,
    PartOption,
    RedoOption,
    RunDryRunOption,
    RunIdOption,
    concurrency_of,
    run_command,
    shard_of,
    statuses_of,
)
from engine.cli.run.run_outcome import command_to_continue, place_words, print_forecast, print_report
from engine.cli.run.run_progress import run_progress
from engine.cli.study.study_place import is_study
from engine.errors import SpbError, UsageError

if TYPE_CHECKING:
    from engine.collect.configuration.config import RunConfig
    from engine.collect.run.run_report import RunReport
    from engine.collect.run_options import RunOptions
    from engine.store import Store


def run(
    config: ConfigArgument,
    store: StoreOption = None,
    dry_run: RunDryRunOption = False,
    max_usd: MaxUsdOption = None,
    no_cap: NoCapOption = False,
    fresh: FreshOption = False,
    run_id: RunIdOption = None,
    shard: PartOption = None,
    cluster: ClusterOption = None,
    redo: RedoOption = None,
    abandon_batches: AbandonOption = False,
    detach: DetachOption = False,
    cache: CacheOption = None,
    cache_dir: CacheDirOption = None,
    keep_raw: KeepRawOption = False,
    concurrency: ConcurrencyOption = None,
    form: FormOption = "text",
) -> None:
    """Collect answers and judgments from models.

    After an interruption, the same command continues. Models with a price need a spending cap, or --no-cap.
    """
    from engine.cli.run.run_obstacles import obstacles_to
    from engine.cli.run.spending_cap import with_cap
    from engine.collect.configuration.read_config import load_config
    from engine.collect.run.continuing import with_sample_of_run
    from engine.collect.run_options import RunOptions
    from engine.store import Store
    from engine.store.arrow_types import leave_pandas_out
    from engine.store.location import check_name

    leave_pandas_out()
    refuse_together(no_cache=cache is False, cache_dir=cache_dir)
    refuse_together(no_cap=no_cap, max_usd=max_usd)
    refuse_together(run_id=run_id, fresh=fresh)
    refuse_together(redo=redo, fresh=fresh)
    refuse_together(redo=redo, cluster=cluster is not None)
    refuse_together(cluster=cluster is not None, shard=shard is not None)
    refuse_together(cluster=cluster is not None, detach=detach)
    options = RunOptions(
        max_usd=max_usd,
        no_cap=no_cap,
        fresh=fresh,
        shard=shard_of(shard),
        run_id=run_id and check_name(run_id, "run's id"),
        redo=statuses_of(redo),
        abandon_batches=abandon_batches,
        cache=cache if cache_dir is None else os.path.abspath(os.path.expanduser(cache_dir)),
        keep_raw=keep_raw,
        concurrency=concurrency_of(concurrency),
    )
    study_store = Store(store)
    _refuse_study(config, store)
    run_config = load_config(config, study_store)
    for words in run_config.notes:
        say(words)
    run_config, sample_words = with_sample_of_run(run_config, study_store, options)
    if sample_words:
        say(sample_words)
    if dry_run:
        obstacles = obstacles_to(run_config, study_store, options, cluster)
        print_forecast(run_config, study_store, options, form, obstacles)
        return
    options = with_cap(run_config, study_store, options)
    options = replace(options, command=run_command(config, store, options, cluster=cluster))
    _say_what_is_known_of_the_study(run_config, study_store, options)
    if detach:
        _detach(run_config, study_store, options, config, store)
        return
    report = run_calls(run_config, study_store, options, cluster)
    options = options_to_continue(run_config, study_store, options, report)
    again = run_command(config, store, options, cluster=cluster)
    store_command_to_continue(run_config, study_store, options, report, again)
    print_report(report, form, again)
    if report.exit_code:
        raise typer.Exit(report.exit_code)
    if run_config.judges and options.shard is None:
        say(f"next: {next_command(store, 'judges', run_config.study)}")


def _say_what_is_known_of_the_study(config: "RunConfig", store: "Store", options: "RunOptions") -> None:
    """Say, before anything is paid for, which run of a stored study goes on, and what it cannot show."""
    from engine.collect.plan.planning import remarks_on
    from engine.collect.run.continuing import judges_by_run
    from engine.store.publish import is_study
    from engine.store.study_files import StudyFiles

    place = store.location.child(config.study)
    if not is_study(place):
        return
    study = StudyFiles(place)
    if judges_by_run(study.table("runs").to_pylist()):
        say(place_words(config, store, options))
    for words in remarks_on(config, study):
        say(words)


_OF_DATA = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")


def _refuse_study(word: str, store: str | None) -> None:
    """Raise UsageError, with the command that is meant, for a study or data in place of a configuration."""
    if os.path.isfile(os.path.expanduser(word)):
        if word.lower().endswith(_OF_DATA):
            importing = shlex.join(["spb", "import", word])
            raise UsageError(
                f"{word!r} holds data, and a run takes a configuration in TOML; to import it: {importing}"
            )
        return
    if not is_study(word, store):
        return
    command = next_command(store, "run", "example", word, "--judge", "NAME")
    raise UsageError(
        f"{word!r} is a study, and a run takes a configuration; write one of that study with: "
        f"{command} > run.toml"
    )


def _detach(config: "RunConfig", store: "Store", options: "RunOptions", path: str, root: str | None) -> None:
    """Begin the run and leave it to a background process that outlives this terminal."""
    from engine.collect.dispatch.run_status import Status
    from engine.collect.run.one_process import begin
    from engine.collect.run.prepared_run import facts_of
    from engine.collect.run_folder import run_folder

    run_id = begin(config, store, options)
    files = run_folder(store, config.study, run_id, options.shard)
    redo = ["--redo", ",".join(sorted(options.redo))] if options.redo else []
    of_run = replace(options, run_id=run_id)
    arguments = [*shlex.split(run_command(path, root, of_run))[1:], *redo]
    output_path = files.path / "output"
    with output_path.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "engine.cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C in this terminal does not reach it
        )
    facts = facts_of(config, store, options, run_id)
    status = Status(files.status, facts, pid=process.pid)
    status.set("starting")  # before its own first one
    print(run_id)
    if status.message:
        say(status.message)
    watching = next_command(root, "run", "watch", run_id)
    output_words = f"its output goes to {output_path}"
    say(f"the run continues in the background; watch it with `{watching}`; {output_words}")


def options_to_continue(
    config: "RunConfig", store: "Store", options: "RunOptions", report: "RunReport"
) -> "RunOptions":
    """Return the options of the command to continue with; where the cap ended the run, with one for the rest.

    They name the run, as the command alone continues the last one that has a judge of the configuration. The
    cap is what is spent and the forecast of the rest, if answers are long; without one, twice as much. The
    answers that could not be read belong to the rest where the command repeats them.
    """
    options = replace(options, fresh=False, run_id=report.run_id)
    if report.end != "budget":
        return options
    from engine.collect.forecast.forecasts import forecast

    more = max(report.spent, report.cap or 0.0)
    with suppress(SpbError):
        unread = frozenset(["unparsed"]) if report.unread_judges else frozenset[str]()
        rest = replace(options, redo=unread)
        more = forecast(config, store, rest).total.cost_usd_high or more
    return replace(options, max_usd=_in_whole_cents((report.spent + more) * _MARGIN + 0.01))


def store_command_to_continue(
    config: "RunConfig", store: "Store", options: "RunOptions", report: "RunReport", again: str
) -> None:
    """Store the command to continue with in the run's status, whence `spb run show` has it."""
    from engine.collect.dispatch.run_status import add_command_to_continue
    from engine.collect.run_folder import run_folder

    if command := command_to_continue(report, again):
        folder = run_folder(store, config.study, report.run_id, options.shard)
        add_command_to_continue(folder.status, command)


_MARGIN = 1.1
"""How far the cap that is proposed for the rest of a run is above its forecast."""


def _in_whole_cents(usd: float) -> float:
    return math.ceil(usd * 100) / 100


def run_calls(config: "RunConfig", store: "Store", options: "RunOptions", cluster: str | None) -> "RunReport":
    from engine.collect.run.start import run

    with run_progress("to stop, with what is answered kept: Ctrl-C") as show:
        if cluster is not None:
            from engine.collect.run.cluster import run_on_cluster

            return run_on_cluster(config, store, options, cluster, show=show)
        return run(config, store, options, show=show)
