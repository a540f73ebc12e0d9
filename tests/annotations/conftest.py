"""Databases for labels: SQLite, and PostgreSQL if it is installed."""

import os
import uuid

import pytest
import sqlalchemy as sa

from annotations.servers import missing, server
from engine.annotations.database import Database


@pytest.fixture(scope="session")
def postgres():
    """The address of a server's first database; skips, with a reason, if there is no server."""
    reason = missing()
    if reason:
        if os.environ.get("SPB_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    with server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'labels.db'}"
    first = request.getfixturevalue("postgres")
    name = f"t{uuid.uuid4().hex}"
    engine = sa.create_engine(first, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"create database {name}")
    engine.dispose()
    return str(sa.make_url(first).set(database=name).render_as_string(hide_password=False))


@pytest.fixture
def database(url):
    """An open database of each kind."""
    database = Database(url)
    yield database
    database.close()
