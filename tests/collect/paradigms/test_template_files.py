"""Which template serves which paradigm, what a file of one's own must show, and what parts it may have."""

from pathlib import Path

import pytest

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.paradigms import templates
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.response_rows import ask_answer, ask_response, read_response
from engine.collect.paradigms.template_files import (
    answer_template,
    is_path,
    judging_templates,
    rewriting_template,
    shipped_template,
    shipped_variants,
    variants_of,
)
from engine.collect.paradigms.templates import MissingTextError, read_template, roles_of, split_parts
from engine.errors import UsageError
from engine.paradigms import TRAITS, Paradigm

PAIR = "{{prompt}} {{response_a}} {{response_b}}"


def own(folder: Path, text: str, name: str = "mine.txt") -> str:
    (folder / name).write_text(text, "utf-8")
    return name


def served(paradigms: list[Paradigm], variants: list[str], folder: Path) -> list[tuple[str, str]]:
    return [(each.kind, each.variant) for each in judging_templates(paradigms, variants, "general", folder)]


def test_templates_come_in_the_order_of_the_paradigms_and_a_variant_serves_all_that_have_it(
    tmp_path: Path,
) -> None:
    both: list[Paradigm] = ["single_rubric", "pairwise"]

    assert served(both, ["cot", "default"], tmp_path) == [
        ("single_rubric", "default"),
        ("pairwise", "cot"),
        ("pairwise", "default"),
    ]
    assert variants_of("single_rubric", both, ["cot", "default"], "general", tmp_path) == ["default"]
    assert variants_of("pairwise", both, ["cot", "default"], "general", tmp_path) == ["cot", "default"]
    assert served([], ["cot"], tmp_path) == []


def test_a_variant_that_serves_nothing_and_a_paradigm_without_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown variant 'cott' of pairwise; choose from: default, cot, "):
        served(["pairwise"], ["default", "cott"], tmp_path)
    with pytest.raises(
        UsageError, match=r"'single_rubric' has none of 'cot', 'forced'; choose from: default$"
    ):
        served(["single_rubric", "pairwise"], ["cot", "forced"], tmp_path)


def test_two_templates_of_a_paradigm_need_two_names(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    paths = [own(tmp_path, "{{prompt}} {{response}} {{rubric}}"), "other/mine.txt"]
    own(tmp_path / "other", "Judge {{prompt}} {{response}} {{rubric}}")

    with pytest.raises(
        UsageError, match=r"two templates of single_rubric share a name \(mine, mine\); rename"
    ):
        served(["single_rubric"], paths, tmp_path)
    assert served(["single_rubric"], ["default", paths[0]], tmp_path) == [
        ("single_rubric", "default"),
        ("single_rubric", "mine"),
    ]


def test_the_default_is_the_first_of_the_shipped_templates() -> None:
    assert shipped_variants("pairwise") == ("default", "cot", "forced", "forced_tie", "structured")
    assert shipped_variants("answer") == ("200_words", "boxed")


@pytest.mark.parametrize(
    ("name", "path"), [("a/b", True), ("a\\b", True), ("a.txt", True), ("a.text", False), ("txt", False)]
)
def test_a_path_has_a_slash_or_the_ending_of_a_template(name: str, path: bool) -> None:
    assert is_path(name) is path


def test_a_file_with_the_name_of_a_shipped_template_of_any_paradigm_is_refused(tmp_path: Path) -> None:
    path = own(tmp_path, "{{prompt}} {{response}} {{rubric}}", "forced_tie.txt")

    with pytest.raises(UsageError, match=r"has the name of a shipped one \('forced_tie'\), so"):
        served(["single_rubric"], [path], tmp_path)


def test_a_file_that_shows_too_little_or_what_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"names \{\{respons\}\}, which does not exist; choose from: prompt, "
    ):
        served(["single_rubric"], [own(tmp_path, "{{prompt}} {{respons}} {{rubric}}")], tmp_path)
    with pytest.raises(
        UsageError, match=r"does not show what is judged \(single_rubric: .*; pairwise: .*\); add"
    ):
        served(["single_rubric", "pairwise"], [own(tmp_path, "{{prompt}}")], tmp_path)


