"""People: names, roles, and how they identify: by the token of a link or the e-mail of a login."""

import getpass
import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from engine.annotations.database import Database, now
from engine.annotations.database_tables import ANNOTATORS, ASSIGNMENTS, DECISIONS, LABELS
from engine.arrays.label_table import ADJUDICATOR
from engine.arrays.truths.references import HUMAN, UNNAMED
from engine.errors import UsageError, unknown

Role = Literal["annotator", "coordinator"]
Link = Literal["works", "ended", "none"]
ROLES: tuple[Role, ...] = ("annotator", "coordinator")
TOKEN_BYTES = 32
ADDRESS_VARIABLE = "SPB_ADDRESS"
"""The environment variable with the explorer's address, for personal links."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
"""The names of a server that only this machine reaches. Any other is a page of somebody else that has been
pointed here (DNS rebinding)."""

LOCAL = "local"
"""The annotator on a laptop whose user has no valid name."""

UNNAMED_PERSON = UNNAMED.removeprefix(f"{HUMAN}:")
"""No person's name: the source `human:unnamed` is what is stored without one."""

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
            raise unknown("labeller", name, names)
        if new in names:
            raise UsageError(f"labeller {new!r} exists already; choose another name")
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


def ensure_people(connection: sa.Connection, names: Iterable[str]) -> list[str]:
    """Add those who are new, without a link, and return their names; UsageError for an impossible name."""
    existing = set(_names(connection))
    new = [name for name in dict.fromkeys(names) if name not in existing]
    for name in new:
        check_person_name(name)
        row = {"name": name, "role": "annotator", "created_at": now(), "token_sha256": None, "email": None}
        connection.execute(sa.insert(ANNOTATORS).values(row))
    return new


_LIKENESS = 0.8
"""How alike two names are, by their common letters, to be perhaps one that is misspelt."""


def near_name(name: str, existing: Iterable[str]) -> str | None:
    """Return the existing name that another is perhaps meant for; names that differ in numbers are two."""
    by_plain = {_plain(each): each for each in existing}
    near = get_close_matches(_plain(name), by_plain, 1, _LIKENESS)
    return by_plain[near[0]] if near and _digits(near[0]) == _digits(name) else None


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _digits(name: str) -> list[str]:
    return re.findall(r"\d+", name)


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
            raise UsageError(f"labeller {name!r} exists already; choose another name")
        _check_free(connection, name, plain)
        try:
            connection.execute(sa.insert(ANNOTATORS).values(row))
        except IntegrityError:
            raise UsageError(f"labeller {name!r} exists already; choose another name") from None


def _change(database: Database, name: str, **values: str | None) -> None:
    with database.write() as connection:
        _check_free(connection, name, values.get("email"))
        result = connection.execute(sa.update(ANNOTATORS).where(ANNOTATORS.c.name == name).values(values))
        if result.rowcount == 0:
            raise unknown("labeller", name, _names(connection))


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
    if name == UNNAMED_PERSON:
        raise UsageError(f"the name {name!r} is that of labels without a person's name; choose another")


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
