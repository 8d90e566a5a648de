"""What an embedded role of a software company writes: a program from a declarative task.

It is put together from the task as the letter gives it: inputs, limits, output, formula, checks.
The first version computes and refuses nothing, as first versions do; testing finds that out, and
the fixes mend it.
"""

from collections.abc import Iterator, Mapping
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
    if phase == "design" and (decision := _decisions(task).get(role)):
        title, text = decision
        if not any(title in content for content in files.values()):
            yield action_of(DECIDE, title=title, text=text)
    name = task["output"]["name"]
    code = {
        f"{name}.py": ("Programmer", _calculation(task, checked=False)),
        "main.py": ("CTO", _command_line(task, refusing=False)),
        f"tests/test_{name}.py": ("Reviewer", _tests(task)),
    }
    documents = {
        "docs/requirements.md": ("Counselor", "design", _requirements(task)),
        "docs/manual.md": ("CPO", "documentation", _manual(task)),
        "docs/acceptance.md": ("Counselor", "documentation", _acceptance(task)),
    }
    if phase == "coding":
        # Its own part first; then whatever no other role has written.
        for path, (_, content) in sorted(code.items(), key=lambda part: part[1][0] != role):
            if path not in files and (code[path][0] == role or files):
                yield action_of(WRITE_CODE, path=path, content=content)
    for path, (author, when, content) in documents.items():
        if (author, when) == (role, phase) and path not in files:
            yield action_of(WRITE_DOCUMENT, path=path, content=content)


def _fixes(role: str, task: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[str]:
    """The command line refuses first; then the calculation can."""
    name = task["output"]["name"]
    mended = {
        "main.py": ("what is no number is refused", _command_line(task, refusing=True)),
        f"{name}.py": ("what is out of bounds is refused", _calculation(task, checked=True)),
    }
    order = list(mended) if role == "Programmer" else list(reversed(mended))
    for path in order:
        why, content = mended[path]
        if path in files and files[path] != content:
            yield action_of(FIX, path=path, content=content, why=why)


def _decisions(task: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    name, takes = task["output"]["name"], _listed(task)
    return {
        "CEO": (
            f"Build the {task['title']}",
            f"It takes {takes} and gives {_output(task)}. It is done when every check of the "
            "task passes.",
        ),
        "CPO": (
            "A command line",
            f"The program is used as `{_usage(task)}`. It prints the result and nothing else, so "
            "that other programs can use it.",
        ),
        "CTO": (
            "Python without libraries",
            f"`{name}.py` holds the calculation as a function of its inputs, and `main.py` the "
            "command line: the one can be tested without the other.",
        ),
    }


def _calculation(task: Mapping[str, Any], checked: bool) -> str:
    name = task["output"]["name"]
    arguments = ", ".join(one["name"] for one in task["inputs"])
    lines = [
        f'"""{task["title"]}: the calculation."""',
        "",
        "",
        f"def {name}({arguments}):",
        f'    """{_output(task)[:1].upper()}{_output(task)[1:]}, from {_listed(task)}."""',
    ]
    for one, words, test in _limits(task) if checked else ():
        lines += [f"    if not {test}:", f'        raise ValueError("{one} must be {words}")']
    return "\n".join([*lines, f"    return {task['formula']}", ""])


def _command_line(task: Mapping[str, Any], refusing: bool) -> str:
    name, inputs = task["output"]["name"], [one["name"] for one in task["inputs"]]
    taken = f"{', '.join(inputs)}{',' * (len(inputs) == 1)}"
    decimals = task["output"]["decimals"]
    compute = [
        f"{taken} = (float(argument) for argument in arguments)",
        f"result = {name}({', '.join(inputs)})",
    ]
    if refusing:
        compute = [
            "try:",
            *(f"    {line}" for line in compute),
            "except (ValueError, ArithmeticError) as error:",
            '    sys.exit(refuse(f"{error}"))',
        ]
    refuse = [
        "def refuse(reason):",
        '    """Complain in one line; the exit code of bad usage."""',
        "    print(reason, file=sys.stderr)",
        "    return 2",
        "",
        "",
    ]
    return "\n".join(
        [
            f'"""{task["title"]}: {_usage(task)}."""',
            "",
            "import sys",
            "",
            f"from {name} import {name}",
            "",
            "",
            *(refuse if refusing else []),
            "def main(arguments):",
            f'    """Print {_output(task)}."""',
            *(f"    {line}" for line in compute),
            f'    print(f"{{result:.{decimals}f}}")',
            "",
            "",
            'if __name__ == "__main__":',
            "    main(sys.argv[1:])",
            "",
        ]
    )


def _tests(task: Mapping[str, Any]) -> str:
    name, decimals = task["output"]["name"], task["output"]["decimals"]
    cases = [check for check in task["checks"] if check.get("output") is not None]
    lines = [
        f'"""The {task["title"]} computes what was asked for."""',
        "",
        "import unittest",
        "",
        f"from {name} import {name}",
        "",
        "",
        "class Calculation(unittest.TestCase):",
    ]
    for number, check in enumerate(cases, start=1):
        values = ", ".join(map(str, check["inputs"]))
        result = f"round({name}({values}), {decimals})"
        lines += [
            f"    def test_case_{number}(self):",
            f"        self.assertEqual({result}, {check['output']})",
            "",
        ]
    return "\n".join(lines if cases else [*lines, "    pass", ""])


def _requirements(task: Mapping[str, Any]) -> str:
    limits = [f"- {one} must be {words}." for one, words, _ in _limits(task)]
    lines = [f"# What the {task['title']} must do", "", task.get("about", ""), ""]
    lines += [f"It takes {_listed(task)}, and gives {_output(task)}.", "", *limits]
    return "\n".join([*lines, "- What is no number must be refused.", ""])


def _manual(task: Mapping[str, Any]) -> str:
    shown = next((c for c in task["checks"] if c.get("output") is not None), None)
    lines = [f"# Manual of the {task['title']}", "", f"Call `{_usage(task)}` with {_listed(task)}."]
    if shown:
        values = " ".join(map(str, shown["inputs"]))
        lines += ["", f"    python main.py {values}", f"    {shown['output']}"]
    return "\n".join([*lines, "", "What cannot be computed is refused, with exit code 2.", ""])


def _acceptance(task: Mapping[str, Any]) -> str:
    rows = [
        f"| {' '.join(map(str, c['inputs']))} | "
        f"{'refused' if c.get('refused') else c.get('output')} |"
        for c in task["checks"]
        if c.get("inputs") is not None
    ]
    lines = [f"# How the {task['title']} was accepted", "", "| called with | must give |"]
    return "\n".join([*lines, "| --- | --- |", *rows, ""])


def _limits(task: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Input, its bound in words, and the test of it."""
    for one in task["inputs"]:
        for bound, (words, test) in _BOUNDS.items():
            if one.get(bound) is not None:
                yield one["name"], words.format(one[bound]), test.format(one[bound], **one)


def _usage(task: Mapping[str, Any]) -> str:
    return " ".join(["python main.py", *(one["name"].upper() for one in task["inputs"])])


def _listed(task: Mapping[str, Any]) -> str:
    return ", ".join(f"{one['name']} ({one.get('unit') or '1'})" for one in task["inputs"])


def _output(task: Mapping[str, Any]) -> str:
    return f"the {task['output']['name']} ({task['output'].get('unit') or '1'})"
