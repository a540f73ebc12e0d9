"""`spb explain cite` and `spb explain bibtex`: how to cite the software, a study's data, and the papers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.options import next_command, open_study
from engine.cli.output import say
from engine.cli.rows import Rows, print_rows
from engine.phrases import full_stop, join_names

if TYPE_CHECKING:
    from engine.study import Study

WORDS = ("cite", "bibtex")
"""What `spb explain` answers with works to cite: in sentences, or for BibTeX."""


def print_citations(word: str, study: str | None, store: str | None, format: str) -> None:  # noqa: A002
    """Print what to cite: of a study its data too, and the papers of the measures that it has numbers of."""
    rows = list(_rows(None if study is None else open_study(store, study)))
    if word == "bibtex" and format == "table":
        say("\n\n".join(row["bibtex"] for row in rows if row["bibtex"]), result=True)
        return
    sentences = [f"{row['what']}: {row['cite']}" for row in rows]
    command = next_command(store, "explain", "bibtex", *([study] if study else []))
    sentences.append(f"Entries for BibTeX: `{command}`.")
    print_rows(Rows(rows if format != "table" else (), {}, sentences), format)


def _rows(study: "Study | None") -> Iterator[dict[str, Any]]:
    from engine.measures.catalogue import PRESENT
    from engine.report.references import PAPERS, REFERENCES, SOFTWARE_CITED, bibliography, papers_of

    yield {
        "what": "The software",
        "cite": SOFTWARE_CITED,
        "bibtex": bibliography(REFERENCES[:1]).strip(),
        "measures": [],
    }
    measures = list(PRESENT.values())
    if study is not None:
        from engine.explore.doctor import examine

        yield {"what": "The data", "cite": _data(study), "bibtex": None, "measures": []}
        answers = {each.measure: each.answer for each in examine(study, resamples=0).measures}
        measures = [measure for measure in measures if answers[measure.name] != "no"]
    for paper in PAPERS:
        names = [measure.name for measure in measures if paper in papers_of(measure.paper)]
        if names:
            what = f"If you report {join_names(names, last='or')} ({paper.name})"
            yield {"what": what, "cite": paper.cited, "bibtex": paper.entry, "measures": names}


def _data(study: "Study") -> str:
    """Return what a study says of where its data are from."""
    info = study.info
    parts = [str(info.title or info.dataset or study.name)]
    if info.source:
        parts.append(f"source: {info.source}")
    elif info.provenance == "imported":
        parts.append("no source is recorded: cite who collected them")
    if info.licence:
        parts.append(f"licence: {info.licence}")
    return full_stop("; ".join(parts))
