"""Small studies written by hand."""

from plain.study import PlainStudy


def study_of(models="J:F K:F A:G B:H", rubrics=(1,), instances=1):
    """Models as `name:family`; instances `x0`, `x1`, ... each with rubrics `k0`, ... of these points."""
    study = PlainStudy()
    for pair in models.split():
        model, family = pair.split(":")
        study.add("models", model=model, family=family)
    for i in range(instances):
        study.add("instances", instance_id=f"x{i}")
        for k, points in enumerate(rubrics):
            study.add("rubrics", instance_id=f"x{i}", rubric_id=f"k{k}", points=points)
    return study


def refer(study, generator, mets, instance="x0", source="program"):
    """References `1`, `0`, `?` (cannot tell) or `-` (no row) for the rubrics of an instance in turn."""
    for k, met in enumerate(mets):
        if met != "-":
            study.add(
                "references",
                instance_id=instance,
                generator=generator,
                rubric_id=f"k{k}",
                source=source,
                met={"1": True, "0": False, "?": None}[met],
            )


def judge_rubrics(study, judge, generator, mets, instance="x0", paradigm="single_rubric", **rest):
    """Verdicts `1`, `0`, or `u` unparsed, or `-` (no row), for the rubrics of an instance in turn."""
    for k, met in enumerate(mets):
        if met != "-":
            verdict = {"status": "unparsed"} if met == "u" else {"met": met == "1"}
            study.add(
                "judgments",
                judge=judge,
                paradigm=paradigm,
                instance_id=instance,
                generator=generator,
                rubric_id=f"k{k}",
                **verdict,
                **rest,
            )


def compare(study, judge, generator, opponent, first, choice=None, instance="x0", **rest):
    """One pairwise row."""
    study.add(
        "judgments",
        judge=judge,
        paradigm="pairwise",
        instance_id=instance,
        generator=generator,
        opponent=opponent,
        first=first,
        choice=choice,
        **rest,
    )


def one(rows, **wanted):
    """The only row with these values."""
    matches = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    assert len(matches) == 1
    return matches[0]
