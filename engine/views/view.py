"""A view: one question about a study, its keys, and the function that answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.errors import StoreError, uncomputed
from engine.views.keys import Key, Texts, key_names, keys_of, read_keys
from engine.views.shown import Shown

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

K = TypeVar("K")


@dataclass(frozen=True)
class View(Generic[K]):
    """A view of a study.

    `keys` is a dataclass whose fields declare what can be chosen (`engine.views.keys`), `answer` computes
    what is shown for given keys. `needs` returns why a study cannot fill the view and what would help, None
    where it can. `click` returns the keys that a click on a mark of the figure chooses, from the mark's row;
    `leads` says so to readers, and the mark `stays` chosen where they remain on the page. An `optional` view
    is offered only for studies that can fill it; another says what a study lacks. Where it `picks_rows`, a
    click is on a row of its table, whose records `click` reads.
    """

    name: str
    title: str
    question: str
    keys: type[K]
    answer: Callable[["MeasuredStudy", K], Shown]
    needs: Callable[["MeasuredStudy"], str | None] | None = None
    click: Callable[[Mapping[str, Any]], Mapping[str, tuple[str, ...]]] | None = None
    leads: str = ""
    stays: bool = False
    optional: bool = False
    picks_rows: bool = False

    @property
    def declared(self) -> dict[str, Key]:
        """The declared keys by name."""
        return keys_of(self.keys)

    @property
    def key_names(self) -> tuple[str, ...]:
        """Every name that an address of the view may hold."""
        return key_names(self.keys)

    def lacks(self, study: "MeasuredStudy") -> str | None:
        """Return why the study cannot fill the view and what would help, None where it can."""
        return None if self.needs is None else self.needs(study)

    def shown(self, study: "MeasuredStudy", texts: Texts) -> Shown:
        """Return what the view shows for keys as texts.

        What cannot be shown is a problem of the result, never an error: a text that names nothing in the
        study, a slice that the measure refuses, something that the study lacks, or a failure of the program.
        """
        lacking = self.lacks(study)
        if lacking is not None:
            return Shown(problems=(lacking,))
        try:
            values, dropped = read_keys(self.keys, study, texts)
            shown = self.answer(study, values)
        except (OSError, StoreError):  # the study cannot be read at all
            raise
        except Exception as error:
            return Shown(problems=(f"It cannot be shown: {uncomputed(error)}.",))
        return replace(shown, dropped=dropped)


AnyView = View[Any]
