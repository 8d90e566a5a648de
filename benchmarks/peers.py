"""Peers that are no dependency of ours, run by an interpreter that has them; no imports of ours.

    /path/to/python benchmarks/peers.py autogen 50

Prints one line of JSON: {"version", "turns", "seconds"}, the turns of one negotiation and the
seconds of some; or {"missing"}, the package that is not there.
"""

import asyncio
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

REPEATS = 5
PACKAGES = {"negmas": "negmas", "autogen": "autogen-agentchat"}


def negmas(turns: int) -> Callable[[], int]:
    """Two of its negotiators concede over a price; as many steps as there are turns."""
    sao = import_module("negmas")
    preferences = import_module("negmas.preferences")
    functions = import_module("negmas.preferences.value_fun")
    issues = [sao.make_issue(1001, "price")]
    seller = preferences.LinearAdditiveUtilityFunction([functions.LinearFun(0.001)], issues=issues)
    buyer = preferences.LinearAdditiveUtilityFunction(
        [functions.AffineFun(-0.001, bias=1)], issues=issues
    )

    def negotiate() -> int:
        session = sao.SAOMechanism(issues=issues, n_steps=turns)
        session.add(sao.AspirationNegotiator(name="Alice"), ufun=seller)
        session.add(sao.AspirationNegotiator(name="Bob"), ufun=buyer)
        session.run()
        return len(session.full_trace)

    return negotiate


def autogen(turns: int) -> Callable[[], int]:
    """Two of its agents take turns in a round-robin chat, with fixed messages."""
    agents = import_module("autogen_agentchat.agents")
    messages = import_module("autogen_agentchat.messages")
    response = import_module("autogen_agentchat.base").Response
    teams = import_module("autogen_agentchat.teams")
    ends = import_module("autogen_agentchat.conditions").MaxMessageTermination

    class Haggler(agents.BaseChatAgent):  # type: ignore[misc, name-defined]
        """Says the same at every turn."""

        @property
        def produced_message_types(self) -> Any:
            """What it says."""
            return (messages.TextMessage,)

        async def on_messages(self, heard: Any, token: Any) -> Any:
            """Its turn."""
            text = "No, not yet: think of what it costs me."
            return response(chat_message=messages.TextMessage(content=text, source=self.name))

        async def on_reset(self, token: Any) -> None:
            """Begin anew: it remembers nothing."""

    async def negotiate() -> int:
        both = [Haggler("Alice", "sells"), Haggler("Bob", "buys")]
        team = teams.RoundRobinGroupChat(both, termination_condition=ends(turns + 1))
        return len((await team.run(task="Begin.")).messages) - 1

    loop = asyncio.new_event_loop()
    return lambda: loop.run_until_complete(negotiate())


def main() -> None:
    """Run one peer."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    name, turns = sys.argv[1], int(sys.argv[2])
    try:
        negotiate = {"negmas": negmas, "autogen": autogen}[name](turns)
    except ImportError as error:
        sys.stdout.write(json.dumps({"missing": error.name or PACKAGES[name]}) + "\n")
        return
    said, seconds = negotiate(), []
    for _ in range(REPEATS):
        started = time.perf_counter()
        said = negotiate()
        seconds.append(time.perf_counter() - started)
    told = {"version": version(PACKAGES[name]), "turns": said, "seconds": seconds}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
