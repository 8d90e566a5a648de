"""The artefacts that a company's roles write: actions with content, and their validation.

An action is written as its name and a JSON object with its content; `pass` has no object:

    decide {"title": "A command line", "text": "…"}
    write_code {"path": "src/bmi.py", "content": "…"}
    write_document {"path": "docs/manual.md", "content": "…"}
    fix {"path": "src/bmi.py", "content": "…", "why": "a height of 0 is refused"}

A file's content may also follow the object in a fence of ``` or ~~~, where no character needs an
escape:

    write_code {"path": "src/page.py"}
    ```python
    print("<html>")
    ```

Deals and the record have only the action's name. The content is stored in the turn's effects.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shapley_coop.escaping import without_hidden
from shapley_coop.extensions.company.tree import mistake_in_path
from shapley_coop.extensions.repository.rules import Rules

DECIDE, WRITE_CODE, WRITE_DOCUMENT = "decide", "write_code", "write_document"
FIX, PASS = "fix", "pass"
ROLES: dict[str, tuple[str, ...]] = {
    "CEO": (DECIDE,),
    "Counselor": (WRITE_DOCUMENT,),
    "CPO": (DECIDE, WRITE_DOCUMENT),
    "CTO": (DECIDE, WRITE_CODE),
    "Programmer": (WRITE_CODE, FIX),
    "Reviewer": (WRITE_CODE, FIX),
}
"""Role → its actions, besides `pass`."""

PHASES: dict[str, tuple[str, ...]] = {
    "design": (DECIDE, WRITE_DOCUMENT),
    "coding": (WRITE_CODE,),
    "testing": (FIX,),
    "documentation": (WRITE_DOCUMENT,),
}
"""Phase → the actions that are possible in it, besides `pass`."""

MAX_CONTENT = 20_000
MAX_FILES = 40

_KEYS = {
    DECIDE: ("title", "text"),
    WRITE_CODE: ("path", "content"),
    WRITE_DOCUMENT: ("path", "content"),
    FIX: ("path", "content", "why"),
}
_KINDS = {
    DECIDE: "decisions",
    WRITE_CODE: "code",
    WRITE_DOCUMENT: "documents",
    FIX: "fixes",
}
_RULES = Rules()


@dataclass(frozen=True)
class Artefact:
    """A file that an agent writes, and the message of its commit."""

    agent: str
    kind: str
    path: str
    content: str
    message: str

    def commit(self) -> dict[str, Any]:
        """Return the effect for the record; `amount` is the number of lines, visible to all."""
        lines = sum(bool(line.strip()) for line in self.content.splitlines())
        return {"effect": "commit", **self.__dict__, "amount": lines}


def action_label(action: str) -> str:
    """Return the name of an action, without its content."""
    return action.strip().split(maxsplit=1)[0] if action.strip() else ""


def action_of(name: str, **content: str) -> str:
    """Return an action with its content, in the form that agents write."""
    return f"{name} {json.dumps(content, ensure_ascii=False)}"


def is_code(path: str) -> bool:
    """Return whether a path is the path of a code file."""
    return _RULES.place(path) == "code"


def artefact(agent: str, action: str, files: Mapping[str, str]) -> Artefact | str:
    """Return the artefact that an action writes, or a line with an objection to the action."""
    name, text = (*action.strip().split(maxsplit=1), "")[:2]
    wanted = _KEYS[name]
    content = _content(text, wanted)
    if isinstance(content, str):
        example = ", ".join(f'"{key}": "…"' for key in wanted)
        return f"{content}: write {name} {{{example}}}, or {_body(wanted)} in a ``` block behind it"
    if name == DECIDE:
        return _decision(agent, content, files)
    path, body = content["path"], content["content"]
    if mistake := _mistake(name, path, body, files):
        return mistake
    what = _one_line(content["why"]) if name == FIX else path
    return Artefact(agent, _KINDS[name], path, _ended(body), f"{name.split('_')[-1]}: {what}")


def _decision(agent: str, content: Mapping[str, str], files: Mapping[str, str]) -> Artefact | str:
    """Return the file of a decision, numbered in order, or an objection in one line."""
    title = _one_line(content["title"])
    number = sum(path.startswith("docs/decisions/") for path in files) + 1
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "decision"
    body = f"# {title}\n\nStatus: accepted, by the {agent}\n\n{content['text'].strip()}\n"
    path = f"docs/decisions/{number:04}-{slug}.md"
    if mistake := _mistake(DECIDE, path, body, files):
        return mistake
    return Artefact(agent, "decisions", path, body, f"decide: {title}")


def _content(text: str, wanted: tuple[str, ...]) -> dict[str, str] | str:
    if not text.strip():
        return "the action carries no content"
    try:
        content = _with_fence(text.strip(), _body(wanted))
    except (ValueError, RecursionError) as error:
        return f"its content is not a JSON object ({' '.join(str(error).split())[:80]})"
    if not isinstance(content, dict) or set(content) != set(wanted):
        return f"its content has {', '.join(wanted)} and nothing else"
    if not all(isinstance(value, str) and value.strip() for value in content.values()):
        return "every part of its content is a text that says something"
    return content


def _body(wanted: tuple[str, ...]) -> str:
    return "text" if "text" in wanted else "content"


def _with_fence(text: str, body: str) -> Any:
    """Return a JSON object; a code fence may hold the object, or the value of its key `body`.

    Raises:
        ValueError: the text is no JSON object, or text other than a code fence follows the object.
    """
    # Models write raw line breaks within JSON strings; strict=False accepts them.
    decoder = json.JSONDecoder(object_pairs_hook=_once, strict=False)
    if text.startswith(("```", "~~~")):
        return decoder.decode(_fenced(text).strip())
    content, end = decoder.raw_decode(text)
    rest = text[end:].strip()
    if not rest:
        return content
    if not isinstance(content, dict) or body in content:
        raise ValueError(f"text follows the JSON: {rest[:20]!r}")
    return {**content, body: _fenced(rest)}


def _fenced(text: str) -> str:
    """Return the text between the opening and the closing line of a code fence."""
    lines = text.split("\n")
    fence = re.match(r"`{3,12}|~{3,12}", lines[0])
    if len(lines) < 3 or fence is None or lines[-1].strip() != fence.group():
        raise ValueError("text outside the JSON is not a closed ``` block")
    return "\n".join(lines[1:-1]) + "\n"


def _mistake(name: str, path: str, body: str, files: Mapping[str, str]) -> str:
    """Return an objection to a file; "" if the file may be written."""
    if mistake := mistake_in_path(path):
        return mistake
    if len(body) > MAX_CONTENT:
        return f"{path} has {len(body)} characters: at most {MAX_CONTENT}"
    if "\0" in body or re.search("[\ud800-\udfff]", body):
        return f"{path} holds something that is not text"
    if path not in files and len(files) >= MAX_FILES:
        return f"the workspace has {MAX_FILES} files already: change one of them"
    for other in files:
        if other.startswith(f"{path}/") or path.startswith(f"{other}/"):
            return f"{path}: {other} is there already, and one cannot be a folder and a file"
    place, kind = _RULES.place(path), "code" if name == FIX else _KINDS[name]
    if place != kind:
        said = {"code": "code, as in src/main.py", "documents": "a document, as in docs/manual.md"}
        return f"{path} is not {said.get(kind, kind)}"
    if name == FIX and path not in files:
        return f"{path} is not there to be fixed: there are {', '.join(sorted(files))}"
    return ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("an object has the same key twice")
    return dict(pairs)


def _one_line(text: str) -> str:
    """Return a text for a commit's subject: one line without hidden characters, < and >."""
    line = "".join(c for c in without_hidden(text) if c not in "<>")
    return line[:100].strip() or "untitled"


def _ended(body: str) -> str:
    return body if body.endswith("\n") else f"{body}\n"
