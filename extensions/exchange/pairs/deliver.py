"""The node `deliver`: it passes each pair's message on to the other agent of the pair."""

from typing import Any

from shapley_coop.extensions.exchange.pairs.meetings import (
    TOPIC,
    Meeting,
    MeetingsTable,
    after,
    pairs_game,
    speaker_of,
)
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.table import AgentOutput


async def deliver(table: MeetingsTable) -> dict[str, Any]:
    """Deliver the messages of one turn of talk, in all pairs.

    A pair stops if one agent passes or has used up its attempts, and after the last turn of talk.
    Verdicts: `talk_on`, and `over` (no pair talks any more).
    """
    evaluated, answers = EvaluatedTable(table), table.get("answers", {})
    turns, revision = pairs_game(evaluated).params.talk, table["revision"]
    meetings, heard = list[Meeting](), list[Utterance]()
    for met in table["meetings"]:
        now = met
        if met["status"] == "talking":
            speaker = speaker_of(met, table)
            said = answers.get(speaker, AgentOutput(act="pass", text=""))
            now = after(met, table["round"], turns, said)
            puts, about = 0, met.get("number_put", 0)
            if "deal" in said:
                revision += 1
                puts = now["number_put"] = revision
            to = next(agent for agent in met["agents"] if agent != speaker)
            heard.append(Utterance(speaker, said, puts, about, to, met["number"]))
        spent = now["status"] == "talking" and evaluated.budget_spent
        meetings.append({**now, "status": "apart"} if spent else now)
    talk_on = any(meeting["status"] == "talking" for meeting in meetings)
    return {
        "meetings": meetings,
        "talk": entries(table, TOPIC, heard),
        "answers": None,
        "revision": revision,
        "round": table["round"] + talk_on,
        "verdict": "talk_on" if talk_on else "over",
    }
