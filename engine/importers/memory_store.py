"""A store in memory, for the study of a frame."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs

from engine.store import Store
from engine.store.location import Location


class MemoryStore(Store):
    """Studies in memory, measured once and never on disk; read and written as in any other store."""

    def __init__(self) -> None:
        self.root = "memory"
        self.location = Location(pafs.PyFileSystem(_Files()), "memory", "memory")


class _Files(pafs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """Files by path. Folders are implied by the paths; there are no empty ones."""

    def __init__(self) -> None:
        self.contents: dict[str, pa.Buffer] = {}
        self.changes: dict[str, int] = {}

    def get_type_name(self) -> str:
        return "memory"

    def normalize_path(self, path: str) -> str:
        return path.strip("/")

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pafs.FileInfo:
        if (content := self.contents.get(path)) is not None:
            return pafs.FileInfo(path, pafs.FileType.File, size=content.size, mtime_ns=self.changes[path])
        folder = any(name.startswith(f"{path}/") for name in self.contents)
        return pafs.FileInfo(path, pafs.FileType.Directory if folder else pafs.FileType.NotFound)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        folder = f"{selector.base_dir.strip('/')}/"
        within = [name.removeprefix(folder).split("/") for name in self.contents if name.startswith(folder)]
        depths = range(1, max(map(len, within), default=0) + 1) if selector.recursive else (1,)
        names = dict.fromkeys("/".join(parts[:n]) for parts in within for n in depths if len(parts) >= n)
        return [self._info(folder + name) for name in names]

    def open_input_file(self, path: str) -> pa.NativeFile:
        if path not in self.contents:
            raise FileNotFoundError(path)
        return pa.BufferReader(self.contents[path])

    open_input_stream = open_input_file

    def open_output_stream(self, path: str, metadata: object) -> pa.NativeFile:  # noqa: ARG002 - as others
        return pa.PythonFile(_Sink(self, path), mode="w")

    def delete_file(self, path: str) -> None:
        del self.contents[path]

    def create_dir(self, path: str, recursive: bool) -> None:
        """Do nothing: a folder exists once it has a file."""

    def _refuse(self, *_: object) -> Any:
        raise NotImplementedError

    delete_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _refuse
    open_append_stream = _refuse


class _Sink(io.BytesIO):
    """A file being written, which exists once it is closed."""

    def __init__(self, files: _Files, path: str) -> None:
        super().__init__()
        self._files, self._path = files, path

    def close(self) -> None:
        if not self.closed:
            self._files.contents[self._path] = pa.py_buffer(self.getvalue())
            self._files.changes[self._path] = self._files.changes.get(self._path, 0) + 1
        super().close()
