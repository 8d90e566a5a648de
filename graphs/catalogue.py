"""The workflows by name, as `langgraph.json` registers them."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from shapley_coop import extension
from shapley_coop.files import no_such

if TYPE_CHECKING:
    from shapley_coop.graphs.workflow import App, WorkflowBuilder

_PAGES = (
    "llm_only",
    "negotiation",
    "negotiation_priced",
    "short_term",
    "shapley_coop",
    "task_exchange_baseline",
    "task_exchange_unchecked",
    "task_exchange_unguided",
    "task_exchange",
    "contracts",
)


def names() -> list[str]:
    """Return the workflows, from the least to the most, and then what extensions bring."""
    return [*_PAGES, *extension.offered("workflows")]


@cache
def builder(name: str) -> "WorkflowBuilder":
    """Return a workflow's page of wiring.

    Raises:
        ValueError: there is none of that name.
    """
    return cast("WorkflowBuilder", compiled(name).builder)


@cache
def admits_payments(name: str) -> bool:
    """Return whether agents can agree on payments anywhere in a workflow.

    Raises:
        ValueError: there is none of that name.
    """
    return any(asking.topic.payments for asking in builder(name).askings.values())


@cache
def version(name: str) -> str:
    """Return a workflow's version (`WorkflowBuilder.version`), read off its page once.

    Raises:
        ValueError: there is none of that name.
    """
    return builder(name).version


@cache
def compiled(name: str) -> "App":
    """A workflow without a saver: the one that its page compiles, for LangGraph's server, too.

    Raises:
        ValueError: there is none of that name.
    """
    check_name(name)
    if name in _PAGES:
        return cast("App", import_module(f"shapley_coop.graphs.{name}").graph)
    return cast("App", extension.load("workflows", name))


def make_forms_ready() -> None:
    """Read from disk what the workflows' forms name, for callers that may not read later."""
    from shapley_coop.state.workflow_config import agents_of, playable

    for page in map(builder, names()):
        playable(page.plays)
        agents_of(page.game)


def summary(name: str) -> str:
    """Return one line on a workflow: the first of its page."""
    return (page_of(name).__doc__ or "").splitlines()[0]


def page_of(name: str) -> ModuleType:
    """Return the module of a workflow's page.

    Raises:
        ValueError: there is none of that name.
    """
    check_name(name)
    if name in _PAGES:
        return import_module(f"shapley_coop.graphs.{name}")
    _, place = extension.offered("workflows")[name]
    return import_module(place.partition(":")[0])


def check_name(name: str) -> None:
    """Refuse what is no workflow; none is loaded for that.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in (known := names()):
        raise ValueError(no_such("workflow", name, known, "and what an extension may bring"))
