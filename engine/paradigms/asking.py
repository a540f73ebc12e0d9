"""Texts into the places of a template, each between tags that it cannot hold."""

from collections.abc import Iterable, Mapping

from engine.calls import Message, Request
from engine.conversation import conversation
from engine.paradigms.fence import Fence, fence_for
from engine.paradigms.template import MissingTextError, Template
from engine.paradigms.texts import Criterion, Texts


def fence_of(texts: Texts) -> Fence:
    """Return the fence of a request's texts."""
    shared = [texts.prompt, texts.response, texts.opponent, texts.reference_answer, texts.context]
    criteria = [each.text for each in texts.criteria]
    options = [option.text for each in texts.criteria for option in each.options]
    return fence_for([text for text in shared if text is not None], [*criteria, *options])


def shared_values(texts: Texts, fence: Fence) -> dict[str, str | None]:
    """Return the values that every way of judging may show."""
    return {
        "prompt": _prompt(texts.prompt, fence),
        "response": fenced(fence, "response", texts.response),
        "reference_answer": fenced(fence, "reference-answer", texts.reference_answer or None),
        "context": fenced(fence, "context", texts.context or None),
    }


def fenced(fence: Fence, name: str, text: str | None) -> str | None:
    """Return the text between tags, None where there is none; an empty text is there."""
    return None if text is None else fence.around(name, text)


def _prompt(prompt: str | None, fence: Fence) -> str | None:
    """Return the conversation between tags; each of several messages between its own."""
    if prompt is None:
        return None
    messages = conversation(prompt)
    if len(messages) == 1 and messages[0].role == "user":
        return fence.around("prompt", messages[0].text)
    if not messages:
        return fence.around("prompt", prompt)
    turns = [fence.around(_tag(message.role), message.text) for message in messages]
    return fence.around("prompt", "\n".join(turns))


def _tag(role: str) -> str:
    return role if role in ("user", "assistant", "system", "developer", "tool") else "user"


def numbered(criteria: Iterable[Criterion], *, marks: bool) -> str | None:
    """Return criteria as a numbered list; with `marks` the undesirable ones are marked as such."""
    lines = []
    for number, each in enumerate(criteria, 1):
        mark = "(undesirable) " if marks and each.undesirable else ""
        lines.append(f"{number}. {mark}{_indented(each.text, len(str(number)) + 2)}")
    return "\n".join(lines) or None


def _indented(text: str, width: int) -> str:
    return text.replace("\n", "\n" + " " * width)


def values_of(texts: Texts, fence: Fence, more: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the shared values with those of one way of judging."""
    return shared_values(texts, fence) | dict(more)


def ask_of_list(request: Request, template: Template, texts: Texts, *, marks: bool) -> list[Message]:
    """Return the messages about a list of criteria; MissingTextError where one has no words."""
    if len(texts.criteria) != len(request.subject.rubric_ids):
        raise MissingTextError("rubrics")
    fence = fence_of(texts)
    criteria = numbered(texts.criteria, marks=marks)
    more = {"rubrics": fenced(fence, "criteria", criteria), "count": str(len(texts.criteria))}
    return template.render(values_of(texts, fence, more))
