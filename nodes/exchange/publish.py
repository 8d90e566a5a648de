"""Publish, in a trade: what stands, who has accepted it, and whose turn is next."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.exchange.talk import as_deal
from shapley_coop.deals.language.deal import Deal
from shapley_coop.seats.person import CHOSEN
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.exchange import exchange_of, masks_in, pending_of
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.own_tables import Pending
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext


def keep_plans(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Plans stay private: the table learns where each waits."""
    return {"thoughts": {a: said["pointer"] for a, said in outputs.items() if "pointer" in said}}


def put_message(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """One turn of talk.

    Verdicts: `error` (no valid message in all attempts), `agreed` (all have accepted what
    stands), `no_deal` (the turns are used up) and `talk_on`. A proposal's revision is its turn.
    """
    table = turn.table
    (speaker, said), number = next(iter(outputs.items())), table["round"]
    standing = pending_of(table)
    if said["act"] in ("propose", "reject"):
        said = {**said, "deal": deal_in(turn, speaker, said["text"]).record()}
        about = standing["turn"] if standing and said["act"] == "reject" else 0
        utterance = Utterance(speaker, said, puts=number, about=about)
        standing = {"by": speaker, "turn": number, "wrote": said["text"], "accepted": [speaker]}
    else:
        accepting = said["act"] == "accept" and standing is not None
        utterance = Utterance(
            speaker, said, about=standing["turn"] if standing and accepting else 0
        )
        if standing and accepting:
            standing = {**standing, "accepted": sorted({*standing["accepted"], speaker})}
    return {
        "talk": entries(table, turn.topic.name, [utterance]),
        "pending": standing,
        "revision": standing["turn"] if standing else 0,
        **_next_turn(turn, said, standing),
    }


def deal_in(turn: TurnContext, by: str, text: str) -> Deal:
    """A delivered proposal as a deal; one that is not valid says nothing that could bind."""
    game = exchange_of(turn.evaluated)
    masks = masks_in(game.tasks, by, text)
    if masks is None:
        return Deal()
    hands = game.hands({agent: int(bits, 2) for agent, bits in masks.items()})
    return as_deal(game.tasks, masks, from_turn=len(hands) + 1)


def _next_turn(turn: TurnContext, said: AgentOutput, standing: Pending | None) -> dict[str, Any]:
    table = turn.table
    agents, number = table["agents"], table["round"]
    if (
        said["act"] == "pass"
        and "pointer" not in said
        and said.get("label") not in (CHOSEN, SPENT_UP)
    ):
        return {"verdict": "error"}
    if standing and set(standing["accepted"]) >= set(agents):
        return {"verdict": "agreed"}
    if number >= exchange_of(turn.evaluated).params.talk:
        return {"verdict": "no_deal"}
    after = agents[(agents.index(table["speaker"]) + 1) % len(agents)]
    return {"verdict": "talk_on", "round": number + 1, "speaker": after}
