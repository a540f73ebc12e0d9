"""The tool that plants faults: what it plants, and what it leaves alone."""

from tools.mutation.mutants import mutants_of, statement

SOURCE = '''
"""A module of 3 lines."""
from m import a


@decorate(frozen=True)
def share(n: int | None = 1) -> float:
    """Return 1 or 2."""
    if not n or n <= 2:
        raise ValueError(f"{n + 1} is too few")
    return max(n, 3) / total  # a - b
'''


def test_faults_are_planted_in_operators_numbers_and_names_and_nowhere_else():
    planted = [(mutant.old, mutant.new, mutant.line) for mutant in mutants_of(SOURCE)]

    assert planted == [
        ("1", "2", 7),
        ("not ", "", 9),
        ("or", "and", 9),
        ("<=", "<", 9),
        ("2", "3", 9),
        ("max", "min", 11),
        ("3", "4", 11),
        ("/", "*", 11),
    ]


def test_a_fault_changes_its_own_token_alone():
    [fault] = [mutant for mutant in mutants_of(SOURCE) if mutant.old == "<="]

    assert fault.planted(SOURCE) == SOURCE.replace("n <= 2", "n < 2")


def test_a_fault_is_tried_on_tests_that_execute_its_statement():
    source = """LEAST = (
    3,
)
def least(n=2):
    if (
        n < 1
    ):
        return max(
            n, 1)
"""

    assert [statement(source, line) for line in (2, 4, 6, 9)] == [
        (1, 3, True),
        (4, 4, True),
        (5, 7, False),
        (8, 9, False),
    ]
