"""`spb explain cite` and `spb explain bibtex`: how to cite the software, a study's data, and the papers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.options import next_command, open_study
from engine.cli.output import say
from engine.cli.printing.rows import Rows, print_rows
from engine.cli.study.study_place import is_study
from engine.errors import UsageError
from engine.phrases import full_stop, join_names

if TYPE_CHECKING:
    from engine.store.study_files import ImportRecord, StudyInfo
    from engine.study import Study

WORDS = ("cite", "bibtex")
"""What `spb explain` answers with works to cite: in sentences, or for BibTeX."""


def print_citations(word: str, study: str | None, store: str | None, format: str) -> None:  # noqa: A002
    """Print what to cite: of a study its data too, and the papers of the measures that it has numbers of.

    `study` may also be the name of a measure or of a paper, where no study is called so.
    """
    rows = [] if study is None or is_study(study, store) else _of_name(study)
    rows = rows or list(_rows(None if study is None else open_study(store, study)))
    if word == "bibtex" and format == "table":
        say("\n\n".join(row["bibtex"] for row in rows if row["bibtex"]), result=True)
        return
    sentences = [f"{row['what']}: {row['cite']}" for row in rows]
    command = next_command(store, "explain", "bibtex", *([study] if study else []))
    sentences.insert(0, f"Entries for BibTeX: `{command}`.")
    print_rows(Rows(rows if format != "table" else (), {}, sentences), format)


def _of_name(name: str) -> list[dict[str, Any]]:
    """Return what to cite of a measure or a paper of this name; UsageError if its work has no entry."""
    from engine.measures.catalogue import MEASURES
    from engine.report.references import PAPERS, REFERENCES, bibliography, papers_of

    papers = [paper for paper in PAPERS if name in (paper.name, paper.key)]
    if papers or name not in MEASURES:
        return [_row(f"The paper {paper.name}", paper.cited, paper.entry) for paper in papers]
    source, what = MEASURES[name].paper, f"If you report {name}"
    papers = list(PAPERS if source == "all five papers" else papers_of(source))
    rows = [_row(f"{what} ({paper.name})", paper.cited, paper.entry, name) for paper in papers]
    rows += [
        _row(what, work.cited, bibliography([work]).strip(), name)
        for work in REFERENCES
        if work.cited.replace(",", "") in source
    ]
    if not rows and "this project" in source:
        rows = [_software() | {"measures": [name]}]
    if not rows:
        work = source.removeprefix("none of the papers; ")
        raise UsageError(f"there is no entry for {work!r}, which {name} is from; cite it by that name")
    return rows


def _row(what: str, cite: str, bibtex: str | None, *measures: str) -> dict[str, Any]:
    return {"what": what, "cite": cite, "bibtex": bibtex, "measures": list(measures)}


def _software() -> dict[str, Any]:
    from engine.report.references import REFERENCES, SOFTWARE_CITED, bibliography

    return _row("The software", SOFTWARE_CITED, bibliography(REFERENCES[:1]).strip())


def _rows(study: "Study | None") -> Iterator[dict[str, Any]]:
    from engine.measures.catalogue import PRESENT
    from engine.report.references import PAPERS, papers_of

    yield _software()
    measures = list(PRESENT.values())
    if study is not None:
        from engine.explore.doctor import examine
        from engine.findings.gather import findings

        yield _row("The data", _data(study), None)
        allowed = {each.measure for each in examine(study, resamples=0).measures if each.answer != "no"}
        # Findings, and a report, give some measures the options without which these have no numbers.
        allowed |= {claim.measure for claim in findings(study, resamples=0).shown}
        measures = [measure for measure in measures if measure.name in allowed]
    for paper in PAPERS:
        names = [measure.name for measure in measures if paper in papers_of(measure.paper)]
        if names:
            what = f"If you report {join_names(names, last='or')} ({paper.name})"
            yield _row(what, paper.cited, paper.entry, *names)


def _data(study: "Study") -> str:
    """Return what a study says of where its data are from."""
    info = study.info
    records = info.imports or []
    if len({each.file for each in records}) < 2:
        parts = [str(info.title or info.dataset or study.name), *_origin(info)]
    else:
        files = [_of_import(each) for each in records]
        parts = [f"{info.title or study.name}, from {join_names(files)}"]
        if not any(each.source for each in records):
            parts += _origin(info)
    return full_stop("; ".join(parts))


def _of_import(record: "ImportRecord") -> str:
    """Return what to cite of one of several files, with its run."""
    facts = [f"run {record.run}"] if record.run else []
    facts += [
        f"{name}: {text}" for name, text in (("source", record.source), ("licence", record.licence)) if text
    ]
    return f"{record.file} ({'; '.join(facts)})" if facts else record.file


def _origin(info: "StudyInfo") -> list[str]:
    """Return the source and licence that a study has as a whole."""
    parts = []
    if info.source:
        parts.append(f"source: {info.source}")
    elif info.provenance == "imported":
        parts.append("no source is recorded: cite who collected them")
    if info.licence:
        parts.append(f"licence: {info.licence}")
    return parts
