"""Pages and files of the documentation that are made from the code: `python -m tests.written_docs`.

The command line's reference from its help, the clause language and the labels from the deals' code,
the schemas of the files that people write from the models that read them, and the README's picture
from a run.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from shapley_coop.cli.commands import COMMANDS, command_line
from shapley_coop.deals.language.clauses import Do, Forbid, Give, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.labels import LABELS
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.when import words
from shapley_coop.extension import Places, installed
from shapley_coop.state.storage.home import Home
from tests.root import ROOT
from tests.warm_coop import Coop, users_coop
from tests.written_picture import picture
from tests.written_questions import questions
from tests.written_schemas import Kind, kinds

DOCS = ROOT / "docs"
MADE = "<!-- Made by tests.written_docs. -->"
COLUMNS = "80"


def written() -> dict[str, str]:
    """Every file that is made from the code, by its path below docs/."""
    schemas = {f"schemas/{kind.name}.schema.json": _schema(kind) for kind in kinds()}
    for name in shipped():
        schemas |= {
            f"schemas/{name}/{kind.name}.schema.json": _schema(kind) for kind in kinds_of(name)
        }
    return {
        "reference/cli.md": "\n".join(_command_line()),
        "reference/clauses.md": "\n".join(_clause_language()),
        "reference/labels.md": "\n".join(_labels()),
        "reference/files.md": "\n".join(_files()),
        "reference/questions.md": "\n".join([MADE, "", *questions()]),
        **{f"reference/extensions/{name}.md": "\n".join(_extension(name)) for name in shipped()},
        "pictures/first.svg": _drawn(),
        **{path: f"{text}\n" for path, text in schemas.items()},
    }


def shipped() -> list[str]:
    """The extensions that lie in this clone."""
    return sorted(path.parent.name for path in DOCS.parent.glob("extensions/*/__init__.py"))


def kinds_of(name: str) -> list[Kind]:
    """Every kind of file of an extension that has a schema."""
    if not (DOCS.parent / "extensions" / name / "tests" / "written_kinds.py").exists():
        return []
    found: list[Kind] = import_module(f"extensions.{name}.tests.written_kinds").kinds()
    return found


def _schema(kind: Kind) -> str:
    return json.dumps(kind.schema, indent=2, ensure_ascii=False)


# The command line


def _root() -> Any:
    os.environ |= {"COLUMNS": COLUMNS, "TERMINAL_WIDTH": COLUMNS, "NO_COLOR": "1"}
    return typer.main.get_command(command_line())


def _command_line() -> Iterator[str]:
    yield from (MADE, "", "# Command line", "")
    yield "Every command and its options; `coop COMMAND --help` says what each does, and"
    yield "[config](files.md#config) has every field of a run's configuration."
    yield ""
    yield "| exit code | means |"
    yield "|---|---|"
    yield "| 0 | done |"
    yield "| 1 | a run ended as an error or was not played, or what is checked does not hold |"
    yield "| 2 | wrong usage or bad input: one line says what, where, and what would be right |"
    yield from ("| 3 | a model's key is missing |", "| 130 | interrupted |", "")
    root = _root()
    for group, commands in COMMANDS.items():
        yield from (f"## {group}", "")
        for command in commands:
            yield from _shown(root, command, "###")


def _extension(name: str) -> Iterator[str]:
    one = installed()[name]
    yield from (MADE, "", f"# Extension: {name}", "", one.about, "")
    for kind in (part.name for part in fields(one) if part.type is Places or part.name == "norms"):
        if offered := getattr(one, kind):
            yield f"- {kind}: {', '.join(f'`{each}`' for each in offered)}"
    yield ""
    root = _root()
    for commands in one.commands.values():
        for command in commands:
            yield from _shown(root, command, "##")
    for kind in kinds_of(name):
        yield from _file(kind, f"../../schemas/{name}")
    yield ""


def _shown(root: Any, called: str, mark: str) -> Iterator[str]:
    """Yield the help of the command that is called by these words."""
    command, name = root, f"coop {called}"
    for word in called.split():
        command = command.commands[word]
    told = {"help_option_names": ["-h", "--help"]}
    context = command.make_context(name, [], resilient_parsing=True, **told)
    options = [one for one in command.get_params(context) if one.param_type_name == "option"]
    taken = " ".join(one.name for one in _arguments(command, context))
    about = " ".join(str(command.help).split("\n\n")[0].split())
    yield from (f"{mark} {name}", "", f"{about}", "")
    if taken:
        yield from (f"Takes `{taken}`.", "")
    if listed := [f"`{one.opts[0]}`" for one in options if one.name != "help"]:
        yield from (f"Options: {', '.join(listed)}.", "")


def _arguments(command: Any, context: Any) -> list[Any]:
    return [one for one in command.get_params(context) if one.param_type_name == "argument"]


# The clause language


_CLAUSES = {
    Do: [
        {"kind": "do", "agent": "Bob", "action": "lever"},
        {"kind": "do", "agent": "Bob", "action": "lever", "when": {"every": 2, "start": 1}},
        {"kind": "do", "agent": "everyone", "action": "lever"},
    ],
    Forbid: [{"kind": "forbid", "agent": "Alice", "action": "door", "when": {"turn": 1}}],
    Pay: [
        {
            "kind": "pay",
            "payer": "Alice",
            "payee": "Bob",
            "amount": 5,
            "per": "once",
            "when": {"last": {"agent": "Bob", "action": "lever"}},
        },
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "1/2", "per": "reward"},
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 1, "per": "turn"},
        {"kind": "pay", "payer": "Alice", "payee": "others", "amount": 3, "per": "once"},
    ],
    Give: [
        {
            "kind": "give",
            "giver": "Alice",
            "receiver": "Bob",
            "good": "wood",
            "quantity": 2,
            "when": {"last": {"agent": "Bob", "action": "lever"}},
        }
    ],
    Share: [
        {"kind": "share", "fractions": {"Alice": "1/3", "Bob": "2/3"}},
        {"kind": "share", "norm": "shapley"},
    ],
}
_CONDITIONS: list[Any] = [
    "always",
    {"turn": 2},
    {"turns": [1, 4, 5]},
    {"from": 2, "to": 5},
    {"every": 3, "start": 2},
    {"last": {"agent": "Bob", "action": "lever"}},
    {"count": {"agent": "Bob", "action": "lever"}, "at_least": 2},
    {"earned": "Alice", "at_least": 5},
    {"all": [{"from": 2, "to": 5}, {"not": {"last": {"agent": "Bob", "action": "door"}}}]},
    {"any": [{"turn": 1}, {"earned": "everyone", "at_least": "7/2"}]},
]


def clauses() -> list[dict[str, Any]]:
    """Every example of the page, as a clause."""
    held = [{"kind": "do", "agent": "Bob", "action": "lever", "when": c} for c in _CONDITIONS]
    return [*(one for some in _CLAUSES.values() for one in some), *held]


def _clause_language() -> Iterator[str]:
    yield from (MADE, "", "# The clause language", "")
    yield "Everything that agents agree on is a list of these clauses: an offer, a contract, a file"
    yield "for `coop contract check`. It is data, and never code."
    yield "[The schema](../schemas/contract.schema.json) completes it in editors, and"
    yield "[the letters](../letters.md) teach it to models."
    for kind, examples in _CLAUSES.items():
        yield from ("", f"## {kind.__name__.lower()}", "", *_paragraphs(str(kind.__doc__)), "")
        for example in examples:
            yield from ("```json", _json(example), "```", "", f"> {_sentence(example)}", "")
    yield from ("## Conditions", "", "`when` says at which turns a clause holds, by public history")
    yield "alone. Without `when` it always holds; a payment's `when` is read after the turn."
    yield from ("", "| `when` | in words |", "|---|---|")
    for condition in _CONDITIONS:
        clause = {"kind": "do", "agent": "Bob", "action": "lever", "when": condition}
        yield f"| `{_json(condition)}` | {words(_deal(clause).clauses[0].when)} |"  # type: ignore[union-attr]
    yield ""


def _labels() -> Iterator[str]:
    yield from (MADE, "", "# Labels of refusals", "")
    yield "A refused answer is sent back to its author with words that say how to correct it."
    yield "Tables, the record and `refused:…` of [suites](../suites.md) count by these labels."
    for about, labels in LABELS.items():
        yield from ("", f"## {about}", "")
        yield from (f"- `{label}`: {means}" for label, means in labels.items())
    yield ""


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.strip().splitlines():
        yield line.strip().replace("`basis`", "`per`")


def _deal(clause: dict[str, Any]) -> Deal:
    deal = read_deal({"clauses": [clause]})
    assert not isinstance(deal, Fault), deal.feedback
    return deal


def _sentence(clause: dict[str, Any]) -> str:
    return _deal(clause).clauses[0].words()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# Files


def _files() -> Iterator[str]:
    yield from (MADE, "", "# Files that people write", "")
    yield "Each is YAML, or JSON if its name ends in `.json`. A key that is not listed here is"
    yield "refused by its name. The schemas are made from the models that read the files; an editor"
    yield "with the YAML language server uses one with this first line:"
    yield from ("", "```yaml", "# yaml-language-server: $schema=game.schema.json", "```")
    for kind in kinds():
        yield ""
        yield from _file(kind, "../schemas")
    yield ""


def _file(kind: Kind, schemas: str) -> Iterator[str]:
    yield from (f"## {kind.name}", "", f"Read by {kind.read_by}. Schema:")
    yield f"[{kind.name}.schema.json]({schemas}/{kind.name}.schema.json)."
    yield from _fields(kind.schema)
    for key, entry in kind.entries.items():
        yield from ("", f"Each of `{key}`:")
        yield from _fields(kind.schema["$defs"][entry])


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    properties, needed = schema.get("properties", {}), schema.get("required", [])
    if not properties:
        return
    yield ""
    for key, field in properties.items():
        told = " ".join(str(field.get("description", field.get("title", key))).split())
        default = field.get("default")
        unless = f" (`{_json(default)}`)" if default not in (None, "", [], {}) else ""
        yield f"- `{key}`{' (needed)' if key in needed else unless}: {told}"


# The picture


def _drawn() -> str:
    """Draw the README's run."""
    with tempfile.TemporaryDirectory() as folder:
        coop = users_coop(Home(Path(folder) / ".coop"), Path(folder))
        seat = "Cem=embedded:defector"
        assert coop.run("run", "shared_service", "--agent", seat, "--name", "shared").code == 0
        assert coop.run("report", "shared", "-o", "shared.json").code == 0
        bundle = json.loads((Path(folder) / "shared.json").read_text(encoding="utf-8"))
        return picture(bundle, {rule: _due(coop, rule) for rule in ("equal", "proportional")})


def _due(coop: Coop, rule: str) -> dict[str, float]:
    due: dict[str, float] = json.loads(coop.run("credit", "shared", "--value", rule, "--json").out)[
        "due"
    ]
    return due


def main() -> None:
    """Write every file that differs."""
    for path, text in written().items():
        file = DOCS / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(file.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
