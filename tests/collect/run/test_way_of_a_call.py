"""The files that one call enters, from its dispatch to its record."""

from pathlib import Path

from tools.call_files import call_files

WAY = {
    "": ["calls"],
    "dispatch": ["calling", "scheduling"],
    "configuration": ["prices"],
    "limits": [
        "circuit_breaker",
        "pacing",
        "quotas",
        "rate_limits",
        "refused_parameters",
        "spending",
        "turns",
    ],
    "client": [
        "model_client",
        "model_servers",
        "openai_replies",
        "openai_requests",
        "openai_transport",
    ],
    "paradigms": [
        "__init__",
        "answers/parts/answer_forms",
        "answers/parts/loose_json",
        "answers/parts/quotations",
        "answers/single_rubric",
        "judgment_rows",
        "thinking",
    ],
    "database": [
        "calls_under_way",
        "entries",
        "exchanges",
        "recorded_calls",
        "sealed_lines",
        "sqlite_file",
    ],
}
"""The modules of each package that a call enters."""


def test_a_call_enters_only_the_files_of_its_way(tmp_path: Path) -> None:
    """What is planned, estimated, configured or counted stands before a call or after it."""
    way = {str(Path("engine/collect", package, f"{name}.py")) for package in WAY for name in WAY[package]}

    entered = call_files(tmp_path)

    assert entered - way == set()
    assert "engine/collect/client/model_client.py" in entered
