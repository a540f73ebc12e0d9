"""Text from models and files, shown as text: Markdown and mathematics are rewritten, no markup passes."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from html import escape

import streamlit as st
from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode as Node

# ------------------------------------------------------------------------------
# Mathematics in untrusted Markdown: where it is, and whether it may be rendered.


LONGEST_FORMULA, DEEPEST, MOST_LINES = 2_000, 20, 60

_ENVIRONMENTS = {"aligned", "align*", "array", "cases", "gathered", "matrix", "bmatrix", "pmatrix", "vmatrix"}
_COMMANDS = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
    Phi Psi Omega ell hbar imath jmath Re Im aleph partial nabla infty emptyset varnothing angle degree
    frac dfrac tfrac cfrac binom dbinom tbinom sqrt sum prod coprod int iint iiint oint bigcup bigcap bigvee
    bigwedge bigoplus bigotimes lim limsup liminf max min sup inf arg argmax argmin det dim exp gcd hom ker
    ln log lg deg Pr sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth mod bmod pmod
    operatorname limits nolimits substack overset underset stackrel
    cdot cdots ldots dots dotsb dotsc vdots ddots times div pm mp ast star circ bullet oplus ominus otimes
    odot wedge vee cap cup setminus land lor lnot neg
    le leq leqslant ge geq geqslant lt gt ne neq approx equiv sim simeq cong propto ll gg prec succ preceq
    succeq subset subseteq supset supseteq in notin ni mid nmid parallel perp vdash models
    to gets mapsto leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow longrightarrow
    Longrightarrow implies iff uparrow downarrow hookrightarrow rightharpoonup xrightarrow xleftarrow
    forall exists nexists therefore because top bot square triangle checkmark prime
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr langle rangle lfloor rfloor lceil
    rceil lvert rvert lVert rVert vert Vert lbrace rbrace lbrack rbrack backslash colon
    hat widehat bar vec dot ddot tilde widetilde check acute grave breve overline underline overbrace
    underbrace overrightarrow boxed cancel bcancel
    text textbf textit textrm texttt mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr
    boldsymbol bm pmb displaystyle textstyle quad qquad
    begin end hline
    """
_ALLOWED = frozenset(re.findall("[A-Za-z]+", _COMMANDS))
_SIGNS = set(",;:!{}|\\ %&#_")
_CLOSING = {"$$": "$$", "$": "$", "\\(": "\\)"}
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*(?:\{([^{}]*)\})?")
_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|texttt|mathrm|operatorname)\s*\{[^{}]*\}")
_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,},? +[A-Za-z]{3,}(?![A-Za-z])")


def formula_of(content: str, *, prose: bool = False) -> str | None:
    """Return the formula on one line; None if it is no formula or contains anything not allowed.

    With `prose`, two adjacent words make it prose between two dollar signs.
    """
    formula = " ".join(content.split())
    if not formula or len(formula) > LONGEST_FORMULA or not formula.isprintable() or set(formula) & set("`$"):
        return None
    if re.search(r"\]\(|@|www\.", formula, re.IGNORECASE):  # in case a Markdown reader misses the formula
        return None
    if prose and _PROSE.search(_TEXT.sub("", formula)):
        return None
    allowed = all(name in _ALLOWED or name in _SIGNS for name in _COMMAND.findall(formula))
    spaced_rows = re.search(r"\\\\\s*\*?\s*\[", formula)
    closed = allowed and not spaced_rows and _balanced(formula) and _environments_close(formula)
    spaced = re.sub(r"[<:](?=\S)", r"\g<0> ", formula)  # no tag, no directive; spaces have no meaning here
    return spaced if closed and not formula.endswith("\\") else None


def _balanced(formula: str) -> bool:
    depth = 0
    for sign in re.sub(r"\\.", "", formula):
        depth += (sign == "{") - (sign == "}")
        if not 0 <= depth <= DEEPEST:
            return False
    return depth == 0


def _environments_close(formula: str) -> bool:
    names: list[str] = []
    for word, name in _ENVIRONMENT.findall(formula):
        if name not in _ENVIRONMENTS:
            return False
        if word == "begin":
            names.append(name)
        elif not names or names.pop() != name:
            return False
    return not names


