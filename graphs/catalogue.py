"""The catalogue of workflows by the names under which `langgraph.json` registers them."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from shapley_coop import extension
from shapley_coop.files import no_such
from shapley_coop.games.removed import removed

if TYPE_CHECKING:
    from shapley_coop.graphs.app import App
    from shapley_coop.graphs.workflow import WorkflowBuilder

_PAGES = (
    "llm_only",
    "negotiation",
    "negotiation_priced",
    "short_term",
    "shapley_coop",
    "contracts",
)


def names() -> list[str]:
    """Return the names of the workflows of this package, followed by those of extensions."""
    return [*_PAGES, *extension.offered("workflows")]


@cache
def builder(name: str) -> "WorkflowBuilder":
    """Return the builder of a workflow.

    Raises:
        ValueError: no workflow has that name.
    """
    return cast("WorkflowBuilder", compiled(name).builder)


@cache
def admits_payments(name: str) -> bool:
    """Return whether a deal in any bargaining of a workflow can have payments.

    Raises:
        ValueError: no workflow has that name.
    """
    topics = [asking.topic for asking in builder(name).askings.values()]
    return any(topic.payments and topic.rules for topic in topics)


@cache
def version(name: str) -> str:
    """Return the version of a workflow (`WorkflowBuilder.version`), computed once.

    Raises:
        ValueError: no workflow has that name.
    """
    return builder(name).version


@cache
def compiled(name: str) -> "App":
    """Return the compiled workflow, without a checkpoint saver, as LangGraph's server uses it.

    Raises:
        ValueError: no workflow has that name.
    """
    check_name(name)
    if name in _PAGES:
        return cast("App", import_module(f"shapley_coop.graphs.{name}").graph)
    return cast("App", extension.load("workflows", name))


def make_forms_ready() -> None:
    """Load and cache the games and agents that input forms list, so that showing a form is fast."""
    from shapley_coop.games.catalogue import payoff_files
    from shapley_coop.state.workflow_config import agents_of, playable

    payoff_files()
    for page in map(builder, names()):
        playable(page.plays)
        agents_of(page.game)


def summary(name: str) -> str:
    """Return a one-line summary of a workflow: the first line of its module's docstring."""
    return (page_of(name).__doc__ or "").splitlines()[0]


def page_of(name: str) -> ModuleType:
    """Return the module that defines a workflow.

    Raises:
        ValueError: no workflow has that name.
    """
    check_name(name)
    if name in _PAGES:
        return import_module(f"shapley_coop.graphs.{name}")
    _, place = extension.offered("workflows")[name]
    return import_module(place.partition(":")[0])


def check_name(name: str) -> None:
    """Check that a workflow exists, without loading it.

    Raises:
        ValueError: no workflow has that name.
    """
    if name not in (known := names()):
        instead = "and what an extension may bring"
        raise ValueError(removed(name) or no_such("workflow", name, known, instead))
