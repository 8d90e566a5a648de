"""What an embedded role of a software company writes: a program from a declarative task.

It is put together from the task as the letter gives it: inputs, limits, output, formula, checks;
`writings.yaml` holds the texts.
The first version computes and refuses nothing, as first versions do; testing finds that out, and
the fixes mend it.
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
    """Return the next thing that a role has to do in a phase, or to pass.

    Args:
        role: whose turn it is.
        phase: design, coding, testing or documentation.
        task: a declarative task.
        position: `files`, path → content, and `checks`, the last findings.

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
    """Yield what is not there yet, most urgent first."""
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
        # Its own part first; then whatever no other role has written.
        for path, (author, content) in sorted(code.items(), key=lambda part: part[1][0] != role):
            if path not in files and (author == role or files):
                yield action_of(WRITE_CODE, path=path, content=content)
    for path, (author, when, text) in documents.items():
        if (author, when) == (role, phase) and path not in files:
            yield action_of(WRITE_DOCUMENT, path=path, content=_filled(_TEXTS[text], task))


def _fixes(role: str, task: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[str]:
    """Yield the command line refuses first; then the calculation can."""
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
    """Input, its bound in words, and the test of it."""
    for one in task["inputs"]:
        for bound, (words, test) in _BOUNDS.items():
            if one.get(bound) is not None:
                yield one["name"], words.format(one[bound]), test.format(one[bound], **one)


def _filled(template: str, task: Mapping[str, Any], checked: bool = False) -> str:
    """Return a text about the task; of a program, one that computes, or one that checks as well."""
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
