"""The only renderer of letters, from the shipped templates or from a pack that replaces them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    StrictUndefined,
    Template,
    TemplateSyntaxError,
    meta,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from shapley_coop import extension
from shapley_coop.canonical import cache_key
from shapley_coop.escaping import visible, visible_lines

_HERE = Path(__file__).parent


# Letters are Markdown for models, not pages for browsers: data is escaped by `fence`.
_SETTINGS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
_environment = Environment(**_SETTINGS)  # noqa: S701
_environment.globals.clear()  # unused, and every rendering would copy them
# Packs are foreign templates, so they run in a sandbox and reach nothing but their variables.
_foreign = ImmutableSandboxedEnvironment(**_SETTINGS)
for _each in (_environment, _foreign):
    _each.filters["in_line"] = visible
# Read at import, because a server's event loop must not wait for files.
_shipped = {path.stem: path.read_text(encoding="utf-8") for path in _HERE.glob("*.md")}


# Characters that open a tag or close a fence; `visible` also escapes line ends and hidden ones.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`"}


@cache
def _templates() -> Mapping[str, str]:
    """Return name → text of all templates, of this package and of the extensions."""
    brought = extension.offered("templates")
    return _shipped | {name: extension.load("templates", name) for name in brought}


def names() -> list[str]:
    """Return the names of all templates, sorted."""
    return sorted(_templates())


def fingerprint(pack: Mapping[str, str] | None = None) -> str:
    """Return a hash of all templates, which differs between versions and between packs.

    Args:
        pack: the templates that replace shipped ones.
    """
    pack = pack or {}
    texts = (pack.get(name) or text for name, text in sorted(_templates().items()))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def render(name: str, /, **variables: Any) -> str:
    """Fill a template and escape every hidden character of the result.

    Args:
        name: the name of the Markdown file, without its ending.
        **variables: all variables that the template names.

    Raises:
        jinja2.UndefinedError: a variable is missing.
        KeyError: there is no such template.
    """
    foreign = _pack.get().get(name)
    template = _of_a_pack(foreign) if foreign else _ours(name)
    if _without_tags.get() and template.blocks:
        template, variables = _emptied(template), {**variables, "letter": template}
    return visible_lines(template.render(**variables))


def fill(text: str, /, **variables: Any) -> str:
    """Fill an extension's own template; a user's folder of templates cannot replace it.

    Args:
        text: the template's text.
        **variables: all variables that the template names.

    Raises:
        jinja2.UndefinedError: a variable is missing.

    >>> fill("{{ you }} begins.", you="Ann")
    'Ann begins.'
    """
    return visible_lines(_environment.from_string(text).render(**variables))


_pack: ContextVar[Mapping[str, str]] = ContextVar("pack", default={})  # noqa: B039 - never changed


@contextmanager
def use_pack(pack: Mapping[str, str]) -> Iterator[None]:
    """Write letters with a pack's templates within the `with` block.

    Args:
        pack: template → text; the shipped text is used for other templates.
    """
    before = _pack.set(pack)
    try:
        yield
    finally:
        _pack.reset(before)


_without_tags: ContextVar[bool] = ContextVar("without_tags", default=False)


@contextmanager
def without_tags() -> Iterator[None]:
    """Leave out the templates' blocks, which tell programs how to write, within the `with` block.

    A person chooses from a form instead of writing tags or JSON.
    """
    token = _without_tags.set(True)
    try:
        yield
    finally:
        _without_tags.reset(token)


def are_tags_left_out() -> bool:
    """Return whether letters are written without the blocks for programs now."""
    return _without_tags.get()


@cache
def _emptied(template: Template) -> Template:
    """Return a template that extends the variable `letter` and empties the template's blocks."""
    blocks = "".join(f"{{% block {name} %}}{{% endblock %}}" for name in template.blocks)
    return template.environment.from_string(f"{{% extends letter %}}{blocks}")


def check_pack(pack: Mapping[str, str]) -> None:
    """Check that a pack's templates can be parsed and use the shipped templates' variables.

    Raises:
        ValueError: a template is unknown, cannot be parsed, leaves out a variable of the shipped
            template, or names another variable.
    """
    for name, text in pack.items():
        if name not in _templates():
            raise ValueError(f"{name}.md is not a template: choose from {', '.join(names())}")
        try:
            named = _variables(text)
        except TemplateSyntaxError as error:
            raise ValueError(f"{name}.md, line {error.lineno}: {error.message}") from None
        ours = _variables(_templates()[name])
        if missing := sorted(ours - named):
            raise ValueError(f"{name}.md lacks {', '.join(missing)}: use each once or more")
        if strange := sorted(named - ours):
            given = ", ".join(sorted(ours)) or "none"
            raise ValueError(f"{name}.md uses {', '.join(strange)}: its variables are {given}")


def _variables(text: str) -> set[str]:
    return meta.find_undeclared_variables(_foreign.parse(text))


@cache
def _ours(name: str) -> Template:
    return _environment.from_string(_templates()[name])


@lru_cache(maxsize=256)
def _of_a_pack(text: str) -> Template:
    return _foreign.from_string(text)


def fence(facts: Mapping[str, Any]) -> str:
    """Return facts as one fenced JSON block, for letters whose answer is JSON too."""
    return f"```json\n{_escape(facts)}\n```"


def compact_json(value: Any) -> str:
    """Return a value as JSON on one line."""
    return _compact(cache_key(value))


@lru_cache(maxsize=128)
def _compact(value: bytes) -> str:
    return _escape(json.loads(value))


def _escape(value: Any) -> str:
    return visible(json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPES))
