"""Hostile Markdown is shown, and does nothing; honest Markdown keeps its structure."""

import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from explorer.parts.safe_markdown import JOINER, LONGEST, escape_markdown, safe_markdown

LIVELY = MarkdownIt("commonmark").enable(["table", "strikethrough"])
"""A parser that reads everything that could do harm."""

ACTING = {"link_open", "image", "html_inline", "html_block"}

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text <b onmouseover=alert(1)>bold</b> <!-- hidden --> <?php ?> <![CDATA[x]]>",
    "[click](javascript:alert(1)) [ref][1] [1]\n\n[1]: http://x.invalid",
    "![pixel](http://x.invalid/p.png) ![ref][1]\n\n[1]: http://x.invalid/p.png",
    "[![nested](http://x.invalid/p.png)](http://x.invalid)",
    "<http://x.invalid> http://x.invalid www.x.invalid a@x.invalid <a@x.invalid>",
    "[^1] footnote\n\n[^1]: http://x.invalid",
    ":red[red] :material/home: :streamlit: :smile: :blue-background[x] :::note\nx\n:::",
    "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{http://x.invalid/p.png}$ $\\htmlClass{a}{b}$",
    "$$\n\\url{http://x.invalid}\n$$\n\n\\[\\htmlData{a=b}{c}\\]",
    "```mermaid\ngraph TD; A-->B; click A href 'javascript:alert(1)'\n```",
    "```math\n\\href{http://x.invalid}{x}\n```",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#91;x&#93;(http://x.invalid)",
    "`a```` <b>x</b> `` [x](http://x.invalid) `",
    "&#32;~~~~mermaid x~~~~\ngraph TD",
    "| `a\\|b` | <b> |\n|--|--|\n| [x](http://x.invalid) | `c \\\\| d` [y](http://x.invalid) ` |",
    "&#10;&#10;    <script>x</script>&#10;# heading",
]


