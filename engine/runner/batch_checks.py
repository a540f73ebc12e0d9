"""What is refused of batches before anything is called."""

from engine.config import RunConfig
from engine.errors import StoreError, UsageError
from engine.judges.batch_gateway import PROVIDERS, has_batches
from engine.runner.batch_records import BatchRecords
from engine.runner.options import RunOptions


def check_batches(config: RunConfig, options: RunOptions) -> None:
    """Raise UsageError where what is asked for cannot be done in batches."""
    if options.shard is not None:
        raise UsageError('mode is "batch", in which one machine hands over everything; leave --shard out')
    for name in config.called():
        if not has_batches(config.models[name].model):
            raise UsageError(
                f"models.{name}.model is {config.models[name].model!r}, and there are no batches for it; "
                f'choose from: {", ".join(f"{each}/..." for each in PROVIDERS)}, or write mode = "live"'
            )


def refuse_open(records: BatchRecords, run_id: str) -> None:
    """Raise StoreError where batches of a run are under way, whose calls would be paid for twice."""
    left = records.open()
    if left:
        raise StoreError(
            f"the run {run_id!r} has {sum(each.calls for each in left):,} calls in {len(left):,} batches "
            'under way; collect them with mode = "batch", or begin a new run with --fresh'
        )
