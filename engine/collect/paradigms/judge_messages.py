"""The messages to a judge, for each paradigm; `answers` reads its reply."""

from engine.collect.calls import CallRequest, Message
from engine.collect.paradigms.answers.pairwise import in_shown_order
from engine.collect.paradigms.request_texts import RequestTexts, numbered_list
from engine.collect.paradigms.response_rows import ask_response
from engine.collect.paradigms.templates import MissingTextError, Template
from engine.shown_order import shown_models, shown_scores


def ask_rubric(_: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    fence = texts.fence()
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(texts.values(fence, {"rubric": fence.around("criterion", rubric)}))


def ask_rubrics(
    request: CallRequest, template: Template, texts: RequestTexts, *, marks: bool
) -> list[Message]:
    """Return the messages with the criteria numbered and, with `marks`, undesirable ones marked."""
    if len(texts.criteria) != len(request.subject.rubric_ids):
        raise MissingTextError("rubrics")
    fence = texts.fence()
    criteria = fence.around("criteria", numbered_list(texts.criteria, marks=marks))
    return template.render(texts.values(fence, {"rubrics": criteria, "count": str(len(texts.criteria))}))


def ask_pair(request: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Return the messages; A is the response shown first. Criteria are shown if there are any."""
    fence, subject = texts.fence(), request.subject
    first, second = in_shown_order(subject, texts.response, texts.opponent)
    author, other = in_shown_order(subject, texts.author, texts.opponent_author)
    extra = {
        "response_a": fence.around_response("response-a", first, author),
        "response_b": fence.around_response("response-b", second, other),
        "rubrics": fence.around("criteria", numbered_list(texts.criteria, marks=True)),
    }
    return template.render(texts.values(fence, extra))


def ask_options(request: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Return the messages; the options are in the request's order."""
    fence = texts.fence()
    criterion = next(iter(texts.criteria), None)
    if criterion is None or len(criterion.options) != len(shown_scores(request.subject.ordering)):
        raise MissingTextError("options")
    lines = (f"Score {option.score:g}: {option.text}" for option in criterion.options)
    options = "\n".join(line.replace("\n", "\n  ") for line in lines)
    rubric = fence.around("criterion", criterion.text or None)
    return template.render(
        texts.values(fence, {"rubric": rubric, "options": fence.around("options", options)})
    )


def ask_quality(_: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    return template.render(texts.values(texts.fence(), {}))


def ask_list(request: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Return the messages; the answers are numbered in the order of the request."""
    responses = [text for text in texts.responses if text is not None]
    if len(responses) != len(shown_models(request.subject.ordering) or ()):
        raise MissingTextError("responses")
    fence = texts.fence()
    authors = texts.authors or (None,) * len(responses)
    answers = [
        f"Answer {place}:\n\n{fence.around_response(f'response-{place}', text, author)}"
        for place, (text, author) in enumerate(zip(responses, authors, strict=True), 1)
    ]
    criteria = fence.around("criteria", numbered_list(texts.criteria, marks=True))
    extra = {"responses": "\n\n".join(answers) or None, "count": str(len(responses)), "rubrics": criteria}
    return template.render(texts.values(fence, extra))


def ask_familiarity(_: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Continue the conversation that the author saw, with the response as the last message.

    There are no tags: to the judge the response must look like its own.
    """
    *earlier, last = ask_response(texts)
    values = {"prompt": last["content"], "response": texts.response}
    extra = {"reference_answer": texts.reference_answer or None, "context": texts.context or None}
    rendered = template.render(values | extra)
    system = [message for message in rendered if message["role"] == "system"]
    return [*system, *earlier, *(message for message in rendered if message["role"] != "system")]
