"""Options of one value are taken once: what is given twice is refused, and no value is dropped in silence."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from engine.errors import UsageError
from engine.phrases import join_names

WORDS = "engine.words"
"""What a command's context holds the words under that it was given, for messages on a wrong use."""


WrongUse: type[Exception] = typer.BadParameter.__mro__[1]
"""What the parser of commands raises: an unknown command or option, a missing word, a value out of bounds."""


@contextmanager
def of_command(ctx: Any) -> Iterator[None]:
    """Let a wrong use name its command: some of the parser's errors, as of a missing value, come without."""
    try:
        yield
    except WrongUse as error:
        error.ctx = getattr(error, "ctx", None) or ctx  # type: ignore[attr-defined]
        raise


class OneValueCommand(TyperCommand):
    """A command that refuses an option of one value if it is given again."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what the usage line names, without marks that are not typed: `[STUDY] TASK`.

        The study is first, though the parser reads it last (`engine.cli.command`).
        """
        pieces = [_as_typed(piece) for piece in super().collect_usage_pieces(ctx)]
        return sorted(pieces, key=lambda piece: piece not in ("[OPTIONS]", "[STUDY]"))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a command; UsageError, naming the values, for an option given twice."""
        ctx.meta[WORDS] = list(args)
        with of_command(ctx):
            if not ctx.resilient_parsing:  # a shell that completes a line
                _, _, order = self.make_parser(ctx).parse_args(args=list(args))
                for option, times in Counter(order).items():
                    if times > 1 and _takes_one(option):
                        _refuse(option, args)
            return super().parse_args(ctx, args)


def _as_typed(piece: str) -> str:
    """Return an argument of a usage line without braces, in one pair of brackets if it may be left out."""
    return piece.translate({ord("{"): None, ord("}"): None}).replace("[[", "[").replace("]]", "]")


def _takes_one(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and not (parameter.multiple or parameter.is_flag)


def _refuse(option: Any, args: list[str]) -> None:
    flag = next(each for each in option.opts if each.startswith("--"))
    values = [repr(value) for value in _values(option.opts, args)]
    problem = f"{flag} is given with {join_names(values)}"
    if "," in (option.metavar or ""):
        raise UsageError(f"{problem}; give them in one, with commas: {flag} {option.metavar}")
    raise UsageError(f"{problem}; it takes one value, so give it once")


def _values(flags: list[str], args: list[str]) -> list[str]:
    """Return the values that words give to an option: of `--by axis`, and of `--by=axis`."""
    following = zip(args, [*args[1:], ""], strict=True)
    return [
        word.partition("=")[2] if "=" in word else after
        for word, after in following
        if word.partition("=")[0] in flags
    ]
