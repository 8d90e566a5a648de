"""Say, in a trade: what stands, who has accepted it, and whose turn is next."""

from typing import Any

from shapley_coop.deals import Deal
from shapley_coop.deals.exchange.talk import as_deal
from shapley_coop.state import SPENT_UP, AgentOutput, Table, TurnContext, Utterance, entries
from shapley_coop.state.exchange import exchange_of, masks_in, pending_of
from shapley_coop.state.table import Pending


def say_plans(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """Plans stay private: the table learns where each waits, and that talk begins."""
    thoughts = {a: said["pointer"] for a, said in spoken.items() if "pointer" in said}
    return {"thoughts": thoughts, "round": 2}


def say_turn(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """One turn of talk.

    Verdicts: `error` (no valid message in all attempts), `agreed` (everybody has accepted what
    stands), `no_deal` (the turns are used up) and `talk_on`. A proposal's revision is its turn.
    """
    table = moment.table
    (speaker, said), turn = next(iter(spoken.items())), table["round"]
    standing = pending_of(table)
    if said["act"] in ("propose", "reject"):
        said = {**said, "deal": deal_in(table, speaker, said["text"]).record()}
        about = standing["turn"] if standing and said["act"] == "reject" else 0
        utterance = Utterance(speaker, said, puts=turn, about=about)
        standing = {"by": speaker, "turn": turn, "wrote": said["text"], "accepted": [speaker]}
    else:
        accepting = said["act"] == "accept" and standing is not None
        utterance = Utterance(
            speaker, said, about=standing["turn"] if standing and accepting else 0
        )
        if standing and accepting:
            standing = {**standing, "accepted": sorted({*standing["accepted"], speaker})}
    return {
        "talk": entries(table, moment.topic.name, [utterance]),
        "pending": standing,
        "revision": standing["turn"] if standing else 0,
        **_next_turn(table, said, standing),
    }


def deal_in(table: Table, by: str, text: str) -> Deal:
    """A delivered proposal as a deal; one that is not valid says nothing that could bind."""
    game, masks = exchange_of(table), masks_in(table, by, text)
    if masks is None:
        return Deal()
    hands = game.hands({agent: int(bits, 2) for agent, bits in masks.items()})
    return as_deal(game.tasks, masks, from_turn=len(hands) + 1)


def _next_turn(table: Table, said: AgentOutput, standing: Pending | None) -> dict[str, Any]:
    agents, turn = table["agents"], table["round"]
    if (
        said["act"] == "pass"
        and "pointer" not in said
        and said.get("label") not in ("PASS", SPENT_UP)
    ):
        return {"verdict": "error"}
    if standing and set(standing["accepted"]) >= set(agents):
        return {"verdict": "agreed"}
    if turn >= exchange_of(table).params.talk:
        return {"verdict": "no_deal"}
    after = agents[(agents.index(table["speaker"]) + 1) % len(agents)]
    return {"verdict": "talk_on", "round": turn + 1, "speaker": after}