def test_a_file_serves_the_paradigm_whose_texts_it_shows(tmp_path: Path) -> None:
    all_of: list[Paradigm] = ["quality", "single_rubric", "score_rubric", "pairwise", "direct_assessment"]

    def kinds(text: str) -> list[str]:
        variants = [own(tmp_path, text), "default"]
        return [kind for kind, variant in served(all_of, variants, tmp_path) if variant == "mine"]

    assert kinds("{{prompt}} {{response}} {{rubric}}") == ["single_rubric"]
    # What must be shown is enough, and all that may be shown is not too much.
    assert kinds("{{response}} {{rubric}}") == ["single_rubric"]
    assert kinds(" ".join(f"{{{{{name}}}}}" for name in templates.SLOTS["single_rubric"])) == [
        "single_rubric"
    ]
    assert kinds("{{prompt}} {{response}}") == ["quality"]
    assert kinds(PAIR) == ["pairwise"]
    with_options = kinds("{{prompt}} {{response}} {{rubric}} {{options}}")
    assert with_options == ["score_rubric"]


def test_a_list_of_criteria_is_not_both_verdicts_and_a_score(tmp_path: Path) -> None:
    path = own(tmp_path, "{{prompt}} {{response}} {{rubrics}}")

    with pytest.raises(UsageError, match="fits all_rubrics and direct_assessment; run the two separately"):
        served(["all_rubrics", "direct_assessment"], [path], tmp_path)
    assert served(["all_rubrics"], [path], tmp_path) == [("all_rubrics", "mine")]
    assert served(["direct_assessment"], [path], tmp_path) == [("direct_assessment", "mine")]


def test_the_words_of_a_task_are_part_of_where_a_template_is_from() -> None:
    assert shipped_template("single_rubric", "default").file == "single_rubric/default.txt"
    assert (
        shipped_template("single_rubric", "default", "code").file
        == "single_rubric/default.txt+tasks/code.txt"
    )
    assert shipped_template("rewrite", "style", "code").file == "rewrite/style.txt"


def test_the_template_of_answers_is_the_default_whatever_its_file(tmp_path: Path) -> None:
    mine = answer_template(own(tmp_path, "In verse: {{prompt}}"), tmp_path)
    shipped = answer_template("boxed", tmp_path)

    assert (mine.kind, mine.variant, mine.text) == (
        "answer",
        "default",
        "--- user ---\nIn verse: {{prompt}}\n",
    )
    assert (shipped.kind, shipped.variant, shipped.file) == ("answer", "default", "answer/boxed.txt")
    with pytest.raises(UsageError, match="unknown template 'box'; choose from: 200_words, boxed, or give"):
        answer_template("box", tmp_path)


def test_a_rewriting_takes_the_template_of_its_name_unless_one_is_given(tmp_path: Path) -> None:
    assert rewriting_template("humorous", None, tmp_path).variant == "humorous"
    assert rewriting_template("loud", "humorous", tmp_path).variant == "humorous"
    assert rewriting_template("loud", own(tmp_path, "Shout {{response}}"), tmp_path).variant == "mine"
    with pytest.raises(UsageError, match="unknown template 'loud'; choose from: attractive, "):
        rewriting_template("loud", None, tmp_path)


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"\xe9")

    with pytest.raises(UsageError, match=r"the template 'none\.txt' cannot be read: .*; correct the path"):
        answer_template("none.txt", tmp_path)
    with pytest.raises(
        UsageError, match=r"'latin\.txt' cannot be read: it is not UTF-8 text; correct the path"
    ):
        answer_template("latin.txt", tmp_path)
    with pytest.raises(UsageError, match="is not a path; correct it"):
        answer_template("a\0/b", tmp_path)


def read(text: str, kind: templates.Kind = "single_rubric") -> templates.Template:
    return read_template(text, kind, "mine", "mine.txt")


SHOWN = "{{prompt}} {{response}} {{rubric}}"


def test_a_template_may_have_a_system_part_and_needs_a_user_part() -> None:
    assert read(f"--- system ---\nJudge.\n--- user ---\n{SHOWN}").render(
        {"prompt": "p", "response": "r", "rubric": "c"}
    ) == [{"role": "system", "content": "Judge."}, {"role": "user", "content": "p r c"}]
    assert (
        read(SHOWN.replace(" ", "\r\n\r\n")).text
        == "--- user ---\n{{prompt}}\n\n{{response}}\n\n{{rubric}}\n"
    )
    for text, problem in (
        (f"--- system ---\n{SHOWN}", "has no user part; write --- system --- and --- user ---"),
        (f"--- user ---\n \n--- system ---\n{SHOWN}", "has no user part"),
        (f"--- user ---\n{SHOWN}\n--- tool ---\nx", "has a part 'tool'; write --- system --- and"),
        (f"--- user ---\n{SHOWN}\n--- user ---\nx", "has the part 'user' twice; join them"),
        (f"Hello\n--- user ---\n{SHOWN}", "has text before its first part; move it into a part"),
    ):
        with pytest.raises(UsageError, match=problem):
            read(text)


