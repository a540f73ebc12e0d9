"""Ordered work on the user's Dask cluster; Dask is the optional extra `cluster`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.errors import StoreError, UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

SHARDS_A_THREAD = 4
"""Shards per thread: many enough that a dead worker costs little and a slow one delays little."""
DEATHS = 3  # how many workers may die on a shard before it is given up


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to the scheduler at `address`; UsageError if Dask is not installed or it does not answer."""
    try:
        import distributed
    except ImportError as error:
        remedy = "install it with `pip install 'spb-explorer[cluster]'`"
        raise UsageError(f"--cluster needs Dask; {remedy}") from error
    try:
        client: Any = distributed.Client  # its type hints are incomplete
        client = client(address, timeout=30)
    except (OSError, ValueError) as error:
        remedy = "give the address of its scheduler, such as tcp://HOST:8786"
        raise UsageError(f"the cluster {address!r} does not answer: {error}; {remedy}") from error
    try:
        yield client
    finally:
        client.close()


def shards_for(client: Any) -> int:
    """Return the number of shards to split work into for the current workers."""
    threads: dict[str, int] = client.nthreads()
    return max(sum(threads.values()), 1) * SHARDS_A_THREAD


def run_in_order(client: Any, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
    """Run the tasks on the workers and yield their results in order.

    Raises what the work raises, and StoreError if a task kills one worker after another.
    """
    import distributed

    futures = [client.submit(work, task, pure=False, retries=DEATHS) for task in tasks]
    while futures:
        future = futures.pop(0)  # dropped once its result is taken, so that the workers can free it
        try:
            yield future.result()
        except distributed.KilledWorker as error:
            remedy = "give the workers more memory, or use more workers"
            raise StoreError(f"a shard failed on several workers: {error}; {remedy}") from error
