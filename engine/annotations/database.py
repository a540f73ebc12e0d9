"""The database that people label in, SQLite or PostgreSQL: its address, its tables, and its versions."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from engine.errors import SpbError, StoreError, UsageError

if TYPE_CHECKING:
    from engine.store import Store


SCHEMA_VERSION = 2

METADATA = MetaData()

VERSION = Table("spb_schema", METADATA, Column("version", Integer, primary_key=True))

ANNOTATORS = Table(
    "annotators",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),  # annotator or coordinator
    Column("token_sha256", Text, unique=True),  # null: on this machine only, without a link
    Column("created_at", Text, nullable=False),  # all times: ISO 8601, UTC
    Column("email", Text),  # of their login, in small letters
    Index("annotators_by_email", "email", unique=True),
)

TASKS = Table(
    "tasks",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("study", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("guidelines", Text, nullable=False),
    Column("overlap", Integer),  # people for each item; null: everybody who is assigned
    Column("seed", Integer, nullable=False),
    Column("options", JSON, nullable=False),  # how the items were selected
    Column("created_at", Text, nullable=False),
    Column("closed", Boolean, nullable=False),
)

ITEMS = Table(
    "items",
    METADATA,
    Column("task", Text, ForeignKey("tasks.name"), primary_key=True),
    Column("item", Text, primary_key=True),
    Column("role", Text, nullable=False),  # item, gold or practice
    Column("payload", JSON, nullable=False),  # what an annotator may see: texts
    Column("feedback", JSON),  # practice items only: what is shown after an answer
    Column("hidden", JSON, nullable=False),  # models, verdicts, automatic labels, gold; never shown
)

ASSIGNMENTS = Table(
    "assignments",
    METADATA,
    Column("task", Text, primary_key=True),
    Column("annotator", Text, ForeignKey("annotators.name"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the annotator's own random order, from 1
    Column("item", Text, nullable=False),
    Column("round", Integer, nullable=False),  # 0 practice, 1, or 2 for a hidden repeat
    Column("shown", JSON, nullable=False),  # the order of the responses on the screen
    ForeignKeyConstraint(["task", "item"], ["items.task", "items.item"]),
)

LABELS = Table(
    "labels",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("submission", Text, nullable=False, unique=True),  # made by the client; a repeat adds nothing
    Column("task", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("act", Text, nullable=False),  # label, skip, report or undo
    Column("undoes", Integer, ForeignKey("labels.id")),
    Column("value", JSON(none_as_null=True)),  # about responses, never about sides
    Column("confidence", Text),
    Column("reason", Text),
    Column("comment", Text),
    Column("seconds", Float),
    Column("created_at", Text, nullable=False),
    ForeignKeyConstraint(
        ["task", "annotator", "place"], ["assignments.task", "assignments.annotator", "assignments.place"]
    ),
    Index("labels_of_a_person", "task", "annotator", "place"),
    Index("labels_in_order", "task", "annotator", "id"),
    Index("labels_undone", "undoes"),
)
"""Rows are only ever added. Of the labels and skips at a place the latest that no row undoes counts."""

DECISIONS = Table(
    "decisions",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("task", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("value", JSON(none_as_null=True)),  # null takes an earlier decision back
    Column("reason", Text),
    Column("by", Text, ForeignKey("annotators.name"), nullable=False),
    Column("created_at", Text, nullable=False),
    ForeignKeyConstraint(["task", "item"], ["items.task", "items.item"]),
)
"""Rows are only ever added; the latest of an item counts."""


# ------------------------------------------------------------------------------
# The annotation database: SQLite beside the studies, or PostgreSQL.


URL_VARIABLE = "SPB_ANNOTATIONS_URL"
FOLDER = ".annotations"
FILE = "annotations.db"

_WAIT_MS = 30_000
_SQLITE_PRAGMAS = (
    f"busy_timeout={_WAIT_MS}",  # first: the next one may have to wait
    "journal_mode=wal",
    "synchronous=full",  # an acknowledged label outlives a power cut too
    "foreign_keys=on",
)
_CREATING = 7_304_216  # the PostgreSQL lock under which tables are made, any number


class Database:
    """An open annotation database, made where there is none. Safe to share between threads.

    Raises UsageError for an address that is none, StoreError where the database cannot be reached or was
    written by a newer version.
    """

    def __init__(self, url: str) -> None:
        """Open `url`, such as `sqlite:////path/labels.db` or `postgresql+psycopg://user@host/name`."""
        parsed = _parsed(url)
        self.shown = parsed.render_as_string(hide_password=True)
        self.dialect = parsed.get_backend_name()
        self._writer = _engine(parsed, writing=True)
        self._reader = _engine(parsed, writing=False) if self.dialect == "sqlite" else self._writer
        try:
            with self.write() as connection:
                _prepare(connection, self.shown)
        except SpbError:
            self.close()
            raise

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction: committed when the block ends, taken back where it raises.

        In SQLite it holds the only right to write from its beginning, so that what it has read stays true.
        """
        with _named(self.shown), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Give a connection for reading; it never waits for a writer."""
        with _named(self.shown), self._reader.connect() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._writer.dispose()
        self._reader.dispose()


@contextmanager
def _named(shown: str) -> Iterator[None]:
    """Turn what a database raises into a StoreError that says which it is."""
    try:
        yield
    except SQLAlchemyError as error:
        lines = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise StoreError(
            f"annotations in {shown}: {lines[0] if lines else type(error).__name__}; "
            f"check that the database can be reached and written, or set {URL_VARIABLE}"
        ) from error


def open_database(store: "Store", url: str | None = None) -> Database:
    """Open the database of a store: `url`, else SPB_ANNOTATIONS_URL, else a file within the store.

    One of an older version is brought to the current one. Raises as `Database`, and UsageError for a store
    that is not on this machine and has no other address.
    """
    return Database(url or _url_of(store))


def stored_version(store: "Store") -> int | None:
    """Return the version of a store's database as it is, None where nothing is kept; it is not brought up.

    Raises as `open_database`.
    """
    if not is_there(store):
        return None
    url = _parsed(_url_of(store))
    engine = _engine(url, writing=False)
    try:
        with _named(url.render_as_string(hide_password=True)), engine.connect() as connection:
            if not sa.inspect(connection).has_table(VERSION.name):
                return None
            return connection.execute(sa.select(sa.func.max(VERSION.c.version))).scalar()
    finally:
        engine.dispose()


def _url_of(store: "Store") -> str:
    """Return the address of a store's database; the folder of a file is made."""
    url = os.environ.get(URL_VARIABLE)
    if url:
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
            f"the folder {str(folder)!r} cannot be created: {error.strerror}; check its permissions, "
            f"or set {URL_VARIABLE}"
        ) from error
    return sa.URL.create("sqlite", database=str(folder / FILE)).render_as_string()