def read_inline(state: StateInline, silent: bool) -> bool:
    r"""Read `$...$`, `$$...$$` or `\(...\)`; an inline rule of the parser.

    A single dollar sign opens only before a non-space, and closes only after a non-space and not before a
    digit, so that sums of money stay text.
    """
    opening = next((mark for mark in _CLOSING if state.src.startswith(mark, state.pos)), None)
    if opening is None:
        return False
    closing = _CLOSING[opening]
    start = state.pos + len(opening)
    end = state.src.find(closing, start, min(start + LONGEST_FORMULA, state.posMax))
    content, after = state.src[start:end], state.src[end + len(closing) : end + len(closing) + 1]
    if end < 0 or not content.strip() or state.src[start - 2 : start] == "\\$":
        return False
    if opening == "$" and (content != content.strip() or after.isdigit()):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.markup = content, opening
        token.meta = {"written": f"{opening}{content}{closing}"}
    state.pos = end + len(closing)
    return True


def read_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""Read `$$ ... $$` or `\[ ... \]` on lines of their own; a block rule of the parser."""
    first = _line(state, start)
    opening = first[:2]
    if opening not in ("$$", "\\[") or state.is_code_block(start):
        return False
    closing = {"$$": "$$", "\\[": "\\]"}[opening]
    lines = []
    for line in range(start, min(end, start + MOST_LINES)):
        text = first[2:] if line == start else _line(state, line)
        if line > start and (not text.strip() or state.sCount[line] < state.blkIndent):
            return False
        before, closed, after = text.partition(closing)
        lines.append(before)
        if closed:
            break
    else:
        return False
    if after.strip(" .,;") or not "".join(lines).strip():
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.content, token.map = "\n".join(lines), [start, line + 1]
    state.line = line + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


# ------------------------------------------------------------------------------
# Untrusted Markdown made harmless: parsed, and rewritten from an allowlist.


LONGEST = 20_000
"""Characters of the longest text that is rendered; longer ones are shown plain."""

LANGUAGES = {"bash", "c", "cpp", "css", "go", "html", "java", "javascript", "json", "python", "r", "rust"}
LANGUAGES |= {"sh", "sql", "toml", "typescript", "xml", "yaml"}
"""Languages of code that is highlighted; not `mermaid` and `math`, which would be drawn."""

JOINER = "\u2060"
"""Word joiner: has no width and prevents a line break."""

_MEANINGFUL = frozenset("\\`*_{}[]()<>#+-.|~$:&@=^!")
_ACTED_ON = re.compile(r":(?!\s)|@|www|(?<=[<~>-])(?=[>=-])", re.IGNORECASE)
"""Where Streamlit could recognise an address, a shortcode or an arrow."""
_SPACES = re.compile("[ \x00-\x1f\x7f\x85\u2028\u2029]+")
_HALF = re.compile("[\ud800-\udfff]")
_INTERRUPTS = ("bullet_list", "ordered_list")


def safe_markdown(text: str) -> str:
    """Return Markdown that shows the text's structure and words, and does nothing else."""
    valid = _HALF.sub("\ufffd", text)
    return "\n".join(_blocks(Node(_parser().parse(valid)).children))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])
    parser.inline.ruler.before("escape", "math", read_inline)
    interrupted: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", read_block, interrupted)
    return parser


def _blocks(nodes: list[Node]) -> list[str]:
    """Return the lines of blocks, separated by blank lines except before a list in a tight item."""
    lines: list[str] = []
    for place, node in enumerate(nodes):
        tight = place > 0 and nodes[place - 1].hidden and node.type in _INTERRUPTS
        if lines and not (tight and node.attrs.get("start", 1) == 1):
            lines.append("")
        lines += _block(node)
    return lines