def test_a_template_may_be_as_long_as_two_hundred_thousand_characters() -> None:
    assert read(SHOWN + "x" * (200_000 - len(SHOWN))).variant == "mine"
    with pytest.raises(UsageError, match=r"is longer than 200,000 characters; shorten it"):
        read(SHOWN + "x" * (200_001 - len(SHOWN)))


def test_a_slot_of_another_paradigm_and_a_missing_one_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"names \{\{rubrics\}\}, which single_rubric does not have; choose from"
    ):
        read(f"{SHOWN} {{{{rubrics}}}}")
    with pytest.raises(UsageError, match=r"does not show \{\{rubric\}\}, which single_rubric judges; add it"):
        read("{{prompt}} {{response}}")


def test_only_a_likelihood_is_of_an_assistants_words() -> None:
    continued = [name for name, traits in TRAITS.items() if traits.gives == "likelihood"]

    assert continued
    for name in TRAITS:
        parts = ("system", "user", "assistant") if name in continued else ("system", "user")
        assert roles_of(name) == parts
    assert roles_of("rewrite") == roles_of("answer") == ("system", "user")


def test_parts_run_to_the_next_mark_and_a_text_without_marks_is_the_users() -> None:
    assert split_parts("\n a \n", "f") == {"user": "a"}
    assert split_parts("\n---user---\n a\n\n--- system ---\t\n b", "f") == {"user": "a", "system": "b"}
    assert split_parts("--- user --- x", "f") == {"user": "--- user --- x"}


def test_words_of_a_task_must_exist() -> None:
    words = {"criterion": "a rule"}
    text = f"{SHOWN} is {{{{> criterion }}}}"

    assert "is a rule" in read_template(text, "single_rubric", "mine", "f", words).text
    with pytest.raises(UsageError, match="names the words 'task' of a task; choose from: criterion"):
        read_template(f"{SHOWN} {{{{>task}}}}", "single_rubric", "mine", "f", words)


CHAT = (
    '[{"role": "system", "content": "s"}, {"role": "tool", "content": "t"}, {"role": "user", "content": "q"}]'
)


def test_a_prompt_is_sent_as_its_messages_and_an_unknown_role_as_the_user() -> None:
    assert ask_response(RequestTexts(prompt="Hi")) == [{"role": "user", "content": "Hi"}]
    assert ask_response(RequestTexts(prompt=CHAT)) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "t"},
        {"role": "user", "content": "q"},
    ]
    assert ask_response(RequestTexts(prompt="[]")) == [{"role": "user", "content": "[]"}]
    with pytest.raises(MissingTextError, match="prompt"):
        ask_response(RequestTexts())


def test_the_last_message_is_put_into_a_template_whose_system_part_comes_first() -> None:
    template = read("--- system ---\nBe brief.\n--- user ---\nQ: {{prompt}}\n\n{{context?}}", "answer")

    assert ask_answer(template, RequestTexts(prompt=CHAT)) == [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": "s"},
        {"role": "user", "content": "t"},
        {"role": "user", "content": "Q: q"},
    ]
    [_, user] = ask_answer(template, RequestTexts(prompt="q", context="c"))
    assert user["content"] == "Q: q\n\nc"


def row(reply: Reply, transform: str = "none") -> dict[str, object]:
    request = CallRequest("generator", "m", None, "default", Subject("i", "g", transform=transform))
    return dict(read_response(request, reply))


def test_a_response_is_what_was_answered_or_the_refusal_and_never_thinking() -> None:
    assert row(Reply("x", finish_reason="stop", completion_tokens=7)) == {
        "instance_id": "i", "generator": "g", "text": "x", "finish_reason": "stop", "shortfall": None,
        "completion_tokens": 7, "transform": "none", "transformed_by": None,
    }  # fmt: skip
    thinking = row(Reply("Hm.", shortfall="only_thinking", completion_tokens=0))
    assert (thinking["text"], thinking["shortfall"], thinking["completion_tokens"]) == (
        "",
        "only_thinking",
        0,
    )
    refused = row(Reply("", finish_reason="stop", refusal="No."))
    assert (refused["text"], refused["finish_reason"]) == ("No.", "content_filter")
    assert row(Reply("x", completion_tokens=-1))["completion_tokens"] is None
    assert row(Reply("x"))["completion_tokens"] is None
    assert row(Reply("x"), "terse")["transformed_by"] == "m"
