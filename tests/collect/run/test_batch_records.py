"""The records of pending batches survive a kill at any moment."""

import os

import pytest

from engine.collect.batch_stage import BatchRecords, Chunk
from engine.collect.calls import CallRequest, Subject

CALL = CallRequest("judge", "a", "pairwise", "default", Subject("i1", "a", "b", "generator"))


def test_a_record_half_written_at_a_kill_is_ignored(tmp_path, monkeypatch):
    records = BatchRecords(tmp_path)
    record = records.add(0, Chunk([(CALL, b"line\n")], most=1.0))

    def killed(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            records.set_batch_id(record, "batch-1")

    assert records.open() == [record]
    records.add(0, Chunk([(CALL, b"line\n")], most=1.0))
    assert not [path.name for path in (tmp_path / "batches").iterdir() if path.name.startswith(".")]
