"""Every view by name, and the views that names of earlier versions meant."""

from collections.abc import Mapping

from engine.views.agreement import AGREEMENT
from engine.views.committee import COMMITTEE, COMMITTEE_FAMILIES, COMMITTEE_SIZE
from engine.views.keys import Texts
from engine.views.kinds import KINDS
from engine.views.paradigms import PARADIGMS
from engine.views.view import AnyView

VIEWS: Mapping[str, AnyView] = {
    view.name: view for view in (PARADIGMS, COMMITTEE, COMMITTEE_SIZE, COMMITTEE_FAMILIES, AGREEMENT, KINDS)
}

FORMER_PARTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "paradigms": ("part", {"committee": "committee", "agreement": "agreement", "slices": "kinds"}),
}
"""Pages whose pins once named a part of them: the key of the part, and the view that each value means."""


def view_of(name: str, texts: Texts) -> AnyView | None:
    """Return the view that a pin's name and keys mean; None for an unknown name."""
    key, parts = FORMER_PARTS.get(name, ("", {}))
    part = next(iter(texts.get(key, ())), None)
    return VIEWS.get(parts.get(str(part), name))
