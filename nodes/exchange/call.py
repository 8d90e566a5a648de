"""Call the real tools, where some are plugged in, for what was chosen this turn."""

from typing import Any

from shapley_coop.deals import Fault, scan
from shapley_coop.games.exchange.tools import call, plugged
from shapley_coop.state import EvaluatedTable, Table, home
from shapley_coop.state.exchange import exchange_of
from shapley_coop.state.turn import unsound


def call_tools(table: Table) -> dict[str, Any]:
    """Put the results where the game's step finds them; without plugged tools, nothing.

    A call's idempotency key is (episode, task): each task is done once. After a crash the call may
    be repeated under the same key.
    """
    if unsound(table):
        return {}
    atoms = {atom.name: atom for atom in exchange_of(EvaluatedTable(table)).tasks.atoms}
    sealed = {a: said["pointer"] for a, said in table["sealed"].items() if "pointer" in said}
    results = {}
    for entry in home().journal.open_all(table["episode"], sealed).values():
        action = _chosen(entry.answer.text)
        function = plugged(atoms[action].tool) if action in atoms else None
        if function is not None:
            key = f"{table['episode']}/{action}"
            results[action] = dict(call(function, atoms[action].arguments, key))
    return {"position": {**table["position"], "results": results}} if results else {}


def _chosen(text: str) -> str:
    message = scan(text)
    return "" if isinstance(message, Fault) else message.action or ""
