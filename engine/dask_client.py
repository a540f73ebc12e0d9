"""Work handed to the user's Dask cluster, in order; Dask is the extra `cluster`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.errors import StoreError, UsageError

Errand = TypeVar("Errand")
Answer = TypeVar("Answer")

SHARDS_A_THREAD = 4
"""Enough that a worker's death costs little and a slow worker keeps nobody waiting long."""
DEATHS = 3
"""How many workers a shard may lose before it is given up."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to the scheduler at `address`; UsageError where Dask is not installed or nobody answers."""
    try:
        import distributed
    except ImportError as error:
        raise UsageError(
            "--cluster needs Dask; install it with `pip install 'spb-explorer[cluster]'`"
        ) from error
    try:
        client: Any = distributed.Client  # its types are not complete
        client = client(address, timeout=30)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the cluster {address!r} does not answer: {error}; give the address of its scheduler, "
            "such as tcp://HOST:8786"
        ) from error
    try:
        yield client
    finally:
        client.close()


def shards_for(client: Any) -> int:
    """Return into how many shards work is cut for the workers that there are."""
    threads: dict[str, int] = client.nthreads()
    return max(sum(threads.values()), 1) * SHARDS_A_THREAD


def in_order(client: Any, work: Callable[[Errand], Answer], errands: Sequence[Errand]) -> Iterator[Answer]:
    """Do the errands on the workers and yield what comes back, in their order.

    Raises what the work raises, and StoreError where an errand loses worker after worker.
    """
    import distributed

    futures = [client.submit(work, errand, pure=False, retries=DEATHS) for errand in errands]
    while futures:
        future = futures.pop(0)  # let go of once it is taken, so that the workers need not keep it
        try:
            yield future.result()
        except distributed.KilledWorker as error:
            raise StoreError(
                f"a shard failed on several workers: {error}; give the workers more memory, or use "
                "more workers"
            ) from error
