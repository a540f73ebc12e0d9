"""A run, in one process or several."""

from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.dispatch.run_status import Show
from engine.collect.run.continuing import with_sample_of_run
from engine.collect.run.one_process import run_in_one_process
from engine.collect.run.run_report import RunReport
from engine.collect.run_options import RunOptions
from engine.store import Store


def run(
    config: RunConfig,
    store: Store,
    options: RunOptions | None = None,
    *,
    show: Show | None = None,
    models: Models | None = None,
) -> RunReport:
    """Make the calls of a configuration and add the answers to its study, created if it does not exist.

    The study's last run of these judges is continued, on its sample unless the configuration has one. `show`
    receives the status about twice a second; `models` replace those of the configuration (for tests). SIGINT
    and SIGTERM end the run in good order. Raises UsageError or BadInputError if the configuration is wrong,
    before any call; BusyError if another run of the study is active; StoreError if answers cannot be stored,
    with everything written so far intact.
    """
    options = options or RunOptions()
    config, _ = with_sample_of_run(config, store, options)
    if config.run.processes > 1 and options.shard is None and models is None:
        from engine.collect.run.shards import run_in_processes  # which needs the measures' libraries

        return run_in_processes(config, store, options, show=show)
    return run_in_one_process(config, store, options, show=show, models=models)
