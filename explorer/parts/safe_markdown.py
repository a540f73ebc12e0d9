"""Untrusted Markdown made harmless: parsed, and rewritten from an allowlist."""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.tree import SyntaxTreeNode as Node

from explorer.parts.mathematics import formula_of, read_block, read_inline

LONGEST = 20_000
"""Characters of the longest text that is rendered; longer ones are shown plain."""


LANGUAGES = {"bash", "c", "cpp", "css", "go", "html", "java", "javascript", "json", "python", "r", "rust"}


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
