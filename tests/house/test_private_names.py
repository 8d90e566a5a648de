"""Libraries are used by their public names: no private one is imported, reached or replaced."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from shapley_coop.extras import LibraryMissing
from tests.brought import with_all_extensions
from tests.budgets import CORE, EXTENSIONS
from tests.root import ROOT

PACKAGE = "shapley_coop"

PUBLIC = {"_asdict", "_replace", "_fields", "_exit"}
"""Names that Python documents for users, of named tuples and of `os`."""

HOOKS = {
    *("_generate", "_agenerate", "_stream", "_astream"),
    *("_llm_type", "_identifying_params", "_get_ls_params"),
}
"""What LangChain documents for a chat model of one's own to have; for others it is private."""

TOOLS = "extensions/attribute/tools.py"
MODELS = "extensions/attribute/instead.py"
EXCEPTIONS = {
    (TOOLS, "BaseTool.invoke"): (
        "an app's tools are held by nodes, closures and other libraries, and LangChain has no hook "
        "that answers in a tool's place; for as long as an app is attributed"
    ),
    (TOOLS, "BaseTool.ainvoke"): "the same, awaited",
    (MODELS, "BaseChatModel.invoke"): (
        "another model answers with an agent's own prompts and tools only where the agent's is "
        "asked, and LangChain has no hook that answers in a model's place; for as long as that"
    ),
    (MODELS, "BaseChatModel.ainvoke"): "the same, awaited",
    (MODELS, "BaseChatModel.stream"): "the same, in parts",
    (MODELS, "BaseChatModel.astream"): "the same, in parts, awaited",
}
"""File and name → why it is not done by public names."""

PRODUCT = [
    path
    for folder in (*(ROOT / room for room in CORE), EXTENSIONS)
    for path in sorted(folder.rglob("*.py"))
    if "tests" not in path.relative_to(ROOT).parts
]


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def imports(tree: ast.AST) -> Iterator[str]:
    """Private modules and names that are imported, of whomever."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in named if any(map(private, name.split("."))))


def reached(tree: ast.AST) -> Iterator[str]:
    """Private names of other objects than a file's own, by a dot or by `getattr` and its like."""
    ours = defined(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name) if not itself(value):
                pass
            case ast.Call(
                func=ast.Name(id="getattr" | "setattr" | "hasattr" | "delattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                pass
            case _:
                continue
        if private(name) and name not in ours:
            yield name


def replaced(tree: ast.AST) -> Iterator[str]:
    """What is set of something imported, such as a library's module or class."""
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                target: ast.expr = node
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[target, *_]):
                pass
            case _:
                continue
        # The environment is a process's own.
        if outermost(target) in imported and ast.unparse(target) != "os.environ":
            yield ast.unparse(target)


def inherited(kind: type) -> Iterator[str]:
    """Private names of a library's class that a class of ours uses or overrides."""
    tree = body_of(kind)
    ours = {name for base in kind.__mro__ if of_us(base) for name in names_of(base)}
    theirs = {name for base in kind.__mro__ if not of_us(base) for name in names_of(base)}
    used = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and itself(n.value)}
    for name in (used | defined(tree)) - HOOKS:
        if private(name) and (name in theirs or name not in ours):
            yield name


def classes(path: Path, tree: ast.Module) -> Iterator[type]:
    """The classes of a module that are made of others, if its libraries are here."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    module = ".".join(parts if parts[0] == PACKAGE else (PACKAGE, *parts))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.bases:
            with suppress(LibraryMissing):
                yield getattr(import_module(module.removesuffix(".__init__")), node.name)


def defined(tree: ast.AST) -> set[str]:
    """Names that a file or a class defines: functions, classes, fields, what `self` is given."""
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if itself(node.value) else set()
    return found


@cache
def classes_in(file: str) -> dict[str, ast.AST]:
    """The classes that a file defines outermost: `inspect` would parse it for each of them."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def body_of(kind: type) -> ast.AST:
    outermost_class = classes_in(inspect.getsourcefile(kind) or "").get(kind.__qualname__)
    return outermost_class or ast.parse(textwrap.dedent(inspect.getsource(kind)))


@cache
def names_of(kind: type) -> set[str]:
    """The names that a class itself defines."""
    try:
        source = defined(body_of(kind))
    except (OSError, TypeError):  # compiled, or made while it runs
        source = set()
    return source if of_us(kind) else source | vars(kind).keys()


def of_us(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in (PACKAGE, __name__.partition(".")[0])


def itself(node: ast.expr) -> bool:
    """Whether an expression is `self`, `cls` or `super()`: what it has, `inherited` looks up."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def outermost(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@with_all_extensions
def test_no_private_name_of_a_library_is_used_but_for_a_reason() -> None:
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in PRODUCT
        for tree in [ast.parse(path.read_text(encoding="utf-8"))]
        for name in (
            *(name for way in (imports, reached, replaced) for name in way(tree)),
            *(name for kind in classes(path, tree) for name in inherited(kind)),
        )
    }
    assert found - EXCEPTIONS.keys() == set()
    assert EXCEPTIONS.keys() - found == set(), "no exception outlives what it was made for"


@pytest.mark.parametrize(
    ("way", "code"),
    [
        (imports, "from psycopg.errors import _WaitTimeout"),
        (imports, "import langgraph._internal.config"),
        (reached, "def call(model): return model._agenerate([])"),
        (reached, "getattr(model, '_agenerate_with_cache')"),
        (replaced, "from langgraph import types\ntypes.Send = None"),
        (replaced, "import openai\nsetattr(openai.OpenAI, 'post', None)"),
    ],
)
def test_each_way_to_a_private_name_is_seen(way: object, code: str) -> None:
    assert callable(way)
    assert [*way(ast.parse(code))]


class Chat(ChatOpenAI):
    """Uses what is private to LangChain in two ways, beside a hook and a name of its own."""

    def _create_chat_result(self, *given: Any, **more: Any) -> Any:
        return self._own()

    def _own(self) -> Any:
        return super()._agenerate([]), self._use_responses_api({})


def test_what_a_class_takes_of_what_is_private_to_its_library_is_seen() -> None:
    assert {*inherited(Chat)} == {"_create_chat_result", "_use_responses_api"}
