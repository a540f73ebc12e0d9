"""Values computed once for all threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.arrays.once_cache import OnceCache


def test_threads_that_ask_at_once_share_one_computed_value() -> None:
    cache, together, objects = OnceCache(), threading.Barrier(8), []

    def ask(_: int) -> object:
        together.wait()
        return cache.get("cube", make)

    def make() -> object:
        objects.append(object())
        return objects[-1]

    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(ask, range(8)))

    assert len(objects) == 1
    assert all(value is objects[0] for value in values)


def test_a_value_may_be_computed_from_others_that_another_thread_is_requesting() -> None:
    cache, start = OnceCache(), threading.Event()

    def planes() -> str:
        start.set()
        return "planes of " + cache.get("cube", lambda: "a cube")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(cache.get, "planes", planes)
        start.wait()
        other = pool.submit(cache.get, "cube", lambda: "a cube")

        assert one.result(10) == "planes of a cube"
        assert other.result(10) == "a cube"


def test_a_full_cache_drops_the_least_recently_used_value() -> None:
    cache = OnceCache(most=2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, lambda: "first")

    again = {key: cache.get(key, lambda: "second") for key in ("a", "c", "b")}

    assert again == {"a": "first", "c": "first", "b": "second"}


def test_a_failed_computation_is_tried_again() -> None:
    cache = OnceCache()

    def fail() -> str:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        cache.get("cube", fail)

    assert cache.get("cube", lambda: "a cube") == "a cube"
