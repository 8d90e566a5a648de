"""The artefacts that embedded roles of a software company write for a declarative task.

Artefacts are built from the task in the letter (inputs, limits, output, formula, checks) and the
templates in `writings.yaml`. The first version of the program computes without validating its
inputs. In the testing phase the checks find that validation is missing, and fixes add it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from shapley_coop.extensions.company.artefacts import (
    DECIDE,
    FIX,
    PASS,
    WRITE_CODE,
    WRITE_DOCUMENT,
    action_of,
)
from shapley_coop.games.files import read_file

_BOUNDS = {
    "above": ("above {0}", "{name} > {0}"),
    "at_least": ("at least {0}", "{name} >= {0}"),
    "below": ("below {0}", "{name} < {0}"),
    "at_most": ("at most {0}", "{name} <= {0}"),
}

_TEXTS: dict[str, Any] = read_file(Path(__file__).with_name("writings.yaml"), "texts")
_JINJA = Environment(  # noqa: S701 - programs and documents, no HTML
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)


def work(role: str, phase: str, task: Mapping[str, Any], position: Mapping[str, Any]) -> str:
    """Return a role's next action in a phase, or `pass` if nothing is left to do.

    Args:
        role: the role that acts.
        phase: design, coding, testing or documentation.
        task: a task that states inputs, output and formula, and not only words.
        position: a dict with `files`, path → content, and `checks`, the latest findings.

    Returns:
        An action with its content.
    """
    files: Mapping[str, str] = position["files"]
    if phase == "testing":
        passing = all(one["passed"] for one in position["checks"])
        wanted = iter(()) if passing else _fixes(role, task, files)
    else:
        wanted = _writings(role, phase, task, files)
    return next(wanted, PASS)


def _writings(
    role: str, phase: str, task: Mapping[str, Any], files: Mapping[str, str]
) -> Iterator[str]:
    """Yield the actions for a role's artefacts that do not exist yet, most urgent first."""
    name = task["output"]["name"]
    if phase == "design" and (decision := _TEXTS["decisions"].get(role)):
        title, text = (_filled(decision[part], task) for part in ("title", "text"))
        if not any(title in content for content in files.values()):
            yield action_of(DECIDE, title=title, text=text)
    code = {
        f"{name}.py": ("Programmer", _filled(_TEXTS["calculation"], task)),
        "main.py": ("CTO", _filled(_TEXTS["command_line"], task)),
        f"tests/test_{name}.py": ("Reviewer", _filled(_TEXTS["tests"], task)),
    }
    documents = {
        "docs/requirements.md": ("Counselor", "design", "requirements"),
        "docs/manual.md": ("CPO", "documentation", "manual"),
        "docs/acceptance.md": ("Counselor", "documentation", "acceptance"),
    }
    if phase == "coding":
        # A role writes its own file first, then missing files of other roles.
        for path, (author, content) in sorted(code.items(), key=lambda part: part[1][0] != role):
            if path not in files and (author == role or files):
                yield action_of(WRITE_CODE, path=path, content=content)
    for path, (author, when, text) in documents.items():
        if (author, when) == (role, phase) and path not in files:
            yield action_of(WRITE_DOCUMENT, path=path, content=_filled(_TEXTS[text], task))


def _fixes(role: str, task: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[str]:
    """Yield the fixes that add validation; the Programmer's fixes start with `main.py`."""
    mended = [
        (
            "main.py",
            "what is no number is refused",
            _filled(_TEXTS["command_line"], task, checked=True),
        ),
        (
            f"{task['output']['name']}.py",
            "what is out of bounds is refused",
            _filled(_TEXTS["calculation"], task, checked=True),
        ),
    ]
    for path, why, content in mended if role == "Programmer" else reversed(mended):
        if path in files and files[path] != content:
            yield action_of(FIX, path=path, content=content, why=why)


def _limits(task: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each input's name with a bound in words and as a Python condition."""
    for one in task["inputs"]:
        for bound, (words, test) in _BOUNDS.items():
            if one.get(bound) is not None:
                yield one["name"], words.format(one[bound]), test.format(one[bound], **one)


def _filled(template: str, task: Mapping[str, Any], checked: bool = False) -> str:
    """Fill a template with the task; `checked` adds the validation of inputs to programs."""
    output, inputs = task["output"], [one["name"] for one in task["inputs"]]
    unit = output.get("unit") or "1"
    return _JINJA.from_string(template).render(
        checked=checked,
        title=task["title"],
        about=task.get("about", ""),
        formula=task["formula"],
        name=output["name"],
        unit=unit,
        decimals=output["decimals"],
        inputs=inputs,
        taken=f"{', '.join(inputs)}{',' * (len(inputs) == 1)}",
        usage=" ".join(["python main.py", *map(str.upper, inputs)]),
        takes=", ".join(f"{one['name']} ({one.get('unit') or '1'})" for one in task["inputs"]),
        gives=f"the {output['name']} ({unit})",
        limits=list(_limits(task)),
        called=[check for check in task["checks"] if check.get("inputs") is not None],
        computed=[check for check in task["checks"] if check.get("output") is not None],
    )
