"""Work on the user's Dask cluster; Dask is the optional extra `cluster`."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from engine.errors import SpbError, StoreError, UsageError
from engine.extras import install

Task = TypeVar("Task")
Result = TypeVar("Result")

SHARDS_A_THREAD = 4
"""Shards per thread: many enough that a dead worker costs little and a slow one delays little."""
DEATHS = 3  # how many workers may die on a shard before it is given up
_FIRST_WORKER_S = 10.0
_LOOK_S = 1.0
_WITHOUT_WORKERS_S = 60.0


class ClusterError(SpbError):
    """The cluster was lost, or its workers failed; what they stored is kept."""


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to the scheduler at `address`.

    UsageError if Dask is not installed, the scheduler does not answer or it has no workers.
    """
    try:
        import distributed
    except ImportError as error:
        raise UsageError(f"--cluster needs Dask; install it: {install('cluster')}") from error
    for name in ("distributed", "distributed.client"):  # our errors say what these log
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        client: Any = distributed.Client  # its type hints are incomplete
        client = client(address, timeout=30)
    except (OSError, ValueError) as error:
        remedy = "give the address of its scheduler, such as tcp://HOST:8786"
        raise UsageError(f"the cluster {address!r} does not answer: {error}; {remedy}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=_FIRST_WORKER_S)
        except TimeoutError as error:
            remedy = "start some (`dask worker ADDRESS`) and run the command again"
            raise UsageError(f"the cluster {address!r} has no workers; {remedy}") from error
        yield client
    finally:
        client.close()


def shards_for(client: Any) -> int:
    """Return the number of shards to split work into for the current workers."""
    threads: dict[str, int] = client.nthreads()
    return max(sum(threads.values()), 1) * SHARDS_A_THREAD


def completed_tasks(
    client: Any,
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    patience_s: float = _WITHOUT_WORKERS_S,
    look: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """Run the tasks on the workers and yield their results as they end; `look` is called every second.

    A task whose worker dies goes to another. Raises the work's own errors, and ClusterError if the scheduler
    is lost, if there is no worker for `patience_s`, or if a task kills one worker after another. Tasks that
    have not begun by then are cancelled.
    """
    import distributed

    waiting: Any = distributed.wait
    futures = [client.submit(work, task, pure=False) for task in tasks]
    idle_s = 0.0
    try:
        while futures:
            look()
            try:
                done = waiting(futures, timeout=_LOOK_S, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                idle_s = 0.0 if _has_workers(client) else idle_s + _LOOK_S
                if idle_s >= patience_s:
                    raise ClusterError(
                        "the cluster has no workers left; start some, and run the command again to continue"
                    ) from None
                continue
            futures = [each for each in futures if each not in done]
            for future in done:
                yield _result_of(future)
    except CancelledError as error:
        raise _lost() from error
    finally:
        with suppress(OSError):  # a lost scheduler has no tasks left
            client.cancel(futures)


def _has_workers(client: Any) -> bool:
    """Return whether the cluster has any workers; ClusterError if its scheduler has just been lost."""
    try:
        return bool(client.nthreads())
    except OSError as error:  # the client itself may notice later that the connection is closed
        raise _lost() from error


def run_in_order(client: Any, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
    """Run the tasks on the workers and yield their results in order.

    Raises the work's own errors, ClusterError if the scheduler is lost, and StoreError if a task kills one
    worker after another.
    """
    futures = [client.submit(work, task, pure=False) for task in tasks]
    while futures:
        yield _result_of(futures.pop(0))  # dropped once its result is taken, so that the workers can free it


def _result_of(future: Any) -> Any:
    """Return the result of a task that has ended, or raise a named error."""
    import distributed

    try:
        return future.result()
    except SpbError:
        raise
    except distributed.KilledWorker as error:
        remedy = "give the workers more memory, or use more workers"
        raise StoreError(f"a shard failed on several workers: {error}; {remedy}") from error
    except CancelledError as error:
        raise _lost() from error
    except Exception as error:  # anything that a worker raises, such as a missing package
        words = f"a worker failed: {type(error).__name__}: {error}"
        remedy = "see its log; all workers need the same version of this program, and access to the store"
        raise ClusterError(f"{words}; {remedy}") from error


def _lost() -> ClusterError:
    return ClusterError(
        "the cluster's scheduler no longer answers; start the cluster and run the command again to continue "
        "(what its workers stored is kept)"
    )
