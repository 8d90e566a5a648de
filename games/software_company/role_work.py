"""What an embedded role of a software company writes: a program from a declarative task.

It is put together from the task as the letter gives it: inputs, limits, output, formula, checks.
The first version computes and refuses nothing, as first versions do; testing finds that out, and
the fixes mend it.
"""

from collections.abc import Iterator, Mapping
from textwrap import indent
from typing import Any

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

_DECISIONS = {
    "CEO": (
        "Build the {title}",
        "It takes {takes} and gives {gives}. It is done when every check of the task passes.",
    ),
    "CPO": (
        "A command line",
        "The program is used as `{usage}`. It prints the result and nothing else, so that other "
        "programs can use it.",
    ),
    "CTO": (
        "Python without libraries",
        "`{name}.py` holds the calculation as a function of its inputs, and `main.py` the command "
        "line: the one can be tested without the other.",
    ),
}

_CALCULATION = '''\
"""{title}: the calculation."""


def {name}({arguments}):
    """The {name} ({unit}), from {takes}."""
{checks}    return {formula}
'''

_COMPUTE = """\
{taken} = (float(argument) for argument in arguments)
result = {name}({arguments})
"""

_REFUSE = '''\
def refuse(reason):
    """Complain in one line; the exit code of bad usage."""
    print(reason, file=sys.stderr)
    return 2


'''

_COMMAND_LINE = '''\
"""{title}: {usage}."""

import sys

from {name} import {name}


{refuse}def main(arguments):
    """Print {gives}."""
{compute}    print(f"{{result:.{decimals}f}}")


if __name__ == "__main__":
    main(sys.argv[1:])
'''

_TESTS = '''\
"""The {title} computes what was asked for."""

import unittest

from {name} import {name}


class Calculation(unittest.TestCase):
{cases}'''

_REQUIREMENTS = """\
# What the {title} must do

{about}

It takes {takes}, and gives {gives}.

{limits}- What is no number must be refused.
"""

_MANUAL = """\
# Manual of the {title}

Call `{usage}` with {takes}.
{example}
What cannot be computed is refused, with exit code 2.
"""

_ACCEPTANCE = """\
# How the {title} was accepted

| called with | must give |
| --- | --- |
{rows}"""


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
    if phase == "design" and role in _DECISIONS:
        title, text = (said.format(**words) for said in _DECISIONS[role])
        if not any(title in content for content in files.values()):
            yield action_of(DECIDE, title=title, text=text)
    code = {
        f"{words['name']}.py": ("Programmer", _calculation(task, checked=False)),
        "main.py": ("CTO", _command_line(task, refusing=False)),
        f"tests/test_{words['name']}.py": ("Reviewer", _TESTS.format(**words)),
    }
    documents = {
        "docs/requirements.md": ("Counselor", "design", _REQUIREMENTS),
        "docs/manual.md": ("CPO", "documentation", _MANUAL),
        "docs/acceptance.md": ("Counselor", "documentation", _ACCEPTANCE),
    }
    if phase == "coding":
        # Its own part first; then whatever no other role has written.
        for path, (author, content) in sorted(code.items(), key=lambda part: part[1][0] != role):
            if path not in files and (author == role or files):
                yield action_of(WRITE_CODE, path=path, content=content)
    for path, (author, when, template) in documents.items():
        if (author, when) == (role, phase) and path not in files:
            yield action_of(WRITE_DOCUMENT, path=path, content=template.format(**words))


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
    return _CALCULATION.format(**_words(task), checks="".join(checks) if checked else "")


def _command_line(task: Mapping[str, Any], refusing: bool) -> str:
    words = _words(task)
    compute = _COMPUTE.format(**words)
    if refusing:
        compute = (
            f"try:\n{indent(compute, '    ')}except (ValueError, ArithmeticError) as error:\n"
            '    sys.exit(refuse(f"{error}"))\n'
        )
    refuse = _REFUSE if refusing else ""
    return _COMMAND_LINE.format(**words, refuse=refuse, compute=indent(compute, "    "))


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
