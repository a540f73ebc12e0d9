"""Texts of a study in HTML, Markdown and a shell's line: shown, never obeyed."""

import shlex
import subprocess

import pytest

from engine.report.escape import command, escape_markdown, markup, visible


def test_invisible_characters_are_escaped_and_other_texts_are_unchanged():
    assert visible("a\u202eb\u2028c\x00d\u2066") == r"a\u202eb\u2028c\u0000d\u2066"
    assert visible("שלום, 模型 \U0001f600\ttab\nline") == "שלום, 模型 \U0001f600\ttab\nline"


def test_markup_closes_neither_an_element_nor_an_attribute():
    assert markup("</script><b title='x' id=\"y\">&amp;") == (
        "&lt;/script&gt;&lt;b title=&#x27;x&#x27; id=&quot;y&quot;&gt;&amp;amp;"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# heading", r"\# heading"),
        ("1. item", r"1\. item"),
        ("- item", r"\- item"),
        ("a|b\nc", r"a\|b c"),
        ("*b* _i_ `c` [l](u) <t>", r"\*b\* \_i\_ \`c\` \[l\](u) \<t\>"),
        ("https://x.invalid www.x.invalid a@x.invalid", r"https:/\/x.invalid www\.x.invalid a&#64;x.invalid"),
        ("&lt; $x$ ~~s~~", r"&amp;lt; \$x\$ \~\~s\~\~"),
        ("1.83 [1.37, 2.31]", r"1\.83 \[1.37, 2.31\]"),
    ],
)
def test_markdown_characters_are_shown_literally_on_one_line(text, shown):
    assert escape_markdown(text) == shown


@pytest.mark.parametrize(
    "name", ["m1", "it's", "two words", "a\u202eb", "new\nline", "back\\slash\u2028", "$(x)`y`"]
)
def test_a_command_reaches_the_program_with_the_same_arguments_and_hides_nothing(name):
    line = command(shlex.join(["printf", "%s", name]))

    assert visible(line) == line
    assert "\n" not in line
    output = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert output.stdout.decode() == name
