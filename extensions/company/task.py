"""The task of a software company as data, with the checks that judge the program.

If a task has inputs, its program is called as `python main.py VALUE …`, with one value per input in
order. The program prints only its result, or refuses its inputs with an error line and exit code 2.
"""

import ast
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from shapley_coop.amounts import exact
from shapley_coop.escaping import without_hidden
from shapley_coop.extensions.repository.patterns import pattern
from shapley_coop.games.files import read_file, read_once
from shapley_coop.games.params import GameError, Number
from shapley_coop.games.sandbox import PYTHON, CheckResult, Status
from shapley_coop.invalid import first_error

_SHIPPED = Path(__file__).parent / "tasks"
_SHOWN = 200
_REFUSAL = 2
_NAME = r"^[a-z][a-z0-9_]{0,30}$"

SELF_CHECK: dict[str, Any] = {
    "command": [PYTHON, "-m", "unittest", "discover", "-s", "tests"],
    "prints": "Ran [1-9]",
}
"""The only check if a task lists none: the tests that the company itself wrote must pass."""


def names_a_file(given: str) -> bool:
    """Return whether the parameter `task` names a file, and is no shipped task's name or words."""
    return given.endswith((".yaml", ".yml"))


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Input(_Model):
    """One input of the program: a number with limits, beyond which the program must refuse it."""

    name: str = Field(pattern=_NAME)
    unit: str = Field(default="", max_length=20)
    above: Number | None = None
    at_least: Number | None = None
    below: Number | None = None
    at_most: Number | None = None

    @property
    def words(self) -> str:
        """The input in words: name, unit, limits."""
        limits = {"above": self.above, "at least": self.at_least}
        limits |= {"below": self.below, "at most": self.at_most}
        told = [f"{words} {limit}" for words, limit in limits.items() if limit is not None]
        inner = ", ".join([*filter(None, [self.unit]), *told])
        return f"{self.name} ({inner})" if inner else self.name


class Output(_Model):
    """The number that the program prints."""

    name: str = Field(pattern=_NAME)
    unit: str = Field(default="", max_length=20)
    decimals: int = Field(ge=0, le=12)


class Check(_Model):
    """One check: inputs and their output, inputs to be refused, or a command that must succeed."""

    inputs: list[Number | str] | None = Field(default=None, max_length=20)
    output: Number | None = None
    refused: bool = False
    command: list[str] | None = Field(default=None, min_length=1, max_length=40)
    prints: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> "Check":
        if (self.inputs is None) == (self.command is None):
            raise ValueError("a check gives either inputs or a command")
        if self.inputs is not None and (self.output is not None) == self.refused:
            raise ValueError("a check with inputs needs either their output or refused: true")
        return self

    @field_validator("prints")
    @classmethod
    def _expression(cls, prints: str) -> str:
        pattern(prints)
        return prints

    @property
    def words(self) -> str:
        """The check in words, in one line."""
        if self.command is not None:
            return " ".join(self.command)
        values = " ".join(map(str, self.inputs or []))
        return f"{values} → {'refused' if self.refused else self.output}"

    def to_run(self) -> list[str]:
        """Return the program and its arguments."""
        return self.command or [PYTHON, "main.py", *map(str, self.inputs or [])]

    def _prints(self, text: str) -> bool:
        # Both the expression and the text are untrusted, so `pattern` matches in linear time.
        return pattern(self.prints).search(text)

    def judge(self, result: CheckResult, decimals: int) -> bool:
        """Return whether the program passed this check; called outside the sandbox."""
        if result.status != "ended":
            return False
        if self.command is not None:
            return result.passed and self._prints(result.stdout + result.stderr)
        if self.refused:
            return result.code == _REFUSAL
        number = _number(result.stdout)
        if not result.passed or number is None or self.output is None:
            return False
        return abs(number - exact(self.output)) <= Fraction(1, 2 * 10**decimals)


