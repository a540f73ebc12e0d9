"""The filters that open a slice: not every group of a column can be filtered for."""

from typing import Any

from engine.slices import NULL, TEXT_COLUMNS, Slice

Where = tuple[tuple[str, str], ...]

UNANIMOUS = "1"  # the only group of agreement that a filter can select exactly


def filters_for(where: Where, spec: Slice) -> tuple[dict[str, Any], str | None]:
    """Return the filters that open the slice within `spec`, and the column to group by if no filter can.

    A filter is a text, or a list for a value with a comma. If neither of two columns can be filtered for, the
    first is grouped by.
    """
    filters: dict[str, Any] = {}
    by = None
    for column, value in where:
        selection = _filter(column, value, spec)
        if selection is not None:
            filters |= selection
        elif by is None:
            by = column
    if spec.agreement_of != "verdict" and any(column == "agreement" for column, _ in where):
        filters["agreement_without_family"] = True
    return filters, by


def _filter(column: str, value: str, spec: Slice) -> dict[str, Any] | None:
    if column in TEXT_COLUMNS:  # their missing value can be filtered for, too
        return {column: [value] if "," in value else value}
    if value == NULL:
        return None
    if column == "agreement":
        return {"min_agreement": value} if value == UNANIMOUS else None
    if column == "length":
        return {"length": _bounds(value, spec)}
    return {column: value}


def _bounds(value: str, spec: Slice) -> str:
    """Return the ends of a group of lengths, within the slice's own."""
    low, high = (float(end) for end in value.split("-"))
    least, most = spec.length or (None, None)
    low, high = low if least is None else max(low, least), high if most is None else min(high, most)
    return f"{low:g}:{high:g}"
