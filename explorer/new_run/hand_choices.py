"""What was chosen by hand for a file that is imported: it stays, whichever study the file is added to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import streamlit as st


class _WidgetOptions(TypedDict):
    key: str
    on_change: Callable[[str, str], None]
    args: tuple[str, str]


@dataclass(frozen=True)
class HandChoices:
    """The choices made by hand for the uploads `files`, whose form begins with an earlier table's `reading`.

    That is empty without an earlier table. Where another reading is offered, the fields begin with it,
    but for those that were changed by hand.
    """

    files: str
    reading: str = ""

    def value(self, name: str, otherwise: Any) -> Any:
        """Return what was chosen by hand in a field, else what it begins with."""
        return self._choices.get(name, otherwise)

    def store(self, name: str, value: object) -> None:
        """Store a choice."""
        self._choices[name] = value

    def field(self, name: str) -> _WidgetOptions:
        """Return the key of a field's widget, and what stores its changes."""
        return {
            "key": f"{name}{self.reading}",
            "on_change": self._take,
            "args": (name, f"{name}{self.reading}"),
        }

    def meaning(self, column: str, guess: str) -> str:
        """Return what a column was chosen to mean, else its guess."""
        return str(self.value(_meaning_of(column), guess))

    def meaning_field(self, column: str, key: str) -> _WidgetOptions:
        """Return the key of the list of a column's meanings, and what stores its changes.

        They are stored before the lists are shown, which have what is missing then.
        """
        key = f"{key}_{self.files}{self.reading}"
        return {"key": key, "on_change": self._take, "args": (_meaning_of(column), key)}

    def give_meaning(self, column: str, meaning: str) -> None:
        """Store what a column means, as if it had been chosen in its list."""
        self.store(_meaning_of(column), meaning)

    def _take(self, name: str, key: str) -> None:
        self.store(name, st.session_state[key])

    @property
    def _choices(self) -> dict[str, Any]:
        choices: dict[str, Any] = st.session_state.setdefault(f"_import_by_hand_{self.files}", {})
        return choices


def _meaning_of(column: str) -> str:
    return f"meaning of {column}"
