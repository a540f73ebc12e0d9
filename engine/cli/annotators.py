"""`spb annotators`: who labels."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, say

if TYPE_CHECKING:
    from engine.annotations.database import Database

app = typer.Typer(help="The people who label.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name that labels are kept under.")]
AddressOption = Annotated[
    str | None,
    typer.Option("--address", metavar="URL", help="Where the explorer is opened (else SPB_ADDRESS)."),
]
EmailOption = Annotated[
    str | None, typer.Option("--email", help="The e-mail of their login, where the explorer has one.")
]


@app.command("add")
def add(
    name: NameArgument,
    role: Annotated[str, typer.Option("--role", help="annotator or coordinator.")] = "annotator",
    email: EmailOption = None,
    address: AddressOption = None,
    store: StoreOption = None,
) -> None:
    """Add a person and print their personal link, once: its token is stored as a hash."""
    from engine.annotations.people import add_person, link

    link(address, "")  # a wrong address is refused before anybody is added
    with _opened(store) as database:
        token = add_person(database, name, role, email)
    _give(name, link(address, token))


@app.command("renew")
def renew(name: NameArgument, address: AddressOption = None, store: StoreOption = None) -> None:
    """Give somebody a new link and print it; the old one opens nothing any more."""
    from engine.annotations.people import link, renew_token

    link(address, "")
    with _opened(store) as database:
        token = renew_token(database, name)
    _give(name, link(address, token))


@app.command("end")
def end(name: NameArgument, store: StoreOption = None) -> None:
    """Let somebody's link and login open nothing any more; their labels stay."""
    from engine.annotations.people import end_link

    with _opened(store) as database:
        end_link(database, name)
    say(f"{name}: the link and the login have ended; a new link comes with: spb annotators renew {name}")


@app.command("rename")
def rename(
    name: NameArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name from now on.")],
    store: StoreOption = None,
) -> None:
    """Give somebody another name, with all they labelled; their link goes on working."""
    from engine.annotations.people import rename_person

    with _opened(store) as database:
        rename_person(database, name, new)
    say(f"{name} is {new} now; export their tasks anew where a study holds their labels")


@app.command("email")
def email(
    name: NameArgument,
    email: Annotated[str | None, typer.Argument(metavar="EMAIL", help="None given: no login.")] = None,
    store: StoreOption = None,
) -> None:
    """Set the e-mail of somebody's login, or take it away."""
    from engine.annotations.people import set_email

    with _opened(store) as database:
        set_email(database, name, email)
    say(f"{name}: {'no login' if email is None else 'logs in as ' + email}")


@app.command("list")
def list_people(store: StoreOption = None) -> None:
    """List the people: name, role, whether their link works, e-mail, when they were added."""
    from engine.annotations.people import people

    with _opened(store) as database:
        found = people(database)
    for person in found:
        print(person.name, person.role, person.link, person.email or "-", person.created_at, sep="\t")


def _give(name: str, link: str) -> None:
    print(link)
    say(f"the personal link of {name}: whoever has it is {name}; it cannot be shown again")


@contextmanager
def _opened(store: str | None) -> "Iterator[Database]":
    from engine.annotations.database import open_database
    from engine.store import Store

    database = open_database(Store(store))
    try:
        yield database
    finally:
        database.close()
