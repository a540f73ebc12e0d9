"""The database of a run: killed, damaged, of another version, on a network disk or one that is only read."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from collect.run.recording import as_killed, entry, keys, record, recorded_in
from collect.run.small import FakeModels, config
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collect.database import run_database, sqlite_file
from engine.collect.database.damaged_runs import DamagedRunError
from engine.collect.database.network_disks import _kind_of_mount
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase, is_unfinished
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.errors import StoreError
from engine.store import Store

PAGE = 4096


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A folder as killed after 20 commits of one call, and the log's length after each of them."""
    folder = tmp_path_factory.mktemp("killed") / "run"
    folder.mkdir()
    lengths = []
    with closing(RunDatabase(folder)) as database:
        for number in range(20):
            RecordedCalls(database).add_all([entry(number)])
            lengths.append((folder / "run.sqlite-wal").stat().st_size)
        return as_killed(folder, folder.parent / "copy"), lengths


@settings(max_examples=15, deadline=None)
@given(cut=st.integers(0, 400_000))
def test_a_log_cut_off_anywhere_keeps_every_commit_before_the_cut(
    killed: tuple[Path, list[int]], tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder, lengths = killed
    copy = as_killed(folder, tmp_path_factory.mktemp("cut") / "run")
    log = copy / "run.sqlite-wal"
    cut %= lengths[-1] + 1
    log.write_bytes(log.read_bytes()[:cut])

    entries = recorded_in(copy)

    assert [each.key for each in entries] == keys(range(sum(length <= cut for length in lengths)))


def damaged(folder: Path, calls: int = 200) -> Path:
    """Record calls and spoil a page in the middle of their table; return the file."""
    record(folder, (entry(number, "yes " * 100) for number in range(calls)))
    path = folder / "run.sqlite"
    content = bytearray(path.read_bytes())
    page = len(content) // PAGE // 2 * PAGE
    content[page : page + PAGE] = b"\xa5" * PAGE
    path.write_bytes(content)
    return path


def test_of_a_damaged_file_what_can_be_read_is_saved_and_the_rest_is_kept_beside_it(tmp_path: Path) -> None:
    path = damaged(tmp_path)
    spoilt = path.read_bytes()

    with closing(RunDatabase(tmp_path)) as database:
        words = database.saved
        saved = [each for portion in RecordedCalls(database).portions() for each in portion.entries]

    whole = {entry(number).key: "yes " * 100 for number in range(200)}
    assert 150 < len(saved) < 200
    assert all(whole[each.key] == each.rows[0]["raw"] for each in saved)
    assert str(path) in words
    assert "was damaged" in words
    assert f"{len(saved)} readable rows saved" in words
    assert (tmp_path / "run-damaged-1.sqlite").read_bytes()[PAGE:] == spoilt[PAGE:]
    with closing(RunDatabase(tmp_path)) as database:
        assert database.saved == ""


def test_wherever_a_file_is_damaged_calls_are_read_as_they_were_or_not_at_all(tmp_path: Path) -> None:
    record(tmp_path, (entry(number, "yes " * 50) for number in range(12)))
    content = (tmp_path / "run.sqlite").read_bytes()
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name IN ('batches', 'batch_calls')"
        roots = database.execute(query).fetchall()
    lost = []

    for number in range(len(content) // PAGE):
        folder = tmp_path / str(number)
        folder.mkdir()
        spoilt = content[: number * PAGE] + b"\xff" * PAGE + content[(number + 1) * PAGE :]
        (folder / "run.sqlite").write_bytes(spoilt)
        try:
            entries = recorded_in(folder)
        except DamagedRunError:
            lost.append(number)
            assert (folder / "run.sqlite").read_bytes()[PAGE:] == spoilt[PAGE:]
            continue
        assert all(each.rows[0]["raw"] == "yes " * 50 for each in entries)

    # the page that says which tables there are, and those of batches, of which none may be forgotten
    assert lost == sorted([0, *(root - 1 for (root,) in roots)])


def test_a_run_whose_database_is_damaged_goes_on_and_says_so(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreError("the store is read-only")

    first = FakeModels()
    with monkeypatch.context() as patch:
        patch.setattr("engine.collect.rows.recorder.Collector.collect", broken)
        with pytest.raises(StoreError, match="read-only"):
            run(config(folder), store, RunOptions(run_id="r"), models=first)
    path = Path(store.location.path) / ".runs" / "s" / "r" / "run.sqlite"
    content = path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'charges'").fetchone()[0]
        leaf = next(
            page
            for page in range(content.__len__() // PAGE, root, -1)
            if b"criteria_met" in content[(page - 1) * PAGE : page * PAGE]
        )
    path.write_bytes(content[: (leaf - 1) * PAGE] + bytes(PAGE) + content[leaf * PAGE :])
    second = FakeModels()

    report = run(config(folder), store, models=second)

    repeated = sum(second.prompts.values())
    assert (report.end, store.open("s").table("judgments").num_rows) == ("done", 24)
    assert 0 < repeated < 24
    assert any("run.sqlite was damaged" in note and "made again" in note for note in report.notes)


@pytest.mark.parametrize(
    ("spare", "closed", "is_checked"), [(0, True, True), (-1, True, False), (-1, False, True)]
)
def test_a_large_file_that_was_closed_in_order_is_not_read_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int, closed: bool, is_checked: bool
) -> None:
    path = damaged(tmp_path)
    monkeypatch.setattr(run_database, "_ALWAYS_CHECKED_BYTES", path.stat().st_size + spare)
    if not closed:
        path.with_name("run.sqlite-wal").write_bytes(b"torn")

    with closing(RunDatabase(tmp_path)) as database:
        assert bool(database.saved) is is_checked
    assert (tmp_path / "run-damaged-1.sqlite").exists() is is_checked


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(b"no database at all" * 1000)

    with pytest.raises(DamagedRunError, match=r"run\.sqlite: is damaged.*--fresh"):
        RunDatabase(tmp_path)

    assert path.read_bytes() == b"no database at all" * 1000


def test_a_new_run_is_begun_beside_one_whose_database_cannot_be_read(folder: Path, store: Store) -> None:
    first = run(config(folder), store, models=FakeModels())
    path = Path(store.location.path) / ".runs" / "s" / first.run_id / "run.sqlite"
    path.write_bytes(b"no database at all" * 1000)

    with pytest.raises(DamagedRunError, match="--fresh"):
        run(config(folder), store, models=FakeModels())
    second = run(config(folder), store, RunOptions(fresh=True), models=FakeModels())

    assert (second.end, second.done) == ("done", 24)
    assert any(f"the run {first.run_id!r} is left as it is" in note for note in second.notes)


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    record(tmp_path, [entry(1)])
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as database:
        database.execute("PRAGMA user_version = 99")

    with pytest.raises(StoreError, match=r"later version.*its form is 99.*update the program"):
        RunDatabase(tmp_path)


def test_on_a_network_disk_no_log_in_shared_memory_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path, [entry(1)])  # on a disk of this machine, from which the folder was moved
    monkeypatch.setattr(sqlite_file, "network_disk", lambda _: "nfs4")

    with closing(RunDatabase(tmp_path)) as database:
        RecordedCalls(database).add_all([entry(2)])
        mode = database.run(lambda connection: connection.execute("PRAGMA journal_mode").fetchone()[0])
        beside = {path.name for path in tmp_path.iterdir()}

    assert mode == "truncate"
    assert not beside & {"run.sqlite-wal", "run.sqlite-shm"}
    assert [each.key for each in recorded_in(tmp_path)] == keys([1, 2])


MOUNTS = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:50 / /mnt/data rw - nfs4 server:/data rw
31 22 0:51 / /mnt/my\040disk rw shared:9 - fuse.sshfs me@host:/ rw
32 30 254:1 / /mnt/data/scratch rw - xfs /dev/vdb rw
33 32 0:52 / /mnt/data/scratch rw - cifs //server/scratch rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/runs", "ext4"),
        ("/mnt/data/runs/r", "nfs4"),
        ("/mnt/database", "ext4"),
        ("/mnt/my disk/r", "fuse.sshfs"),
        ("/mnt/data/scratch/r", "cifs"),  # mounted over another
    ],
)
def test_a_path_is_on_the_longest_mount_that_holds_it(path: str, kind: str) -> None:
    assert _kind_of_mount(MOUNTS, path) == kind


def test_a_database_that_cannot_be_written_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").mkdir()

    with pytest.raises(StoreError, match=r"run\.sqlite: cannot be written: .*choose another --store"):
        RunDatabase(tmp_path)


def test_a_run_is_unfinished_while_its_database_has_what_the_study_lacks(tmp_path: Path) -> None:
    folder, killed = tmp_path / "run", tmp_path / "killed"
    folder.mkdir()
    nothing = is_unfinished(folder)

    with closing(RunDatabase(folder)) as database:
        recorded = RecordedCalls(database)
        recorded.add_all([entry(1)])
        as_killed(folder, killed)
        for portion in recorded.portions():
            recorded.remove(portion)

    assert not nothing
    assert is_unfinished(killed)
    assert not is_unfinished(folder)
    assert [path.name for path in folder.iterdir()] == ["run.sqlite"]
