"""What would keep `spb run` from starting, as a dry run says it."""

from typing import TYPE_CHECKING

from engine.cli.output import say
from engine.cli.run.spending_cap import CAP_REMEDY, at_terminal, cap_lacking
from engine.errors import SpbError, UsageError

if TYPE_CHECKING:
    from engine.collect.configuration.config import RunConfig
    from engine.collect.run_options import RunOptions
    from engine.store import Store


def obstacles_to(
    config: "RunConfig", store: "Store", options: "RunOptions", cluster: str | None
) -> list[SpbError]:
    """Return the errors that would end the run before its first call, each with its remedy.

    Another active run, which may have ended by then, is the last of them. A terminal is asked for a cap that
    is lacking, which is said and is no obstacle there. Batches under way, whose record only the run itself
    may open, are not looked for.
    """
    from engine.collect.client.model_client import Models
    from engine.collect.run.prepared_run import obstacles

    reasons = obstacles(config, options, Models(config.models, batch=config.mode == "batch"))
    errors: list[SpbError] = [*_of_its_processes(config, options, cluster), *map(UsageError, reasons)]
    if (words := cap_lacking(config, options)) is not None:
        if at_terminal():
            say(f"{words}; the run asks for a cap")
        else:
            errors.append(UsageError(f"{words}; {CAP_REMEDY}"))
    return [*errors, *_active_runs(config, store, options)]


def _of_its_processes(config: "RunConfig", options: "RunOptions", cluster: str | None) -> list[UsageError]:
    """Return why the run cannot be divided among the machines of a cluster or the processes of this one."""
    try:
        if cluster is not None:
            from engine.collect.run.cluster import check_cluster

            check_cluster(config)
        elif config.run.processes > 1 and options.shard is None:
            from engine.collect.run.shards import check_processes

            check_processes(config, options)
    except UsageError as error:
        return [error]
    return []


def _active_runs(config: "RunConfig", store: "Store", options: "RunOptions") -> list[SpbError]:
    """Return the error for a run of the study that is active; shards of a run may be active at once."""
    from engine.collect.locks.lock_holders import BusyError
    from engine.collect.run_folder import runs_folder
    from engine.collect.watch.watched_runs import all_runs

    study = runs_folder(store, config.study).name
    active = [run.run_id for run in all_runs(store) if run.active and run.study == study]
    if options.shard is not None or not active:
        return []
    words = f"the run {active[0]!r} of the study {config.study!r} is active; wait for it or stop it"
    return [BusyError(words)]
