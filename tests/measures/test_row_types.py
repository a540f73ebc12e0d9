"""The types of rows, to which those who read a measure's rows are held."""

from engine.measures import row_types
from engine.measures.catalogue import OWN


def test_a_row_may_have_each_column_of_its_measure_and_needs_none():
    for measure in OWN:
        row = getattr(row_types, "".join(part.title() for part in measure.name.split("-")) + "Row")
        columns = {name for field in measure.fields for name in field.columns()}

        # Two slices compared have other columns than a slice, so none is required.
        assert not row.__required_keys__, measure.name
        assert columns | {"reasons"} <= row.__optional_keys__, measure.name
        assert ("slice" in row.__optional_keys__) == bool(measure.sliced or measure.groups), measure.name
        assert ("difference" in row.__optional_keys__) >= measure.sliced, measure.name
