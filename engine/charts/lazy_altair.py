"""Altair as `alt`, loaded by the first chart that is drawn.

The views that say a result's sentences and columns can draw it too, and a command that prints them would load
Altair for nothing, a third of a second. So charts take `alt` from here, and name its types in annotations
that are not evaluated (`from __future__ import annotations`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        def __getattr__(self, name: str) -> Any:
            import altair

            return getattr(altair, name)

    alt = _Altair()

__all__ = ["alt"]
