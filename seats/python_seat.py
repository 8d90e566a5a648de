"""A Python callable at a seat: `python:module:factory`.

The factory is called by keyword with the agent's name and the run's seed, for each letter anew, and
returns the callable that answers it: from the letter's facts and its words to tagged text, or to
the fields of the question (`seats.answer`). So it keeps no memory, and a run that is resumed
goes on as if it had not stopped.

    def factory(agent: str, seed: int) -> Answering:
        def answer(facts: dict[str, Any], words: str) -> str | dict[str, Any]: ...
        return answer

To seat a callable is to import its module, so only the command line, or the program that imports
this package, can permit it (`shapley_coop.permissions`): never a suite, a request or a stored run.
What extensions ship (`Extension.programs`) needs no permission.
"""

import asyncio
import importlib
import inspect
import os
import sys
import traceback
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from shapley_coop import extension
from shapley_coop.extras import LibraryMissing
from shapley_coop.permissions import program_permitted
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.awaited import AwaitedChatModel
from shapley_coop.seats.letters import as_text, facts_in, facts_of_text
from shapley_coop.seats.schema import schema_of
from shapley_coop.seats.seat import PYTHON, SeatFault

Given = str | Mapping[str, Any]
"""An answer: tagged text, or the fields of the act's schema."""

Answering = Callable[[dict[str, Any], str], Given | Awaitable[Given]]
Factory = Callable[..., Answering]

_FORM = "give python:module:factory, as in python:bots:careful"
_MOST_SAID = 300


class PythonSeatError(SeatFault):
    """A callable failed or gave no answer. One line says where and how, and quotes nothing of it.

    Attributes:
        said: the last line of its own exception, for the operator alone.
    """

    said = ""


def load_factory(name: str) -> Factory:
    """Import what makes a seat's callable.

    Args:
        name: `module:factory`; a module of the working directory can be named too.

    Raises:
        ValueError: nothing permitted it, there is no such module or factory, or it takes no agent
            and seed.
    """
    seat = f"{PYTHON}:{name}"
    module, _, attribute = name.partition(":")
    parts = module.split(".")
    if not (attribute.isidentifier() and all(part.isidentifier() for part in parts)):
        raise ValueError(f"{seat}: {_FORM}")
    if needs_permission(seat) and not program_permitted(seat):
        raise ValueError(
            f"{seat}: to seat it is to run a program; permit it with coop run --agent NAME={seat}, "
            "elsewhere, if you trust what names it, with coop --trust-programs …, "
            f"or in Python with shapley_coop.permissions.permit_program({seat!r})"
        )
    found = getattr(_module(seat, module), attribute, None)
    if not callable(found):
        raise ValueError(f"{seat}: {module} has no callable {attribute}: {_FORM}")
    if not _takes_agent_and_seed(found):
        raise ValueError(
            f"{seat}: {attribute} does not take agent= and seed=, with which it is called"
        )
    return found  # type: ignore[no-any-return]


def _takes_agent_and_seed(factory: Callable[..., Any]) -> bool:
    try:
        inspect.signature(factory).bind(agent="", seed=0)
    except TypeError:
        return False
    except ValueError:  # a builtin that tells no signature
        return True
    return True


def needs_permission(model: str) -> bool:
    """Return whether a seat runs foreign code, which no file and no stored run can permit."""
    provider, _, name = model.partition(":")
    module, _, attribute = name.partition(":")
    return provider == PYTHON and not _is_ours(module, attribute)


def _is_ours(module: str, attribute: str) -> bool:
    """Return whether a callable is shipped with this package, and so runs no foreign code."""
    shipped = extension.load("programs", module) if module in extension.offered("programs") else ()
    return attribute in shipped


def _module(seat: str, module: str) -> Any:
    # Last, as LangGraph's server does: a file here stands in the place of no installed package.
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(module)
    except Exception as error:  # whatever a module that is not ours may do when it is run
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ValueError(f"{seat}: {module} cannot be imported: {said}") from None


