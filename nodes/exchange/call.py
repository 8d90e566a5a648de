"""The node that calls the Python functions plugged in for the tasks chosen in this turn."""

from collections.abc import Sequence
from typing import Any

from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.games.exchange.tools import call, find_plugin
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import exchange_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from shapley_coop.state.turn import pointers_in


def call_tools(table: Table) -> dict[str, Any]:
    """Call the tools and write their results into the game's position, if tools are plugged in.

    A call's idempotency key is "episode/task", so each task is done once. After a crash the call
    may be repeated under the same key.
    """
    evaluated = EvaluatedTable(table)
    atoms = {atom.name: atom for atom in exchange_of(evaluated).tasks.atoms}
    sealed = pointers_in(table["sealed"])
    results = {}
    for agent, entry in home().journal.open_all(table["episode"], sealed).items():
        action = _choose(entry.answer.text, evaluated.legal(agent))
        function = find_plugin(atoms[action].tool) if action in atoms else None
        if function is not None:
            key = f"{table['episode']}/{action}"
            results[action] = dict(call(function, atoms[action].arguments, key))
    return {"position": {**table["position"], "results": results}} if results else {}


def _choose(text: str, legal: Sequence[str]) -> str:
    message = scan(text)
    found = message if isinstance(message, Fault) else choose(message, legal)
    return "" if isinstance(found, Fault) else found[0]
