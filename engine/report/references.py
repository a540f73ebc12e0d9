"""Works to cite: this software, the papers whose measures it computes, and those of its methods."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.version import __version__

SOFTWARE = "Self-preference explorer"
CONTRIBUTORS = "The self-preference explorer's contributors"
LICENCE = "Apache-2.0"
RELEASED = 2026
"""The year of the changelog's entry on this version."""
SOFTWARE_CITED = f"{CONTRIBUTORS}. {SOFTWARE} (version {__version__}). {RELEASED}. Software, {LICENCE}."


@dataclass(frozen=True)
class Paper:
    """A paper whose measures are computed; `name` is what measures call it."""

    name: str
    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    arxiv: str
    doi: str = ""

    @property
    def urls(self) -> tuple[str, ...]:
        """Where it can be read."""
        return (f"https://arxiv.org/abs/{self.arxiv}", *([f"https://doi.org/{self.doi}"] if self.doi else []))

    @property
    def cited(self) -> str:
        """The paper as a list of references has it."""
        of = f"{', '.join(self.authors)}. {self.title}. {self.year}. arXiv:{self.arxiv}"
        return f"{of}, {', '.join(self.urls)}"

    @property
    def entry(self) -> str:
        """Its entry for BibTeX."""
        return (
            f"@misc{{{self.key},\n"
            f"  title = {{{{{self.title}}}}},\n"
            f"  author = {{{' and '.join(self.authors)}}},\n"
            f"  year = {{{self.year}}},\n"
            f"  eprint = {{{self.arxiv}}},\n  archivePrefix = {{arXiv}},\n"
            + (f"  doi = {{{self.doi}}},\n" if self.doi else "")
            + f"  url = {{{self.urls[-1]}}},\n"
            "}"
        )


PAPERS = (
    Paper(
        "rubric-self-preference",
        "pombal2026selfpreference",
        ("José Pombal", "Ricardo Rei", "André F. T. Martins"),
        "Self-Preference Bias in Rubric-Based Evaluation of Large Language Models",
        2026,
        "2604.06996",
    ),
    Paper(
        "rubric-position-bias",
        "xu2026pointwise",
        ("Yuzheng Xu", "Tosho Hirasawa", "Tadashi Kozuno", "Yoshitaka Ushiku"),
        "Am I More Pointwise or Pairwise? Revealing Position Bias in Rubric-Based LLM-as-a-Judge",
        2026,
        "2602.02219",
    ),
    Paper(
        "equal-quality-pairs",
        "yang2026quantifying",
        ("Jinming Yang", "Chuxian Qiu", "Zhenyu Deng", "Xinshan Jiao", "Tao Zhou"),
        "Quantifying and Mitigating Self-Preference Bias of LLM Judges",
        2026,
        "2604.22891",
    ),
    Paper(
        "evaluator-quality-baseline",
        "roytburg2026narcissists",
        (
            *("Dani Roytburg", "Matthew Bozoukov", "Matthew Nguyen", "Jou Barzdukas"),
            *("Mackenzie Puig-Hall", "Narmeen Oozeer"),
        ),
        "Are LLM Evaluators Really Narcissists? Sanity Checking Self-Preference Evaluations",
        2026,
        "2601.22548",
    ),
    Paper(
        "dbg-score",
        "chen2025beyond",
        ("Zhi-Yuan Chen", "Hao Wang", "Xinyu Zhang", "Enrui Hu", "Yankai Lin"),
        "Beyond the Surface: Measuring Self-Preference in LLM Judgments",
        2025,
        "2506.02592",
        "10.18653/v1/2025.emnlp-main.86",
    ),
)
"""The papers whose measures are computed, each by the name that measures and data sets give it."""


def papers_of(source: str) -> tuple[Paper, ...]:
    """Return the papers that a measure's source names."""
    return tuple(paper for paper in PAPERS if paper.name in source)


@dataclass(frozen=True)
class Reference:
    """A work that the methods cite: its key, how the text cites it, and its entry for BibTeX."""

    key: str
    cited: str
    entry: str


