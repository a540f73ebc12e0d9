"""Charts fitted to the width of their container."""

from engine.charts import export, fit_width


def panel(width: int = 200, **more: object) -> export.Spec:
    """Return a panel with named rows."""
    y = {"field": "judge", "type": "nominal", "axis": {"labelLimit": 170} | more}
    return {"width": width, "mark": "point", "encoding": {"y": y}}


def rows(*names: str) -> dict[str, object]:
    return {"data": {"name": "rows"}, "datasets": {"rows": [{"judge": name} for name in names]}}


def test_a_chart_of_one_eachstretches_by_itself() -> None:
    assert fit_width.stretches(panel())
    assert not fit_width.stretches({"hconcat": [panel()]})
    assert not fit_width.stretches({"mark": {"type": "rect", "width": 30}, "width": 400})


def test_panels_share_the_width_if_there_is_room() -> None:
    spec = {"hconcat": [panel(), panel(labels=False)], "spacing": 20} | rows("a" * 10)

    wide = fit_width.fit_to_width(spec, 800)

    # 62 pixels of names, two axes of 26 and a gap of 20 leave 666
    assert [part["width"] for part in wide["hconcat"]] == [333, 333]


def test_panels_are_stacked_with_their_names_on_a_phone() -> None:
    spec = {"hconcat": [panel(), panel(labels=False)], "spacing": 20} | rows("a" * 10)

    narrow = fit_width.fit_to_width(spec, 320)

    assert "hconcat" not in narrow
    assert [part["width"] for part in narrow["vconcat"]] == [232, 232]  # 320 - 62 - 26
    assert all(part["encoding"]["y"]["axis"]["labels"] for part in narrow["vconcat"][1:])


def test_a_facet_has_as_many_columns_as_there_is_room_for() -> None:
    spec = {"facet": {"field": "judge"}, "columns": 3, "spec": panel(240)} | rows("a", "b", "c", "d")

    assert [fit_width.fit_to_width(spec, width)["columns"] for width in (320, 500, 900)] == [1, 2, 3]


def test_facets_side_by_side_are_stacked_if_there_is_no_room() -> None:
    facet = {"facet": {"field": "judge"}, "columns": 2, "spec": panel(145), "data": {"name": "rows"}}
    spec = {"hconcat": [facet, facet], "datasets": rows("a", "b")["datasets"]}

    wide, narrow = fit_width.fit_to_width(spec, 1000), fit_width.fit_to_width(spec, 350)

    assert [each["columns"] for each in wide["hconcat"]] == [2, 2]
    assert sum(2 * each["spec"]["width"] for each in wide["hconcat"]) < 1000
    assert all(each["columns"] * each["spec"]["width"] < 350 for each in narrow["vconcat"])


def test_a_legend_has_as_many_columns_as_its_longest_entry_leaves_room_for() -> None:
    def of(*names: str) -> dict:
        colour = {"field": "series", "scale": {"domain": list(names)}}
        return panel(300) | {"encoding": panel(300).get("encoding", {}) | {"color": colour}}

    short, long = of("own", "others"), of("before: asked as it usually is", "after: asked the other way")

    assert fit_width.fit_to_width(short, 350)["config"]["legend"]["columns"] >= 2
    assert fit_width.fit_to_width(long, 350)["config"]["legend"]["columns"] == 1


def test_a_legend_with_columns_of_its_own_has_fewer_where_there_is_no_room() -> None:
    names = ["clearly above no preference", "above, but not clearly", "neither"]
    colour = {"field": "says", "scale": {"domain": names}, "legend": {"columns": 3}}
    spec = panel(266) | {"encoding": panel(266).get("encoding", {}) | {"color": colour}}

    assert fit_width.fit_to_width(spec, 358)["encoding"]["color"]["legend"]["columns"] == 1
    assert fit_width.fit_to_width(spec, 1200)["encoding"]["color"]["legend"]["columns"] == 3


def test_a_panel_leaves_room_for_the_title_beside_its_axis() -> None:
    y = {"field": "value", "type": "quantitative"}
    bare, titled = (
        {"vconcat": [panel(600) | {"encoding": {"y": y | title}}]} for title in ({}, {"title": "mean ratio"})
    )

    wide, narrower = (fit_width.fit_to_width(spec, 358)["vconcat"][0]["width"] for spec in (bare, titled))

    assert wide - narrower == fit_width.TITLE


