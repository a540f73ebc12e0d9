"""`spb label people`: the people who label."""

from typing import Annotated
from urllib.parse import urlsplit

import typer

from engine.cli.former import is_former
from engine.cli.label.label_database import open_labels
from engine.cli.options import StoreOption, next_command
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows

annotators_app = typer.Typer(help="Manage the people who label.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name under which labels are stored.")]
AddressOption = Annotated[
    str | None, typer.Option(metavar="URL", help="Address of the explorer (default: SPB_ADDRESS).")
]
EmailOption = Annotated[
    str | None, typer.Option(help="E-mail address of their login, if the explorer has one.")
]


@annotators_app.command("add")
def add(
    name: NameArgument,
    role: Annotated[
        str, typer.Option(help="Role: labeller or coordinator.", show_default="labeller")
    ] = "annotator",
    email: EmailOption = None,
    address: AddressOption = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Add a person and print their personal link.

    The link is shown only once, since only a hash is stored.
    """
    from engine.annotations.people import add_person, link

    link(address, "")  # a wrong address is refused before the person is added
    with open_labels(store) as (_, database):
        token = add_person(database, name, role, email)
    _print_link(name, link(address, token), format)


@annotators_app.command("renew")
def renew(
    name: NameArgument,
    address: AddressOption = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Create a new personal link and print it; an earlier one ends."""
    from engine.annotations.people import link, renew_token

    link(address, "")
    with open_labels(store) as (_, database):
        token = renew_token(database, name)
    _print_link(name, link(address, token), format)


@annotators_app.command("end")
def end(
    name: NameArgument,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Revoke a person's link and login; their labels stay."""
    from engine.annotations.people import end_link

    with open_labels(store) as (_, database):
        end_link(database, name)
    renewing = next_command(store, "label", "people", "renew", name)
    say(f"{name}: link and login no longer work; create a new link with: {renewing}")
    print_done(format, {"name": name, "link": "ended"})


@annotators_app.command("rename")
def rename(
    name: NameArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="New name.")],
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Rename a person and their labels; their link keeps working."""
    from engine.annotations.people import rename_person

    with open_labels(store) as (_, database):
        rename_person(database, name, new)
    say(f"{name} is now called {new}; export their tasks again to studies that have their labels")
    print_done(format, {"name": new, "former_name": name})


@annotators_app.command("email")
def email(
    name: NameArgument,
    email: Annotated[
        str | None, typer.Argument(metavar="EMAIL", help="E-mail address; leave it out to remove the login.")
    ] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Set or remove the e-mail address of a person's login."""
    from engine.annotations.people import set_email

    with open_labels(store) as (_, database):
        set_email(database, name, email)
    say(f"{name}: {'no login' if email is None else 'logs in as ' + email}")
    print_done(format, {"name": name, "email": email})


@annotators_app.command("list")
def list_people(store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """List the people who label.

    With role, whether their link works, e-mail, and when they were added.
    """
    from engine.annotations.people import people

    with open_labels(store) as (_, database):
        everyone = people(database)
    if is_former() and format == "table":
        for person in everyone:
            print(person.name, person.role, person.link, person.email or "-", person.created_at, sep="\t")
        return
    rows = [
        {
            "name": person.name,
            "role": person.role,
            "link": person.link,
            "email": person.email,
            "created_at": person.created_at,
        }
        for person in everyone
    ]
    heads = ("Name", "Role", "Link", "E-mail", "Added")
    names = ("name", "role", "link", "email", "created_at")
    adding = next_command(store, "label", "people", "add", "ann")
    nobody = "There are no people yet. On your own computer none is needed"
    sentences = () if rows else (f"{nobody}; for a team add each, such as ann, with: {adding}",)
    print_rows(Rows(rows, dict(zip(names, heads, strict=True)), sentences), format)


def _print_link(name: str, link: str, format: str) -> None:  # noqa: A002
    if format == "table":
        print(link)
    else:
        print_done(format, {"name": name, "link": link})
    from engine.annotations.people import LOOPBACK_NAMES

    say(f"this is the personal link of {name}: whoever has it can label as {name}; it is shown only once")
    if urlsplit(link).hostname in LOOPBACK_NAMES:
        say("it opens on this computer alone, while `spb open` runs; for others, give the server's --address")