REFERENCES = (
    Reference(
        "spbexplorer",
        SOFTWARE,
        "@software{{spbexplorer,\n"
        f"  title = {{{{{SOFTWARE}}}}},\n"
        f"  author = {{{{{{{{{CONTRIBUTORS}}}}}}}}},\n"
        f"  year = {{{{{RELEASED}}}}},\n"
        "  version = {{{version}}},\n"
        "}}",
    ),
    Reference(
        "benjamini1995controlling",
        "Benjamini and Hochberg, 1995",
        "@article{{benjamini1995controlling,\n"
        "  title = {{Controlling the false discovery rate: a practical and powerful approach to multiple "
        "testing}},\n"
        "  author = {{Benjamini, Yoav and Hochberg, Yosef}},\n"
        "  journal = {{Journal of the Royal Statistical Society: Series B}},\n"
        "  volume = {{57}},\n  number = {{1}},\n  pages = {{289--300}},\n  year = {{1995}},\n"
        "}}",
    ),
    Reference(
        "bell2002bias",
        "Bell and McCaffrey, 2002",
        "@article{{bell2002bias,\n"
        "  title = {{Bias reduction in standard errors for linear regression with multi-stage samples}},\n"
        "  author = {{Bell, Robert M. and McCaffrey, Daniel F.}},\n"
        "  journal = {{Survey Methodology}},\n"
        "  volume = {{28}},\n  number = {{2}},\n  pages = {{169--181}},\n  year = {{2002}},\n"
        "}}",
    ),
    Reference(
        "efron1993introduction",
        "Efron and Tibshirani, 1993",
        "@book{{efron1993introduction,\n"
        "  title = {{An introduction to the bootstrap}},\n"
        "  author = {{Efron, Bradley and Tibshirani, Robert J.}},\n"
        "  publisher = {{Chapman and Hall}},\n  year = {{1993}},\n"
        "}}",
    ),
    Reference(
        "cameron2011robust",
        "Cameron et al., 2011",
        "@article{{cameron2011robust,\n"
        "  title = {{Robust inference with multiway clustering}},\n"
        "  author = {{Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.}},\n"
        "  journal = {{Journal of Business and Economic Statistics}},\n"
        "  volume = {{29}},\n  number = {{2}},\n  pages = {{238--249}},\n  year = {{2011}},\n"
        "}}",
    ),
    Reference(
        "bradley1952rank",
        "Bradley and Terry, 1952",
        "@article{{bradley1952rank,\n"
        "  title = {{Rank analysis of incomplete block designs: I. The method of paired comparisons}},\n"
        "  author = {{Bradley, Ralph Allan and Terry, Milton E.}},\n"
        "  journal = {{Biometrika}},\n"
        "  volume = {{39}},\n  number = {{3/4}},\n  pages = {{324--345}},\n  year = {{1952}},\n"
        "}}",
    ),
    Reference(
        "calderon2025alternative",
        "Calderon et al., 2025",
        "@inproceedings{{calderon2025alternative,\n"
        "  title = {{The alternative annotator test for {{LLM}}-as-a-judge: how to statistically justify "
        "replacing human annotators with {{LLMs}}}},\n"
        "  author = {{Calderon, Nitay and Reichart, Roi and Dror, Rotem}},\n"
        "  booktitle = {{Proceedings of the 63rd Annual Meeting of the Association for Computational "
        "Linguistics}},\n  year = {{2025}},\n"
        "}}",
    ),
)
"""The works that an audit may cite."""


def references_of(methods: Sequence[str]) -> tuple[Reference, ...]:
    """Return the works that the paragraphs cite."""
    text = " ".join(methods)
    return tuple(each for each in REFERENCES if each.cited in text)


def bibliography(references: Sequence[Reference]) -> str:
    """Return the entries of works for BibTeX."""
    entries = (each.entry.format(version=__version__) for each in references)
    return "\n\n".join(entries) + "\n"