class CallableChatModel(AwaitedChatModel):
    """Answers a letter by a callable of its facts and words, which a subclass calls."""

    reads_facts: ClassVar[bool] = True
    """It is a program: it gets a letter's facts as an object beside the words."""

    @abstractmethod
    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Return what the callable gives; of an asynchronous one what is to be awaited."""

    @abstractmethod
    def defined_in(self) -> str | None:
        """Return the module that the callable stands in."""

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return what the callable answers, as tagged text.

        Raises:
            PythonSeatError: it cannot be had, failed, or gave no answer.
        """
        words = as_text(messages)
        # A copy: the journal keeps the facts, and no program can change those.
        facts = deepcopy(dict(facts_in(messages))) or facts_of_text(words)
        ask = str(facts.get("ask", ""))
        try:
            # One hop to a thread for both, as a hop costs more than most answers.
            given: Any = await asyncio.to_thread(self.called, facts, words)
            if inspect.isawaitable(given):
                given = await given
            return _as_text(ask, given, facts)
        except (PythonSeatError, TimeoutError):
            raise
        except LibraryMissing as error:
            raise PythonSeatError(str(error)) from None
        except (Exception, SystemExit) as error:
            failure = failure_of(error, self.defined_in(), f" when asked to {ask}")
        # Raised outside the handler: what a program says of an error may quote private facts.
        raise failure


class PythonChatModel(CallableChatModel):
    """Answers a letter by what a factory makes.

    Args:
        source: `module:factory`.
        agent: whose letters it answers.
        seed: the run's.
    """

    source: str
    agent: str = ""
    seed: int = 0

    @property
    def _llm_type(self) -> str:
        return PYTHON

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"source": self.source, "seed": self.seed}

    def defined_in(self) -> str | None:
        """Return the factory's module."""
        return getattr(load_factory(self.source), "__module__", None)

    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Return what the callable gives that the factory makes.

        Raises:
            PythonSeatError: there is no such factory, or it makes none.
        """
        try:
            factory = load_factory(self.source)
        except ValueError as error:
            raise PythonSeatError(str(error)) from None
        answer: Any = factory(agent=self.agent, seed=self.seed)
        if not callable(answer):
            raise PythonSeatError(
                f"the factory made a {type(answer).__name__}: return a callable of facts and words"
            )
        return answer(facts, words)


def failure_of(error: BaseException, module: str | None, when: str = "") -> PythonSeatError:
    """Say where a program at a seat failed, in one line that quotes nothing.

    Args:
        error: what it raised.
        module: its own, whose line is named if there is one.
        when: what it was doing, in words.
    """
    failure = PythonSeatError(f"it raised {type(error).__name__}{_place(error, module)}{when}")
    failure.said = traceback.format_exception_only(error)[-1].strip()[:_MOST_SAID]
    return failure


def _as_text(ask: str, given: Any, facts: Mapping[str, Any]) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, BaseModel):
        given = given.model_dump(mode="json", exclude_unset=True)
    if not isinstance(given, Mapping):
        raise PythonSeatError(
            f"asked for {ask}, it gave a value of class {type(given).__name__}: give tagged text, "
            "or a dictionary of fields"
        )
    form = schema_of(facts, carries=True)
    if form is None:
        raise PythonSeatError(f"it answered {ask} with fields, which it has none of: give text")
    known = list(form["properties"])
    if strangers := [str(key) for key in given if key not in known]:
        raise PythonSeatError(
            f"it answered {ask} with the field {strangers[0][:80]!r}; there are {', '.join(known)}"
        )
    return tag_fields(ask, given)


def _place(error: BaseException, module: str | None) -> str:
    """The line of the program's own file, or of what it called, without what the line says."""
    frames = traceback.extract_tb(error.__traceback__)
    source = getattr(sys.modules.get(module or ""), "__file__", None)
    inside = [frame for frame in frames if frame.filename == source]
    own = Path(__file__).name
    at = (inside or [frame for frame in frames if Path(frame.filename).name != own])[-1:]
    return "".join(f" in {Path(f.filename).name}, line {f.lineno}," for f in at)
