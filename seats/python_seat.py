"""A Python callable at a seat: `python:module:factory`.

For each letter, the factory is called with the agent's name as `agent` and the run's seed as
`seed`. The factory returns a callable from the letter's facts and words to tagged text, or to the
fields of the answer (`seats.answer`). As each letter gets a new callable, a callable keeps no
memory between letters. So a resumed run continues as if the run had not stopped.

    def factory(agent: str, seed: int) -> Answering:
        def answer(facts: dict[str, Any], words: str) -> str | dict[str, Any]: ...
        return answer

Seating a callable imports its module. So only the command line, or the program that imports this
package, can permit it (`shapley_coop.permissions`); a suite, a request or a stored run cannot.
Programs listed in an extension (`Extension.programs`) need no permission.
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
from shapley_coop.seats.provider import Actions, Opening, Provider
from shapley_coop.seats.schema import schema_of
from shapley_coop.seats.seat import PYTHON, Seat, SeatFault

Given = str | Mapping[str, Any]
"""An answer: tagged text, or the fields of the act's schema."""

Answering = Callable[[dict[str, Any], str], Given | Awaitable[Given]]
Factory = Callable[..., Answering]

_FORM = "give python:module:factory, as in python:bots:careful"
_MOST_SAID = 300


class PythonSeatError(SeatFault):
    """A callable failed or gave no answer; one line says where and how, and quotes nothing.

    Attributes:
        said: the last line of the program's exception, for the operator only.
    """

    said = ""


def load_factory(name: str) -> Factory:
    """Import the factory of a seat's callable.

    Args:
        name: `module:factory`; the module may be in the working directory.

    Raises:
        ValueError: the factory is not permitted, is not found, or does not take `agent` and
            `seed`.
    """
    seat = f"{PYTHON}:{name}"
    module, _, attribute = name.partition(":")
    parts = module.split(".")
    if not (attribute.isidentifier() and all(part.isidentifier() for part in parts)):
        raise ValueError(f"{seat}: {_FORM}")
    if needs_permission(seat) and not program_permitted(seat):
        raise ValueError(
            f"{seat!r}: this seat runs a program; permit it with coop run --agent NAME={seat!r}, "
            "elsewhere, if you trust the file that names it, with coop --trust-programs …, or in "
            f"Python with shapley_coop.permissions.permit_program({seat!r})"
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
    except ValueError:  # a builtin without a signature
        return True
    return True


def needs_permission(model: str) -> bool:
    """Return whether a seat's callable needs permission because no extension lists it."""
    provider, _, name = model.partition(":")
    module, _, attribute = name.partition(":")
    return provider == PYTHON and not _is_ours(module, attribute)


def _is_ours(module: str, attribute: str) -> bool:
    """Return whether an installed extension lists the callable, so that it is trusted."""
    shipped = extension.load("programs", module) if module in extension.offered("programs") else ()
    return attribute in shipped


def _module(seat: str, module: str) -> Any:
    # Appended last, as LangGraph's server does, so no file here hides an installed package.
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(module)
    except Exception as error:  # importing foreign code may raise anything
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ValueError(f"{seat}: {module} cannot be imported: {said}") from None


class CallableChatModel(AwaitedChatModel):
    """A chat model that answers a letter by a callable, which subclasses find and call."""

    reads_facts: ClassVar[bool] = True
    """Whether the model is a program that gets a letter's facts as an object with the words."""

    @abstractmethod
    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Call the callable and return its result, an awaitable if the callable is asynchronous."""

    @abstractmethod
    def defined_in(self) -> str | None:
        """Return the name of the module that defines the callable."""

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the callable's answer as tagged text.

        Raises:
            PythonSeatError: the callable cannot be loaded, failed, or gave no answer.
        """
        words = as_text(messages)
        # Copied, as the journal keeps the facts and the program must not change them.
        facts = deepcopy(dict(facts_in(messages))) or facts_of_text(words)
        ask = str(facts.get("ask", ""))
        try:
            # One thread makes the callable and calls it: most answers cost less than a thread hop.
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
        # Not raised in `except`, as its context, the program's error, may quote private facts.
        raise failure


class PythonChatModel(CallableChatModel):
    """A chat model that answers a letter by the callable that a factory makes.

    Args:
        source: `module:factory`.
        agent: the agent whose letters the model answers.
        seed: the run's seed.
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
        """Return the name of the factory's module."""
        return getattr(load_factory(self.source), "__module__", None)

    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Make the callable, call it, and return its result.

        Raises:
            PythonSeatError: the factory does not exist, or the factory returns no callable.
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
    """Return an error that says in one line where a program at a seat failed, and quotes nothing.

    Args:
        error: the program's exception.
        module: the program's module; the error names the line of the failure in this module.
        when: the program's task when it failed, in words.
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
            f"asked for {ask}, it returned a value of class {type(given).__name__}: return tagged "
            "text, or a dictionary of fields"
        )
    form = schema_of(facts, carries=True)
    if form is None:
        raise PythonSeatError(f"it answered {ask} with fields, but it has none: return text")
    known = list(form["properties"])
    if strangers := [str(key) for key in given if key not in known]:
        # This text decides nothing, so the program is asked again, with the reason in its letter.
        return f"Unread: the field {strangers[0][:80]!r} is none of {', '.join(known)}."
    return tag_fields(ask, given)


def _place(error: BaseException, module: str | None) -> str:
    """Return file and line of a failure, in the program's file if possible, without the code."""
    frames = traceback.extract_tb(error.__traceback__)
    source = getattr(sys.modules.get(module or ""), "__file__", None)
    inside = [frame for frame in frames if frame.filename == source]
    own = Path(__file__).name
    at = (inside or [frame for frame in frames if Path(frame.filename).name != own])[-1:]
    return "".join(f" in {Path(f.filename).name}, line {f.lineno}," for f in at)


def _check_game(seat: Seat, actions: Actions | None, opening: Opening | None) -> None:
    """Refuse the seat if its factory is missing or refuses the game."""
    factory = load_factory(seat.name)
    try:
        if refuse := getattr(factory, "check_library", None):
            refuse()
        if actions is not None and (refuse := getattr(factory, "check_actions", None)):
            refuse(actions)
        if opening is not None and (refuse := getattr(factory, "check_opening", None)):
            refuse(opening())
    except ValueError as error:
        raise ValueError(f"{seat.model}: {error}") from None


def _model(seat: Seat, *, agent: str, seed: int) -> PythonChatModel:
    return PythonChatModel(source=seat.name, agent=agent, seed=seed)


PROVIDER = Provider(_model, check_game=_check_game, in_text=True)
