"""Who is asked, where the page goes on, and why people are asked apart.

Models think side by side in one task. A person is always one task of their own (a `Send`): replies
are matched to tasks by id, in any order and over restarts, and nobody waits for anybody.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import cast

from langgraph.types import Send

from shapley_coop.deals import contract_breaches
from shapley_coop.graphs.minds import WorkflowBuilder, quick
from shapley_coop.state import Table, broke, config_of, game_of

Who = Callable[[Table], list[str]]


def everyone(table: Table) -> list[str]:
    """All agents."""
    return table["agents"]


def speaker(table: Table) -> list[str]:
    """Whose turn it is to propose."""
    return [table["speaker"]]


def listeners(table: Table) -> list[str]:
    """All but the author of the standing offer."""
    return [agent for agent in table["agents"] if agent != table["speaker"]]


def able(table: Table) -> list[str]:
    """Everybody who has something to do this turn."""
    game = game_of(table["settings"])
    return [agent for agent in table["agents"] if game.legal(table["position"], agent)]


SIDE_BY_SIDE: dict[str, Who] = {
    "reason": everyone,
    "answer": listeners,
    "answer_split": listeners,
    "act": able,
    "claim": everyone,
    "sign": everyone,
    "consider": everyone,
}
"""The nodes that ask several agents at once, and whom."""


def lead(page: WorkflowBuilder, source: str, to: str) -> None:
    """An edge to a node that may ask people."""
    branch(page, source, lambda _: to, {to: to})


def branch(
    page: WorkflowBuilder, source: str, verdict: Callable[[Table], str], onward: Mapping[str, str]
) -> None:
    """Edges by verdict; into a node that asks several, people go apart.

    Args:
        page: the page.
        source: the node they leave from.
        verdict: names what was found.
        onward: verdict → node.
    """

    def route(table: Table) -> str | Sequence[Send]:
        found = verdict(table)
        return apart(onward[found], table) or found

    page.add_conditional_edges(source, quick(route), cast(dict[Hashable, str], dict(onward)))


def apart(node: str, table: Table) -> list[Send]:
    """One `Send` for each person asked at `node`, and one for all others; none without people.

    The payload is the public table and the names: never a secret.
    """
    if node not in SIDE_BY_SIDE:
        return []
    seats, asked = config_of(table["settings"]).seats, SIDE_BY_SIDE[node](table)
    people = [[agent] for agent in asked if seats[agent].human]
    others = [agent for agent in asked if not seats[agent].human]
    groups = [others, *people] if others else people
    who = [{"asked": group, "beside": [a for a in asked if a not in group]} for group in groups]
    return [Send(node, {**table, **each}) for each in who] if people else []


def offered(table: Table) -> str:
    """Whether the speaker put an offer."""
    return "offer" if table["offer"] else "pass"


def tallied(table: Table) -> str:
    """What the tally found."""
    return table["verdict"]


def whether_over(table: Table) -> str:
    """Whether the game goes on; without a budget it does not."""
    over = broke(table) or game_of(table["settings"]).over(table["position"])
    return "over" if over else "play_on"


def how_it_goes_on(table: Table) -> str:
    """Whether the game goes on, and whether the contract is due to be bargained over first."""
    found = whether_over(table)
    return "due" if found == "play_on" and renegotiation_is_due(table) else found


def renegotiation_is_due(table: Table) -> bool:
    """Whether the room's rule calls for a new bargaining after the latest turn."""
    rule, record = config_of(table["settings"]).renegotiate, table["record"]
    latest = record[-1]
    match rule.split():
        case ["every", turns]:
            return latest["turn"] % int(turns) == 0
        case ["on_breach"]:
            broken = contract_breaches(table.get("contract"), record)
            return any(breach.turn == latest["turn"] for breach in broken)
        case ["on_shock"]:
            return any(effect.get("shock") for effect in latest.get("effects", []))
        case _:
            return False
