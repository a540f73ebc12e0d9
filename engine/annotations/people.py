"""The annotation database, in SQLite or PostgreSQL, and its people: names, roles, links, logins."""

import getpass
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy import JSON, Column, ForeignKey, ForeignKeyConstraint, Index, Integer, Table, Text
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from engine.arrays.references import ADJUDICATOR
from engine.errors import SpbError, StoreError, UsageError, unknown
from engine.plain_words import system_words

if TYPE_CHECKING:
    from engine.store import Store


# ------------------------------------------------------------------------------
# The tables of the annotation database, and their version.


SCHEMA_VERSION = 2

METADATA = sa.MetaData()

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
    Column("closed", sa.Boolean, nullable=False),
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
    Column("seconds", sa.Float),
    Column("created_at", Text, nullable=False),
    ForeignKeyConstraint(
        ["task", "annotator", "place"], ["assignments.task", "assignments.annotator", "assignments.place"]
    ),
    Index("labels_of_a_person", "task", "annotator", "place"),
    Index("labels_in_order", "task", "annotator", "id"),
    Index("labels_undone", "undoes"),
)
"""Rows are only ever added. At each place, the latest label or skip that no row undoes counts."""

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
"""Rows are only ever added; the latest for an item counts."""


# ------------------------------------------------------------------------------
# The annotation database: SQLite beside the studies, or PostgreSQL.


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
            f"the folder {str(folder)!r} cannot be created: {system_words(error)}; check its permissions, "
            f"or set {URL_VARIABLE}"
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
            f"the driver of {url.drivername!r} is not installed; run: pip install 'spb-explorer[postgres]'"
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


# ------------------------------------------------------------------------------
# People: names, roles, and how they identify: by the token of a personal link, or the e-mail of a login.


Role = Literal["annotator", "coordinator"]
Link = Literal["works", "ended", "none"]
ROLES: tuple[Role, ...] = ("annotator", "coordinator")
TOKEN_BYTES = 32
ADDRESS_VARIABLE = "SPB_ADDRESS"
"""The environment variable with the explorer's address, for personal links."""

LOCAL = "local"
"""The annotator on a laptop whose user has no valid name."""

_ENDED = "ended:"
"""The prefix of `token_sha256` for an ended link; no hash starts like this."""


@dataclass(frozen=True)
class Person:
    """One annotator or coordinator; `link` says whether their personal link works."""

    name: str
    role: Role
    created_at: str
    email: str | None
    link: Link


def add_person(database: Database, name: str, role: str = "annotator", email: str | None = None) -> str:
    """Add a person and return the token of their link, which is not stored and cannot be shown again."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _insert(database, name, role, _hash(token), email)
    return token


def link(address: str | None, token: str) -> str:
    """Return the personal link of a token at `address`, else SPB_ADDRESS, else this machine."""
    address = address or os.environ.get(ADDRESS_VARIABLE) or "http://localhost:8501"
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            f"the address {address!r} is not a web address; write it like https://labels.example.org"
        )
    return f"{address.rstrip('/')}/?token={token}"


def renew_token(database: Database, name: str) -> str:
    """Return a new token for a person; the old link stops working. UsageError for an unknown name."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _change(database, name, token_sha256=_hash(token))
    return token


def end_link(database: Database, name: str) -> None:
    """Revoke a person's link and login; their labels stay."""
    _change(database, name, token_sha256=_ENDED + secrets.token_hex(TOKEN_BYTES), email=None)


def set_email(database: Database, name: str, email: str | None) -> None:
    """Set the e-mail of a person's login; UsageError for an unknown name or an e-mail that is taken."""
    _change(database, name, email=_clean_email(email))


def rename_person(database: Database, name: str, new: str) -> None:
    check_person_name(new)
    with database.write(exclusive=True) as connection:
        names = _names(connection)
        if name not in names:
            raise unknown("annotator", name, names)
        if new in names:
            raise UsageError(f"annotator {new!r} exists already; choose another name")
        # Rows refer to the name, so the new person is added first and the old one deleted last.
        person = connection.execute(sa.select(ANNOTATORS).where(ANNOTATORS.c.name == name)).mappings().one()
        old = ANNOTATORS.c.name == name
        connection.execute(sa.update(ANNOTATORS).where(old).values(token_sha256=None, email=None))
        connection.execute(sa.insert(ANNOTATORS).values({**person, "name": new}))
        columns = [column for column in ASSIGNMENTS.c if column.name != "annotator"]
        assignments = sa.select(sa.literal(new), *columns).where(ASSIGNMENTS.c.annotator == name)
        column_names = ["annotator", *(column.name for column in columns)]
        connection.execute(sa.insert(ASSIGNMENTS).from_select(column_names, assignments))
        connection.execute(sa.update(LABELS).where(LABELS.c.annotator == name).values(annotator=new))
        connection.execute(sa.update(DECISIONS).where(DECISIONS.c.by == name).values(by=new))
        connection.execute(sa.delete(ASSIGNMENTS).where(ASSIGNMENTS.c.annotator == name))
        connection.execute(sa.delete(ANNOTATORS).where(old))


