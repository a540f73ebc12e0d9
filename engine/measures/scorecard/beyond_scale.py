"""Whether an expected share lies beyond the scale (MEASURES section 19): it is never cut off, but marked."""

from collections.abc import Mapping, Sequence
from typing import Any

OWN_EXPECTED = ("own_expected", "own_expected_low", "own_expected_high")
EXPECTED = (*OWN_EXPECTED, "family_expected", "family_expected_low", "family_expected_high")
"""The fields of a row that hold an expected share or an end of its interval."""
_ROUNDING = 1e-9


def is_beyond_scale(row: Mapping[str, Any], fields: Sequence[str] = EXPECTED) -> bool:
    """Return whether any of a row's expected shares is below 0 or above 1, by more than rounding."""
    shares = [row[name] for name in fields if row.get(name) is not None]
    return any(share < -_ROUNDING or share > 1 + _ROUNDING for share in shares)
