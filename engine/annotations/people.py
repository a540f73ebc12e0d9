"""Who labels: names, roles and the tokens of personal links."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from engine.annotations.database import Database, now
from engine.annotations.tables import ANNOTATORS
from engine.cubes.annotations import SETTLED
from engine.errors import UsageError, unknown

Role = Literal["annotator", "coordinator"]
ROLES: tuple[Role, ...] = ("annotator", "coordinator")
TOKEN_BYTES = 32
LOCAL = "local"
"""The annotator of a laptop, who needs no link."""


@dataclass(frozen=True)
class Person:
    """One annotator or coordinator."""

    name: str
    role: Role
    created_at: str


def add_person(database: Database, name: str, role: str = "annotator") -> str:
    """Add a person and return the token of their link, which is not stored and cannot be shown again.

    Raises UsageError for a role that is none, or a name that is taken or cannot be one.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _insert(database, name, role, _hashed(token))
    return token


def renew_token(database: Database, name: str) -> str:
    """Return a new token of a person; the old link stops working. UsageError for an unknown name."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with database.write() as connection:
        done = connection.execute(
            sa.update(ANNOTATORS).where(ANNOTATORS.c.name == name).values(token_sha256=_hashed(token))
        )
        if done.rowcount == 0:
            raise unknown("annotator", name, _names(connection))
    return token


def local_person(database: Database) -> Person:
    """Return the one annotator of a laptop, added when first asked for; they coordinate too."""
    found = {person.name: person for person in people(database)}
    if LOCAL not in found:
        _insert(database, LOCAL, "coordinator", None)
        found = {person.name: person for person in people(database)}
    return found[LOCAL]


def people(database: Database) -> list[Person]:
    """Return everybody, in the order they were added."""
    query = sa.select(ANNOTATORS.c.name, ANNOTATORS.c.role, ANNOTATORS.c.created_at)
    with database.read() as connection:
        rows = connection.execute(query.order_by(ANNOTATORS.c.created_at, ANNOTATORS.c.name))
        return [Person(*row) for row in rows]


def person_of(database: Database, token: str) -> Person | None:
    """Return whose link holds the token; None where it is nobody's."""
    query = sa.select(ANNOTATORS.c.name, ANNOTATORS.c.role, ANNOTATORS.c.created_at)
    with database.read() as connection:
        row = connection.execute(query.where(ANNOTATORS.c.token_sha256 == _hashed(token))).first()
    return None if row is None else Person(*row)


def _insert(database: Database, name: str, role: str, token_sha256: str | None) -> None:
    if role not in ROLES:
        raise unknown("role", role, ROLES)
    if not name or name != name.strip() or not name.isprintable():
        raise UsageError(f"the name {name!r} cannot be shown in a list; give a plain one such as 'Ada'")
    if name == SETTLED:
        raise UsageError(f"the name {name!r} stands for settled labels; choose another")
    row = {"name": name, "role": role, "token_sha256": token_sha256, "created_at": now()}
    with database.write() as connection:
        if name in _names(connection):
            raise UsageError(f"there is an annotator {name!r} already; choose another name")
        try:
            connection.execute(sa.insert(ANNOTATORS).values(row))
        except IntegrityError:
            raise UsageError(f"there is an annotator {name!r} already; choose another name") from None


def _names(connection: sa.Connection) -> list[str]:
    return list(connection.execute(sa.select(ANNOTATORS.c.name).order_by(ANNOTATORS.c.name)).scalars())


def _hashed(token: str) -> str:
    # 256 random bits need no salt and no slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
