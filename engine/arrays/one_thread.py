"""Products of matrices in one thread."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Multiply matrices in one thread: on small ones two wait for each other and take three times as long.

    A context, or a decorator.
    """
    libraries = _loaded_libraries()
    with nullcontext() if libraries is None else libraries.limit(limits=1, user_api="blas"):
        yield


@cache
def _loaded_libraries() -> "ThreadpoolController | None":
    """Return what sets the threads of libraries, searched once as that takes a millisecond; None without."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:  # not needed by the Python interface alone
        return None
    return ThreadpoolController()