def _block(node: Node) -> list[str]:
    if node.type == "heading":
        words = _inline(node).replace("\\\n", " ").replace("\n", " ")
        return [f"{'#' * int(node.tag[1])} {words}"]
    if node.type in _INTERRUPTS:
        return _list(node)
    if node.type == "blockquote":
        return [f"> {line}".rstrip() for line in _blocks(node.children)]
    if node.type in ("fence", "code_block"):
        language = node.info.split()[0].lower() if node.info.split() else ""
        return _code(node.content, language if language in LANGUAGES else "")
    if node.type == "math_block":
        formula = formula_of(node.content)
        return _code(node.content, "") if formula is None else ["$$", formula, "$$"]
    if node.type == "hr":
        return ["___"]
    if node.type == "table":
        return _table(node)
    return _inline(node).split("\n")


def _code(content: str, language: str) -> list[str]:
    fence = "`" * max(3, _longest_run(content) + 1)
    return [fence + language, *content.removesuffix("\n").split("\n"), fence]


def _longest_run(content: str) -> int:
    return max((len(run) for run in re.findall("`+", content)), default=0)


def _list(node: Node) -> list[str]:
    """Return a list's lines, with blank lines between items if the text has them."""
    start = int(node.attrs.get("start", 1))
    loose = any(
        not block.hidden for item in node.children for block in item.children if block.type == "paragraph"
    )
    lines: list[str] = []
    for place, item in enumerate(node.children):
        marker = f"{start + place}{node.markup}" if node.type == "ordered_list" else node.markup
        first, *rest = _blocks(item.children) or [""]
        if loose and lines:
            lines.append("")
        lines.append(f"{marker} {first}".rstrip())
        lines += [f"{' ' * (len(marker) + 1)}{line}".rstrip() for line in rest]
    return lines


def _table(node: Node) -> list[str]:
    rows = [row.children for part in node.children for row in part.children]
    lines = ["| " + " | ".join(_inline(cell, in_cell=True) for cell in row) + " |" for row in rows]
    rules = {"left": ":--", "right": "--:", "center": ":-:"}
    styles = [str(cell.attrs.get("style", "")).removeprefix("text-align:") for cell in rows[0]]
    lines.insert(1, "| " + " | ".join(rules.get(style, "---") for style in styles) + " |")
    return lines


def _inline(node: Node, *, in_cell: bool = False) -> str:
    """Return the content of a paragraph, heading or cell."""
    parts = [_pieces(child, in_cell) for inline in node.children for child in inline.children]
    return _join(parts).strip(" ")


def _pieces(node: Node, in_cell: bool) -> str:
    if node.type in ("em", "strong", "s"):
        mark = {"em": "*", "strong": "**", "s": "~~"}[node.type]
        inner = _join([_pieces(child, in_cell) for child in node.children])
        inner = re.sub("^ | $", "&#32;", inner)  # a space there would undo the emphasis, or begin a list
        return _join([mark, inner, mark])
    if node.type == "code_inline":
        return _code_span(node.content, in_cell)
    if node.type == "math":
        formula = formula_of(node.content, prose=node.markup == "$")
        if formula is None:
            return escape_markdown(node.meta["written"])
        bar = in_cell and "|" in formula
        return _code_span(node.meta["written"], in_cell) if bar else f"${formula}$"
    if node.type == "softbreak":
        return "\n"
    if node.type == "hardbreak":
        return "\\\n"
    return escape_markdown(node.content)


def _join(parts: list[str]) -> str:
    """Join pieces so that the mark ending one never merges with the mark beginning the next."""
    text = ""
    for part in parts:
        runs_in = text and part and text[-1] in "`$~" and part[0] == text[-1]
        text += JOINER + part if runs_in else part
    return text


def _code_span(content: str, in_cell: bool) -> str:
    """Return a code span; in a table cell, one with a bar is text, as a bar would end the cell."""
    content = _SPACES.sub(" ", content)
    if (in_cell and "|" in content) or not content.strip(" "):
        return escape_markdown(content)
    mark = "`" * (_longest_run(content) + 1)
    return f"{mark} {content} {mark}"


def escape_markdown(text: str) -> str:
    """Return Markdown that shows a text literally, on one line."""
    broken = _ACTED_ON.sub(lambda match: match.group() + JOINER, _SPACES.sub(" ", text))
    return "".join(f"&#{ord(sign)};" if sign in _MEANINGFUL else sign for sign in broken)


# ------------------------------------------------------------------------------
# Texts of a study: plain, or rendered from Markdown that was made harmless.