def local_name() -> str:
    """Return the name of this machine's user, used for the one annotator on a laptop."""
    try:
        name = getpass.getuser()
        check_person_name(name)
        return name
    except (OSError, KeyError, UsageError):
        return LOCAL


def local_person(database: Database, name: str | None = None) -> Person:
    """Return the one annotator on a laptop, also its coordinator; added if new."""
    name = name or local_name()
    by_name = {person.name: person for person in people(database)}
    if name not in by_name:
        _insert(database, name, "coordinator", None, None)
        by_name = {person.name: person for person in people(database)}
    return by_name[name]


def people(database: Database) -> list[Person]:
    with database.read() as connection:
        rows = connection.execute(sa.select(ANNOTATORS).order_by(ANNOTATORS.c.created_at, ANNOTATORS.c.name))
        return [_person(row) for row in rows]


def has_accounts(database: Database) -> bool:
    """Return whether anybody has, or had, a link or a login, so that visitors must identify."""
    has_access = sa.or_(ANNOTATORS.c.token_sha256.is_not(None), ANNOTATORS.c.email.is_not(None))
    with database.read() as connection:
        return connection.execute(sa.select(ANNOTATORS.c.name).where(has_access).limit(1)).first() is not None


def person_of(database: Database, token: str) -> Person | None:
    return _person_where(database, ANNOTATORS.c.token_sha256 == _hash(token))


def person_with_email(database: Database, email: str) -> Person | None:
    return _person_where(database, ANNOTATORS.c.email == email.strip().lower())


def _person_where(database: Database, condition: sa.ColumnElement[bool]) -> Person | None:
    with database.read() as connection:
        row = connection.execute(sa.select(ANNOTATORS).where(condition)).first()
    return None if row is None else _person(row)


def _person(row: Any) -> Person:
    token: str | None = row.token_sha256
    link: Link = "none" if token is None else "ended" if token.startswith(_ENDED) else "works"
    return Person(row.name, row.role, row.created_at, row.email, link)


def _insert(database: Database, name: str, role: str, token_sha256: str | None, email: str | None) -> None:
    if role not in ROLES:
        raise unknown("role", role, ROLES)
    check_person_name(name)
    plain = _clean_email(email)
    row = {"name": name, "role": role, "created_at": now(), "token_sha256": token_sha256, "email": plain}
    with database.write() as connection:
        if name in _names(connection):
            raise UsageError(f"annotator {name!r} exists already; choose another name")
        _check_free(connection, name, plain)
        try:
            connection.execute(sa.insert(ANNOTATORS).values(row))
        except IntegrityError:
            raise UsageError(f"annotator {name!r} exists already; choose another name") from None


def _change(database: Database, name: str, **values: str | None) -> None:
    with database.write() as connection:
        _check_free(connection, name, values.get("email"))
        result = connection.execute(sa.update(ANNOTATORS).where(ANNOTATORS.c.name == name).values(values))
        if result.rowcount == 0:
            raise unknown("annotator", name, _names(connection))


def _check_free(connection: sa.Connection, name: str, email: str | None) -> None:
    query = sa.select(ANNOTATORS.c.name).where(ANNOTATORS.c.email == email, ANNOTATORS.c.name != name)
    owner = None if email is None else connection.execute(query).scalar()
    if owner is not None:
        raise UsageError(
            f"the e-mail address {email!r} belongs to {owner!r}; give another, or remove it from them first"
        )


def check_person_name(name: str) -> None:
    """Raise UsageError if a person cannot have this name."""
    if not name or name != name.strip() or not name.isprintable():
        raise UsageError(f"the name {name!r} cannot be displayed; choose a plain one such as 'Ada'")
    if name == ADJUDICATOR:
        raise UsageError(f"the name {name!r} is reserved for settled labels; choose another")


def _clean_email(email: str | None) -> str | None:
    if email is None:
        return None
    plain = email.strip().lower()
    if plain.count("@") != 1 or not all(plain.split("@")) or not plain.isprintable() or " " in plain:
        raise UsageError(f"{email!r} is not an e-mail address; write it like ada@example.org")
    return plain


def _names(connection: sa.Connection) -> list[str]:
    return list(connection.execute(sa.select(ANNOTATORS.c.name).order_by(ANNOTATORS.c.name)).scalars())


def _hash(token: str) -> str:
    # 256 random bits need no salt and no slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
