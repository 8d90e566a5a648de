"""What an embedded role of a software company writes: a program from a declarative task.

It is put together from the task as the letter gives it: inputs, limits, output, formula, checks;
`writings.yaml` holds the texts.
The first version computes and refuses nothing, as first versions do; testing finds that out, and
the fixes mend it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

from shapley_coop.games.files import read_file
from shapley_coop.games.software_company.artefacts import (
    DECIDE,
    FIX,
    PASS,
    WRITE_CODE,
    WRITE_DOCUMENT,
    action_of,
)

_BOUNDS = {
    "above": ("above {0}", "{name} > {0}"),
    "at_least": ("at least {0}", "{name} >= {0}"),
    "below": ("below {0}", "{name} < {0}"),
    "at_most": ("at most {0}", "{name} <= {0}"),
}

_TEXTS: dict[str, Any] = read_file(Path(__file__).with_name("writings.yaml"), "texts")


def work(role: str, phase: str, task: Mapping[str, Any], position: Mapping[str, Any]) -> str:
    """The next thing that a role has to do in a phase, or to pass.

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
    """What is not there yet, most urgent first."""
    words = _words(task)
    if phase == "design" and (decision := _TEXTS["decisions"].get(role)):
        title, text = decision["title"].format(**words), decision["text"].format(**words)
        if not any(title in content for content in files.values()):
            yield action_of(DECIDE, title=title, text=text)
    code = {
        f"{words['name']}.py": ("Programmer", _calculation(task, checked=False)),
        "main.py": ("CTO", _command_line(task, refusing=False)),
        f"tests/test_{words['name']}.py": ("Reviewer", _TEXTS["tests"].format(**words)),
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
            yield action_of(WRITE_DOCUMENT, path=path, content=_TEXTS[text].format(**words))


def _fixes(role: str, task: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[str]:
    """The command line refuses first; then the calculation can."""
    mended = [
        ("main.py", "what is no number is refused", _command_line(task, refusing=True)),
        (
            f"{task['output']['name']}.py",
            "what is out of bounds is refused",
            _calculation(task, checked=True),
        ),
    ]
    for path, why, content in mended if role == "Programmer" else reversed(mended):
        if path in files and files[path] != content:
            yield action_of(FIX, path=path, content=content, why=why)


def _calculation(task: Mapping[str, Any], checked: bool) -> str:
    checks = [
        f'    if not {test}:\n        raise ValueError("{one} must be {words}")\n'
        for one, words, test in _limits(task)
    ]
    return str(_TEXTS["calculation"]).format(
        **_words(task), checks="".join(checks) if checked else ""
    )


def _command_line(task: Mapping[str, Any], refusing: bool) -> str:
    words = _words(task)
    compute = _TEXTS["compute"].format(**words)
    if refusing:
        compute = (
            f"try:\n{indent(compute, '    ')}except (ValueError, ArithmeticError) as error:\n"
            '    sys.exit(refuse(f"{error}"))\n'
        )
    return str(_TEXTS["command_line"]).format(
        **words,
        refuse=f"{_TEXTS['refuse']}\n\n" if refusing else "",
        compute=indent(compute, "    "),
    )


def _limits(task: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Input, its bound in words, and the test of it."""
    for one in task["inputs"]:
        for bound, (words, test) in _BOUNDS.items():
            if one.get(bound) is not None:
                yield one["name"], words.format(one[bound]), test.format(one[bound], **one)


def _words(task: Mapping[str, Any]) -> dict[str, Any]:
    """What the templates fill in."""
    output, names = task["output"], [one["name"] for one in task["inputs"]]
    name, decimals, unit = output["name"], output["decimals"], output.get("unit") or "1"
    called = [
        (c["inputs"], c.get("output"), "refused" if c.get("refused") else c.get("output"))
        for c in task["checks"]
        if c.get("inputs") is not None
    ]
    computed = [(values, result) for values, result, _ in called if result is not None]
    cases = [
        f"    def test_case_{number}(self):\n        self.assertEqual("
        f"round({name}({', '.join(map(str, values))}), {decimals}), {result})\n"
        for number, (values, result) in enumerate(computed, start=1)
    ]
    example = [
        f"\n    python main.py {' '.join(map(str, values))}\n    {result}\n"
        for values, result in computed[:1]
    ]
    return {
        "title": task["title"],
        "about": task.get("about", ""),
        "formula": task["formula"],
        "name": name,
        "decimals": decimals,
        "arguments": ", ".join(names),
        "taken": f"{', '.join(names)}{',' * (len(names) == 1)}",
        "usage": " ".join(["python main.py", *map(str.upper, names)]),
        "takes": ", ".join(f"{one['name']} ({one.get('unit') or '1'})" for one in task["inputs"]),
        "unit": unit,
        "gives": f"the {name} ({unit})",
        "limits": "".join(f"- {one} must be {words}.\n" for one, words, _ in _limits(task)),
        "cases": "\n".join(cases) or "    pass\n",
        "example": "".join(example),
        "rows": "".join(f"| {' '.join(map(str, v))} | {result} |\n" for v, _, result in called),
    }
