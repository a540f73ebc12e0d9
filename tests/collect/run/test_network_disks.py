"""Which disk a path is on, by the list of mounts."""

from pathlib import Path

import pytest

from engine.collect.database import network_disks
from engine.collect.database.network_disks import network_disk

MOUNTS = """22 1 0:21 / / rw - ext4 /dev/vda rw
23 22 0:30 / /data rw - nfs4 server:/data rw
24 22 0:31 / /data/local rw shared:1 - xfs /dev/vdb rw
25 22 0:32 / /with\\040space rw - cifs //server/share rw
26 22 0:33 / /home/me/remote rw - fuse.sshfs me@server: rw
27 22 0:34 / /twice rw - nfs a:/ rw
28 22 0:35 / /twice rw - ext4 /dev/vdc rw
29 22 0:36 / /broken rw nfs
30 22 - nfs
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", None),
        ("/database", None),
        ("/data", "nfs4"),
        ("/data/x", "nfs4"),
        ("/data/local/x", None),
        ("/data/localised", "nfs4"),
        ("/with space/x", "cifs"),
        ("/home/me/remote/a", "fuse.sshfs"),
        ("/home/me", None),
        ("/twice/x", None),
        ("/broken", None),
    ],
)
def test_the_longest_mount_that_holds_a_path_counts_and_of_several_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, kind: str | None
) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(network_disks, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(network_disks.os.path, "realpath", lambda place: str(place))

    assert network_disk(Path(path)) == kind


def test_a_system_without_a_list_of_mounts_has_no_network_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_disks, "_MOUNTS", tmp_path / "none")

    assert network_disk(tmp_path) is None
