"""The annotation database: SQLite beside the studies, or PostgreSQL."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from engine.annotations.database_tables import ANNOTATORS, LABELS, METADATA, SCHEMA_VERSION, VERSION
from engine.errors import SpbError, StoreError, UsageError
from engine.extras import install
from engine.plain_words import disk_words

if TYPE_CHECKING:
    from engine.store import Store

URL_VARIABLE = "SPB_ANNOTATIONS_URL"
FOLDER = ".annotations"
FILE = "annotations.db"

_ADDRESSES = "write sqlite:////PATH or postgresql+psycopg://HOST/NAME"
_WAIT_MS = 30_000
_SQLITE_PRAGMAS = (
    f"busy_timeout={_WAIT_MS}",  # first: the next one may have to wait
    "journal_mode=wal",
    "synchronous=full",  # an acknowledged label outlives a power cut too
    "foreign_keys=on",
)
_TABLES_LOCK, _PEOPLE_LOCK = 7_304_216, 7_304_217
"""The PostgreSQL locks, any numbers: under which tables are made, and under which people and items are."""


class Database:
    """An annotation database, created or upgraded when opened. Safe to share between threads."""

    def __init__(self, url: str) -> None:
        """Open `url`, such as `sqlite:////path/labels.db` or `postgresql+psycopg://user@host/name`."""
        address = _parse_url(url)
        self.address = address.render_as_string(hide_password=True)
        self.dialect = address.get_backend_name()
        self._writer = _engine(address, writing=True)
        self._reader = _engine(address, writing=False) if self.dialect == "sqlite" else self._writer
        try:
            with self.write() as connection:
                _prepare(connection, self.address)
        except SpbError:
            self.close()
            raise

    @contextmanager
    def write(self, *, exclusive: bool = False) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction, which is committed at the end and rolled back on errors.

        In SQLite it holds the write lock from the start, so that what it has read stays true. In PostgreSQL
        that takes `exclusive`, under which one transaction waits for another.
        """
        with _naming_database(self.address), self._writer.begin() as connection:
            if exclusive and self.dialect == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_PEOPLE_LOCK)))
            yield connection

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection for reading; it never waits for a writer."""
        with _naming_database(self.address), self._reader.connect() as connection:
            yield connection

    def close(self) -> None:
        self._writer.dispose()
        self._reader.dispose()


@contextmanager
def _naming_database(address: str) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        lines = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise StoreError(
            f"annotations in {address}: {lines[0] if lines else type(error).__name__}; "
            f"check that the database can be reached and written, or set {URL_VARIABLE}"
        ) from error


def open_database(store: "Store", url: str | None = None) -> Database:
    """Open a store's database: `url`, else SPB_ANNOTATIONS_URL, else a file within the store."""
    return Database(url or _url_of(store))


def stored_version(store: "Store") -> int | None:
    """Return the version of a store's database without upgrading it; None if there is none."""
    if not has_database(store):
        return None
    url = _parse_url(_url_of(store))
    engine = _engine(url, writing=False)
    try:
        with _naming_database(url.render_as_string(hide_password=True)), engine.connect() as connection:
            if not sa.inspect(connection).has_table(VERSION.name):
                return None
            return connection.execute(sa.select(sa.func.max(VERSION.c.version))).scalar()
    finally:
        engine.dispose()


def _url_of(store: "Store") -> str:
    """Return the address of a store's database; the folder of a file is created."""
    if url := os.environ.get(URL_VARIABLE):
        return url
    if not store.location.is_local:
        raise UsageError(
            f"labels cannot be stored in {store.root!r}, which is not a folder of this machine; set "
            f"{URL_VARIABLE}=postgresql+psycopg://USER:PASSWORD@HOST/NAME"
        )
    folder = Path(store.location.path) / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder {str(folder)!r} cannot be created: " + disk_words(error, f"set {URL_VARIABLE}")
        ) from error
    return sa.URL.create("sqlite", database=str(folder / FILE)).render_as_string()


def has_database(store: "Store") -> bool:
    """Return whether a store has, or may have, a database; creates nothing."""
    if os.environ.get(URL_VARIABLE):
        return True
    return store.location.is_local and (Path(store.location.path) / FOLDER / FILE).is_file()


def now() -> str:
    """Return the current time in UTC, in ISO 8601 as stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _parse_url(url: str) -> sa.URL:
    try:
        address = sa.make_url(url)
    except ArgumentError:
        raise UsageError(f"{URL_VARIABLE} is not a database address; {_ADDRESSES}") from None
    text = address.render_as_string(hide_password=True)
    if address.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise UsageError(f"the database {text!r} has an unknown scheme; {_ADDRESSES}")
    if address.get_backend_name() == "sqlite" and address.database in (None, "", ":memory:"):
        raise UsageError(f"the database {text!r} would be lost when the process ends; name a file")
    return address


def _engine(url: sa.URL, *, writing: bool) -> sa.Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return sa.create_engine(url, pool_pre_ping=True)
        engine = sa.create_engine(url, connect_args={"timeout": _WAIT_MS / 1000})
    except (ImportError, NoSuchModuleError) as error:
        raise UsageError(
            f"the driver of {url.drivername!r} is not installed; run: {install('postgres')}"
        ) from error

    @sa.event.listens_for(engine, "connect")
    def _configure(dbapi: Any, _: Any) -> None:
        dbapi.isolation_level = None  # the driver's own BEGIN would be deferred
        cursor = dbapi.cursor()
        for pragma in (*_SQLITE_PRAGMAS, *(() if writing else ("query_only=on",))):
            cursor.execute(f"pragma {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # A deferred transaction that reads, then writes, fails at once if another wrote in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _prepare(connection: sa.Connection, address: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TABLES_LOCK)))
    if not sa.inspect(connection).has_table(VERSION.name):
        METADATA.create_all(connection)
        connection.execute(sa.insert(VERSION).values(version=SCHEMA_VERSION))
    current = connection.execute(sa.select(sa.func.max(VERSION.c.version))).scalar()
    if current is None or current > SCHEMA_VERSION:
        raise StoreError(
            f"annotations in {address}: they have version {current!r}, but this program knows "
            f"{SCHEMA_VERSION}; upgrade spb-explorer"
        )
    for version, upgrade in enumerate(_UPGRADES[current - 1 :], start=current + 1):
        upgrade(connection)
        connection.execute(sa.insert(VERSION).values(version=version))


def _to_version_2(connection: sa.Connection) -> None:
    """Add the e-mail of a login, and the index of a person's latest labels."""
    connection.exec_driver_sql("ALTER TABLE annotators ADD COLUMN email TEXT")
    for table, name in ((ANNOTATORS, "annotators_by_email"), (LABELS, "labels_in_order")):
        next(index for index in table.indexes if index.name == name).create(connection)


_UPGRADES = (_to_version_2,)
"""From version 1 to 2, from 2 to 3, and so on."""