def test_a_legend_of_a_facet_leaves_room_for_the_names_of_its_rows() -> None:
    colour = {"field": "series", "scale": {"domain": ["a" * 15, "b" * 15]}}
    spec = {"facet": {"field": "judge"}, "spec": panel(300)} | rows("short", "a name that is long")
    spec["spec"]["encoding"]["color"] = colour

    # two entries of 34 + 7.2 * 15 = 142 pixels fit into 320 - 26, and not into what 117 of names leave
    assert fit_width.fit_to_width(spec, 320)["config"]["legend"]["columns"] == 1
    assert fit_width.fit_to_width(spec, 500)["config"]["legend"]["columns"] == 2


def test_heads_of_panels_are_no_wider_than_their_panels() -> None:
    facet = {"field": "judge", "header": {"labelLimit": 260}}
    spec = {"facet": facet, "columns": 3, "spec": panel(240)} | rows("a" * 40, "b", "c")

    narrow = fit_width.fit_to_width(spec, 320)

    assert narrow["facet"]["header"]["labelLimit"] == narrow["spec"]["width"] < 260


def test_a_colour_bar_is_no_longer_than_its_panel() -> None:
    cells = panel(160)
    cells["encoding"]["color"] = {"field": "rate", "legend": {"gradientLength": 200}}
    spec = {"hconcat": [{"width": 160, "layer": [cells]}]} | rows("a")

    for width, length in ((190, 158), (800, 200)):  # less 6.2 pixels of a name and 26 of an axis
        [shown] = fit_width.fit_to_width(spec, width)["hconcat"]
        legend = shown["layer"][0]["encoding"]["color"]["legend"]
        assert legend["gradientLength"] == min(length, shown["width"])


def test_panels_far_down_have_axes_of_their_own() -> None:
    few = {"facet": {"field": "judge"}, "columns": 1, "spec": panel(240)} | rows(*"abcd")
    many = few | rows(*"abcde")

    assert "resolve" not in fit_width.fit_to_width(few, 320)
    assert fit_width.fit_to_width(many, 320)["resolve"]["axis"]["x"] == "independent"


def test_names_beside_marks_are_left_out_if_the_eachgets_much_narrower() -> None:
    layers = [
        panel(),
        {"mark": "text", "name": fit_width.MARK_NAMES},
        {"mark": "rule", "name": "names_of_rows"},
    ]
    spec = {"hconcat": [{"layer": layers, "width": 600}]} | rows("a")

    def layer_names(width: int) -> list[str]:
        fitted = fit_width.fit_to_width(spec, width)
        [panel] = fitted.get("hconcat") or fitted["vconcat"]
        return [layer["name"] for layer in panel["layer"] if "name" in layer]

    assert layer_names(700) == [fit_width.MARK_NAMES, "names_of_rows"]
    assert layer_names(350) == ["names_of_rows"]


def test_a_long_title_of_an_axis_is_broken_into_lines_on_a_phone() -> None:
    title = "given minus expected, of 100 own cases (0 = no preference)"
    layer = panel()
    layer["encoding"] |= {"x": {"field": "shown", "type": "quantitative", "title": title}}
    charts = [
        {"layer": [layer, layer], "width": 740} | rows("a" * 20),
        {"facet": {"field": "judge"}, "spec": {"layer": [layer], "width": 240}} | rows("a" * 20),
        {"hconcat": [layer, layer]} | rows("a" * 20),
    ]

    narrow = [str(fit_width.fit_to_width(chart, 342)) for chart in charts]
    wide = str(fit_width.fit_to_width(charts[0], 1200))

    # 342 - 0.36 x 342 pixels of names - 26 beside them leave 192, or 31 characters, of the one panel
    assert "['given minus expected, of 100', 'own cases (0 = no preference)']" in narrow[0]
    assert all(title not in chart for chart in narrow)
    assert title in wide


def test_the_titles_of_panels_above_each_other_do_not_run_into_each_other() -> None:
    y = {"field": "T", "type": "quantitative", "title": "T beyond baseline, points"}
    each = {"layer": [{"mark": "line", "encoding": {"y": y}}], "width": 200, "height": 120}
    spec = {"facet": {"field": "judge"}, "columns": 3, "spec": each} | rows("a", "b", "c", "d")

    [layer] = fit_width.fit_to_width(spec, 1000)["spec"]["layer"]

    assert layer["encoding"]["y"]["title"] == ["T beyond baseline,", "points"]  # 19 characters in 120 pixels
