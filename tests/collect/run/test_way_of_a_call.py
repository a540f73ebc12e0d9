"""The files that one call enters, from its dispatch to its record."""

from pathlib import Path

from tools.call_files import call_files

WAY = {
    "dispatch": ["dispatch", "calling", "calls"],
    "its cost and its turn": [
        "spending",
        "prices",
        "calls_under_way",
        "turns",
        "pacing",
        "quotas",
        "rate_limits",
    ],
    "client": [
        "model_client",
        "circuit_breaker",
        "model_servers",
        "refused_parameters",
        "openai_requests",
        "openai_transport",
        "exchanges",
    ],
    "read": [
        "openai_replies",
        "thinking",
        "paradigms/__init__",
        "paradigms/answers/single_rubric",
        "paradigms/judgment_rows",
        "paradigms/answers/parts/answer_forms",
        "paradigms/answers/parts/loose_json",
        "paradigms/answers/parts/quotations",
    ],
    "record": ["entries", "sealed_lines", "recorded_calls", "sqlite_file"],
}


def test_a_call_enters_only_the_files_of_its_way(tmp_path: Path) -> None:
    """What is planned, estimated, configured or counted stands before a call or after it."""
    way = {f"engine/collect/{name}.py" for names in WAY.values() for name in names}

    entered = call_files(tmp_path)

    assert entered - way == set()
    assert "engine/collect/model_client.py" in entered
