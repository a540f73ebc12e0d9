"""`spb annotators`: who labels."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, say

app = typer.Typer(help="The people who label.", no_args_is_help=True, rich_markup_mode=None)


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that labels are kept under.")],
    role: Annotated[str, typer.Option("--role", help="annotator or coordinator.")] = "annotator",
    renew: Annotated[
        bool, typer.Option("--renew", help="Give somebody who is there a new token; the old one ends.")
    ] = False,
    store: StoreOption = None,
) -> None:
    """Add a person and print the token of their personal link, once: it is stored as its hash."""
    from engine.annotations.database import open_database
    from engine.annotations.people import add_person, renew_token
    from engine.store import Store

    database = open_database(Store(store))
    try:
        token = renew_token(database, name) if renew else add_person(database, name, role)
    finally:
        database.close()
    print(token)
    say(f"the token of {name}; keep it like a password, it cannot be shown again")


@app.command("list")
def list_people(store: StoreOption = None) -> None:
    """List the people: name, role, when they were added."""
    from engine.annotations.database import open_database
    from engine.annotations.people import people
    from engine.store import Store

    database = open_database(Store(store))
    try:
        found = people(database)
    finally:
        database.close()
    for person in found:
        print(person.name, person.role, person.created_at, sep="\t")