LONG = 1_400
"""Characters above which a text scrolls."""

BOX = 380
"""Height in pixels of the box in which it scrolls."""


def show(
    text: str | None,
    key: str,
    *,
    rendered: bool,
    absent: str = "This study holds no such text.",
    border: bool = True,
    small: bool = False,
) -> None:
    """Show a text in a box, or `absent` if there is none; `key` names the box on its page."""
    long = text is not None and (len(text) > LONG or text.count("\n") > LONG // 60)
    name = f"text_{direction(text or '')}_{'small_' if small else ''}{key}"
    with st.container(border=border, key=name, height=BOX if long else "content"):
        if text is None:
            st.text(absent)
        else:
            write(text or "(empty)", rendered=rendered)


def show_verbatim(text: str, key: str) -> None:
    """Show a text verbatim, in a box with a copy button."""
    long = len(text) > LONG or text.count("\n") > LONG // 60
    with st.container(key=f"text_{direction(text)}_small_{key}"):
        st.code(text, language=None, wrap_lines=True, height=BOX if long else "content")


def write(text: str, *, rendered: bool) -> None:
    """Write a text into the current container."""
    if not rendered or len(text) > LONGEST:
        st.text(text)
    else:
        st.markdown(safe_markdown(text), anchors=False)
    if rendered and len(text) > LONGEST:
        st.text(f"Shown plain: only texts of up to {LONGEST:,} characters are rendered.")


def direction(text: str) -> str:
    """Return `rtl` if the first letter with a direction runs from right to left, else `ltr`."""
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind in ("L", "R", "AL"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"


# ------------------------------------------------------------------------------
# Two texts side by side, with their differences marked.


_WORDS = re.compile(r"\S+\s*|\s+")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
MOST_PARTS = 2_000
"""Words that are compared, apart from a common beginning and end. Of more, lines are; of more lines, none is.

Comparing takes time by the square of their number: a third of a second for as many, whatever they say.
"""


def differences(first: str, second: str) -> tuple[str, str]:
    """Return both texts as HTML: all their characters escaped, and `<mark>` around what the other lacks."""
    left, right = _WORDS.findall(first), _WORDS.findall(second)
    if _longest_middle(left, right) > MOST_PARTS:
        left, right = _LINES.findall(first), _LINES.findall(second)
    blocks = _matches([part.strip() for part in left], [part.strip() for part in right])
    return (
        _html((is_common, left[start:end]) for is_common, start, end, _, _ in blocks),
        _html((is_common, right[start:end]) for is_common, _, _, start, end in blocks),
    )


def _longest_middle(left: list[str], right: list[str]) -> int:
    head, tail = _common_ends(left, right)
    return max(len(left), len(right)) - head - tail


def _common_ends(left: list[str], right: list[str]) -> tuple[int, int]:
    """Return how many parts two texts share at their beginning, and at the end of what is left."""
    shortest = min(len(left), len(right))
    head = next((place for place in range(shortest) if left[place] != right[place]), shortest)
    rest = shortest - head
    tail = next((place for place in range(rest) if left[-1 - place] != right[-1 - place]), rest)
    return head, tail


def _matches(left: list[str], right: list[str]) -> list[tuple[bool, int, int, int, int]]:
    """Return the blocks of two texts, each with whether both have it, and where it is in either."""
    head, tail = _common_ends(left, right)
    left_end, right_end = len(left) - tail, len(right) - tail
    middle: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, left_end - head, 0, right_end - head)]
    if _longest_middle(left, right) <= MOST_PARTS:
        middle = SequenceMatcher(None, left[head:left_end], right[head:right_end]).get_opcodes()
    return [
        (True, 0, head, 0, head),
        *((tag == "equal", head + a, head + b, head + c, head + d) for tag, a, b, c, d in middle),
        (True, left_end, len(left), right_end, len(right)),
    ]


def _html(blocks: Iterable[tuple[bool, list[str]]]) -> str:
    pieces = []
    for is_common, parts in blocks:
        text = escape("".join(parts))
        if text:
            pieces.append(text if is_common else f"<mark>{text}</mark>")
    return "".join(pieces)