class Task(_Model):
    """The program to build.

    With inputs, output and formula, a task is declarative, and embedded roles can build it.
    Without them, a task is a description in words, for language models.
    """

    title: str = Field(min_length=1, max_length=200)
    about: str = Field(default="", max_length=4000)
    inputs: list[Input] = Field(default=[], max_length=20)
    output: Output | None = None
    formula: str = Field(default="", max_length=1000)
    checks: list[Check] = Field(default=[Check(**SELF_CHECK)], min_length=1, max_length=100)

    @field_validator("formula")
    @classmethod
    def _arithmetic(cls, formula: str) -> str:
        if formula and not _is_arithmetic(formula):
            raise ValueError("a formula may have only numbers, inputs, + - * / ** and parentheses")
        return formula

    @model_validator(mode="after")
    def _consistent(self) -> "Task":
        names = [one.name for one in self.inputs]
        if len(set(names)) < len(names):
            raise ValueError("two inputs have the same name")
        if bool(self.formula) != bool(self.inputs) or bool(self.formula) != bool(self.output):
            raise ValueError("give inputs, output and formula together, or none of them")
        if unknown := _names_in(self.formula) - set(names):
            raise ValueError(f"the formula names {sorted(unknown)}, which are not inputs")
        if not self.inputs and any(check.inputs is not None for check in self.checks):
            raise ValueError("checks have values, but the task has no inputs")
        return self


def read_task(task: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a task as data; a run stores this data, to resume without the task's file.

    Args:
        task: a task's content, the path of a YAML file, the name or title of a shipped task, or a
            description of the program in words.

    Raises:
        GameError: the file cannot be read, or the task is invalid; the message is one line.
    """
    content: Any = task
    if isinstance(task, str):
        named = _by_name().get(" ".join(task.split()).casefold())
        path = named or (Path(task) if task.endswith((".yaml", ".yml")) else None)
        in_words = {"title": " ".join(task.split())}
        content = read_once(path, "task file", _read) if path else in_words
    if not isinstance(content, Mapping):
        raise GameError(f"{task}: contains no task: give title, inputs, output, formula and checks")
    try:
        return Task.model_validate(dict(content)).model_dump(mode="json", exclude_defaults=True)
    except ValidationError as error:
        first = first_error(error, Task)
        where = first.where or "task"
        raise GameError(f"the task's {where}: {first.reason}{first.instead}") from None


def _read(path: Path) -> Any:
    return read_file(path, "a task")


_ENDED_FOR: dict[Status, str] = {
    "timeout": "did not end in time",
    "flood": "printed without end",
    "memory": "used more memory than it may",
    "files": "wrote more files than it may",
    "killed": "was ended by the system",
}


def shipped() -> list[str]:
    """Return the names of the shipped tasks."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def shown(result: CheckResult) -> str:
    """Return the result of a program's run in one line; for a failed run, the error comes first."""
    if result.status != "ended":
        return _ENDED_FOR[result.status]
    printed, last = result.stdout.split(), result.stderr.strip().splitlines()[-1:]
    if result.code:
        errors = "; ".join(_ERRORS.findall(result.stderr)[:_MOST_ERRORS] or last)
        text = f"exit {result.code}: {' '.join([errors, *printed]).strip() or 'printed nothing'}"
    else:
        text = " ".join(printed or last) or "printed nothing"
    return without_hidden(text)[:_SHOWN]


_ERRORS = re.compile(r"^(?:(?:FAIL|ERROR): \w+|[\w.]+(?:Error|Exception)\b.*)", re.MULTILINE)
"""The failed tests and the errors in a program's error output, without the lines of tracebacks."""

_MOST_ERRORS = 3


def _by_name() -> dict[str, Path]:
    paths = {name: _SHIPPED / f"{name}.yaml" for name in shipped()}
    return paths | {
        str(read_file(path, "a task")["title"]).casefold(): path for path in paths.values()
    }


def _number(text: str) -> Fraction | None:
    """Return the printed number, or None if the output is anything else."""
    return (
        Fraction(text.strip()) if re.fullmatch(r"\s*[-+]?\d{1,30}(\.\d{1,30})?\s*", text) else None
    )


def _is_arithmetic(formula: str) -> bool:
    try:
        tree = ast.parse(formula, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    operators = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Constant, *operators)
    return all(
        isinstance(node, allowed)
        and (not isinstance(node, ast.Constant) or type(node.value) in (int, float))
        for node in ast.walk(tree)
    )


def _names_in(formula: str) -> set[str]:
    if not formula:
        return set()
    nodes = ast.walk(ast.parse(formula, mode="eval"))
    return {node.id for node in nodes if isinstance(node, ast.Name)}