def acting(markdown: str) -> set[str]:
    """Return the active elements of a Markdown text, without mathematics, which has its own parser."""
    prose = re.sub(r"^\$\$$.*?^\$\$$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    tokens = [token for block in LIVELY.parse(prose) for token in (block, *(block.children or ()))]
    actions = {token.type for token in tokens} & ACTING
    words = [token.content for token in tokens if token.type == "text"]
    if any(re.search(r"https?://|www(?=\.)|[-.\w+]+@[-\w]|:[\w+-]+[:/]", word, re.I) for word in words):
        actions.add("searched for")
    actions |= {
        token.info for token in tokens if token.type == "fence" if token.info.lower() in ("mermaid", "math")
    }
    return actions | ({"directive"} if re.search(r":[a-z-]+\[", outside_code(prose)) else set())


def outside_code(markdown: str) -> str:
    return re.sub(r"^(`{3,})\w*$.*?^\1$|(`+).*?\2", "", markdown, flags=re.DOTALL | re.MULTILINE)


def visible(markdown: str) -> str:
    """Return the words that a reader sees, without spaces."""
    tokens = [child for block in LIVELY.parse(markdown) for child in (block, *(block.children or ()))]
    kinds = ("text", "code_inline", "fence")
    words = "".join(token.content for token in tokens if token.type in kinds)
    return re.sub(rf"[\s{JOINER}]", "", words)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_does_nothing(text):
    assert acting(safe_markdown(text)) == set()


@pytest.mark.parametrize("text", [text for text in HOSTILE if not text.startswith(("$", "`a", "&"))])
def test_the_same_texts_would_do_something_untreated(text):
    assert acting(text) != set()


PIECES = [*HOSTILE, "`", "``", "```", "~~", "~~~", "*", "**", "_", "$", "$$", "\\(", "\\)", "\\[", "\\]"]
PIECES += ["|", "\n", "\n\n", "> ", "- ", "1. ", "# ", "    ", "\\", "](", "[", "x", " ", ":", "@", "&#32;"]
PIECES += ["a|b\n-|-\n", "x^2", "\\frac{1}{2}", "---\n", "===\n", "\t", "\r", "\x00", "\u2028", "&nbsp;"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("*&#32;x*")
@example("`a`$`$`b`")
def test_no_mixture_of_marks_does_anything(text):
    assert acting(safe_markdown(text)) == set()


@given(st.text(max_size=200))
def test_any_text_is_shown_literally_when_escaped(text):
    whole = "".join(sign for sign in text if not "\ud800" <= sign <= "\udfff")
    tokens = LIVELY.parseInline(f"x{escape_markdown(whole)}x")[0].children

    content = "".join(token.content for token in tokens)
    spaced = re.sub("[ \x00-\x1f\x7f\x85\u2028\u2029]+", " ", whole)

    assert content.replace(JOINER, "") == f"x{spaced.replace(JOINER, '')}x"


def test_every_word_of_a_hostile_text_is_still_shown():
    text = visible(
        safe_markdown("Read [this](http://x.invalid/a) <b>now</b> ![or](c.png) :red[never] a@b.org")
    )

    assert text == "Read[this](http://x.invalid/a)<b>now</b>![or](c.png):red[never]a@b.org"


def structure(markdown: str) -> list[str]:
    return [token.type for token in LIVELY.parse(markdown) if token.type != "inline"]


@pytest.mark.parametrize(
    "text",
    [
        "# One\n\nWords *with* **weight** and `code`.\n\n## Two",
        "- a\n- b\n  - c\n    1. d\n    2. e\n- f",
        "1. one\n\n   more of one\n\n2. two",
        "3) three\n4) four",
        "> quoted\n>\n> - in a list\n\nafter",
        "| a | b |\n|:--|--:|\n| 1 | 2 |",
        "```python\nprint(1)\n\nprint(2)\n```",
        "- item\n\n  ```\n  code\n  ```\n",
        "above\n\n---\n\nbelow",
        "- one\n\n* another list",
    ],
)
def test_structure_is_kept(text):
    assert structure(safe_markdown(text)) == structure(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so $x^2 + y_1$ it is", "so $x^2 + y_1$ it is"),
        (r"so \(a \le b\) it is", r"so $a \le b$ it is"),
        ("$$\n\\frac{1}{2}\n$$", "$$\n\\frac{1}{2}\n$$"),
        ("\\[\n\\begin{cases} 1 \\\\ 2 \\end{cases}\n\\]", "$$\n\\begin{cases} 1 \\\\ 2 \\end{cases}\n$$"),
        ("- so:\n  $$x = 1$$", "- so&#58;\u2060\n\n  $$\n  x = 1\n  $$"),
    ],
)
def test_mathematics_is_kept(text, expected):
    assert safe_markdown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 and $10",
        "from US$ 5 to US$ 10",
        "between $20 per month, or so$",
        "$x",
        "$\\frac{1}{2$",
        "$}{$",
        "$\\begin{cases} 1$",
        "$\\rule{1000em}{1000em}$",
        "$\\\\[1000em]$",
        "$\\def\\x{\\x}\\x$",
        "$" + "{" * 40 + "}" * 40 + "$",
        "$" + "x" * 3000 + "$",
    ],
)
def test_text_that_is_not_safe_mathematics_stays_text(text):
    assert "$" not in safe_markdown(text)


def test_code_is_highlighted_only_in_languages_that_are_not_drawn():
    assert safe_markdown("```python\nx\n```").startswith("```python\n")
    assert safe_markdown("```Mermaid\nx\n```").startswith("```\n")


def test_code_that_contains_fences_stays_one_block():
    text = safe_markdown("````\n```\n<b>\n```\n````")

    assert [token.type for token in LIVELY.parse(text)] == ["fence"]


@pytest.mark.parametrize(
    "piece", ["$", "$$\n", "*a **b ", "`" * 3 + " ", "[", "> ", "- ", "\\(", "|-", "~~", "<"]
)
def test_the_work_for_a_hostile_text_grows_no_faster_than_its_length(piece):
    half, whole = (calls_of(safe_markdown, (piece * LONGEST)[:length]) for length in (LONGEST // 2, LONGEST))

    assert whole < 2.5 * half


def calls_of(function, text):
    """Return the number of function calls and returns while a text is read: its work, without a clock."""
    events = 0

    def count(frame, event, argument):  # noqa: ARG001
        nonlocal events
        events += 1

    sys.setprofile(count)
    try:
        function(text)
    finally:
        sys.setprofile(None)
    return events
