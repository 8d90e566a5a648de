"""The bundle: one run as one JSON object, for the page and for reports.

All agents may see every part except `private`, which only the operator may see, and which is None
unless requested. Amounts are in the game's unit. Texts are plain text, never markup.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.escaping import visible_data
from shapley_coop.extensions.page.calls import calls_view
from shapley_coop.extensions.page.clauses import contract_view
from shapley_coop.extensions.page.credit import NORMS, credit_view
from shapley_coop.extensions.page.escrow import escrow_view
from shapley_coop.extensions.page.outcomes import outcome_view, payoff_matrix
from shapley_coop.extensions.page.plan import plan_view
from shapley_coop.extensions.page.private import notes
from shapley_coop.extensions.page.run_summary import summarize
from shapley_coop.games import Game
from shapley_coop.games.catalogue import title
from shapley_coop.seats.records import Entry
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import simulation_note
from shapley_coop.state.result import result, usage
from shapley_coop.state.storage.ledger import Line, balances_of
from shapley_coop.state.table import Table
from shapley_coop.state.timeline import timeline

VERSION = 3
"""The version of the bundle format; a page shows only bundles of the page's version."""

_NOTHING: dict[str, Any] = {
    "status": "open",
    "agents": [],
    "timeline": [],
    "ledger": {"lines": [], "balances": {}},
    **dict.fromkeys(
        (
            *("contract", "escrow", "matrix", "plan"),
            *("happened", "outcome", "credit", "cost", "calls", "private"),
        )
    ),
}
"""The bundle of a run before its first node."""


_NORM = re.compile(rf"\bthe norm ({'|'.join(NORMS)})\b")

DONE = ("ended", "failed")
"""The final states of a run."""


@dataclass(frozen=True)
class About:
    """The facts about a run that are in the register but not in the run's state.

    Attributes:
        run: the run's name.
        graph: the workflow's name.
        created: the time of the run's start in ISO format.
        state: started, waiting (for people), ended or failed.
        why: the agents for whose answers the run waits, or why the run failed; otherwise "".
        links: the known addresses of `trace`, `thread` and `seats` (agent → address).
    """

    run: str
    graph: str
    created: str = ""
    state: str = "started"
    why: str = ""
    links: Mapping[str, Any] = field(default_factory=dict)


def bundle(
    about: About,
    table: Table,
    ledger: Sequence[Line] = (),
    journal: Sequence[Entry] | None = None,
    private: bool = False,
) -> dict[str, Any]:
    """Return the bundle of a finished or unfinished run.

    Args:
        about: the facts from the register.
        table: the run's latest state; empty before the first checkpoint.
        ledger: the ledger lines of the run's episode.
        journal: the letters and answers of the run's episode; if None, `calls` is None too.
        private: whether to add `private`, the letters and answers that only the operator may read.
    """
    head = {"bundle": VERSION, **about.__dict__}
    if "settings" not in table:
        return {**head, **_NOTHING, "story": summarize(_NOTHING)}
    evaluated = EvaluatedTable(table)
    outcome = result(about.run, about.graph, table) if table.get("settlement") else None
    shown = {
        **head,
        **_play_view(evaluated),
        "timeline": timeline(evaluated),
        "contract": contract_view(evaluated),
        "escrow": escrow_view(evaluated),
        "matrix": payoff_matrix(evaluated),
        "plan": plan_view(evaluated),
        "happened": outcome and outcome["happened"],
        "outcome": outcome and outcome_view(evaluated, outcome),
        "credit": outcome and credit_view(evaluated, outcome),
        "ledger": _ledger(ledger),
        "cost": _cost(table),
        "calls": None if journal is None else calls_view(journal, table),
    }
    told = _in_words(evaluated.game, {**shown, "story": summarize(shown)})
    own = notes(journal or (), table) if private else None
    seen: dict[str, Any] = visible_data({**told, "private": own})
    return seen


def _in_words(game: Game, shown: Any) -> Any:
    """Return parts of a bundle with words in place of the game's codes, as in people's letters.

    Norms have their usual names. What an agent said stays as it was delivered.
    """
    if isinstance(shown, str):
        return _NORM.sub(lambda found: f"the {NORMS[found[1]]}", game.for_people(shown))
    if isinstance(shown, Mapping):
        said = {"text": shown["text"]} if shown.get("kind") == "said" else {}
        return {key: _in_words(game, one) for key, one in shown.items()} | said
    return [_in_words(game, one) for one in shown] if isinstance(shown, list | tuple) else shown


def _play_view(evaluated: EvaluatedTable) -> dict[str, Any]:
    table, config, game = evaluated.table, evaluated.config, evaluated.game
    seats = {agent: seat.model for agent, seat in config.seats.items()}
    simulated = any(seat.simulated or seat.of_simulation for seat in config.seats.values())
    return {
        "status": table["status"],
        "episode": table["episode"],
        "seed": config.seed,
        "agents": table["agents"],
        "seats": seats,
        "simulated": simulated,
        "simulation": simulation_note({"seats": seats, "simulated": simulated}),
        "game": {
            "name": title(config.game),
            "about": game.summary(),
            "rules": game.rules(),
            "turns": game.turns,
            "unit": game.currency,
        },
    }


def _ledger(lines: Sequence[Line]) -> dict[str, Any]:
    return {
        "lines": [{**line.__dict__, "amount": line.amount / MICRO} for line in lines],
        "balances": {name: amount / MICRO for name, amount in balances_of(lines).items()},
    }


def _cost(table: Table) -> dict[str, Any]:
    spent = table.get("spent", {})
    phases = [
        {"phase": phase, "seconds": cost.get("seconds", 0.0), "agents": cost.get("agents", {})}
        for phase, cost in spent.items()
    ]
    return {**usage(spent), "phases": phases}