def is_there(store: "Store") -> bool:
    """Return whether labels are, or may be, kept for a store: nothing is made by asking."""
    if os.environ.get(URL_VARIABLE):
        return True
    return store.location.is_local and (Path(store.location.path) / FOLDER / FILE).is_file()


def now() -> str:
    """Return the time in UTC as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise UsageError(
            f"{URL_VARIABLE} is not a database address; write sqlite:////PATH or "
            "postgresql+psycopg://HOST/NAME"
        ) from None
    shown = parsed.render_as_string(hide_password=True)
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise UsageError(
            f"the database {shown!r} has an unknown scheme; write sqlite:////PATH or "
            "postgresql+psycopg://HOST/NAME"
        )
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise UsageError(f"the database {shown!r} would be lost when the process ends; name a file")
    return parsed


def _engine(url: sa.URL, *, writing: bool) -> sa.Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return sa.create_engine(url, pool_pre_ping=True)
        engine = sa.create_engine(url, connect_args={"timeout": _WAIT_MS / 1000})
    except (ImportError, NoSuchModuleError) as error:
        raise UsageError(
            f"the driver of {url.drivername!r} is not installed; run: pip install 'spb-explorer[postgres]'"
        ) from error

    @sa.event.listens_for(engine, "connect")
    def _settle(dbapi: Any, _: Any) -> None:
        dbapi.isolation_level = None  # the driver's own BEGIN would be a deferred one
        cursor = dbapi.cursor()
        for pragma in (*_SQLITE_PRAGMAS, *(() if writing else ("query_only=on",))):
            cursor.execute(f"pragma {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # A deferred transaction that reads and then writes fails at once when another wrote between.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _prepare(connection: sa.Connection, shown: str) -> None:
    """Make the tables where there are none; refuse those of a newer version."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CREATING)))
    if not sa.inspect(connection).has_table(VERSION.name):
        METADATA.create_all(connection)
        connection.execute(sa.insert(VERSION).values(version=SCHEMA_VERSION))
    stored = connection.execute(sa.select(sa.func.max(VERSION.c.version))).scalar()
    if stored is None or stored > SCHEMA_VERSION:
        raise StoreError(
            f"annotations in {shown}: they have version {stored!r}, but this program knows "
            f"{SCHEMA_VERSION}; upgrade spb-explorer"
        )
    for version, upgrade in enumerate(_UPGRADES[stored - 1 :], start=stored + 1):
        upgrade(connection)
        connection.execute(sa.insert(VERSION).values(version=version))


def _to_version_2(connection: sa.Connection) -> None:
    """Add the e-mail of a login, and the index of a person's latest labels."""
    connection.exec_driver_sql("ALTER TABLE annotators ADD COLUMN email TEXT")
    for table, name in ((ANNOTATORS, "annotators_by_email"), (LABELS, "labels_in_order")):
        next(index for index in table.indexes if index.name == name).create(connection)


_UPGRADES = (_to_version_2,)
"""From version 1 to 2, from 2 to 3, and so on."""
