"""A Dask cluster of two workers on this machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest.mock import patch

import distributed


@contextmanager
def two_workers() -> Iterator[distributed.LocalCluster]:
    """Start the workers in processes of their own, and stop them."""
    # A new process re-runs the main module's file, which Streamlit's tests leave set to a page.
    with (
        patch.dict(sys.modules, {"__main__": ModuleType("__main__")}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster
