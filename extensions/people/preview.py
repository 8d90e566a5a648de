"""The preview of a draft at a person's seat, by the function that checks every message.

So a preview refuses the same drafts as the game, with the same reasons.

>>> preview(turn, "Bob", {"decision": "accept"})["why"]  # doctest: +SKIP
''
"""

from fractions import Fraction
from typing import Any

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.spelling import part
from shapley_coop.extensions.people.form import message_of, refusal_in_words
from shapley_coop.extensions.people.sums import deal_text
from shapley_coop.extensions.people.typed import Mistyped
from shapley_coop.prompts.computed import outlook_table
from shapley_coop.prompts.talk import at_turns
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import take
from shapley_coop.state.turn import TurnContext

MISTYPED = "FORM"
"""The label of a preview in which a number is not written as the form asks."""


def preview(turn: TurnContext, agent: str, fields: Any) -> dict[str, Any]:
    """Return the consequences of a draft. The draft is not stored or shown to other agents.

    `refused` and `why` are the label and the reason of a refusal, or empty if the draft is valid.
    `words` are the clauses of a readable deal, or describe a claim or a sealed answer. `outlook` is
    a table of each party's payoff, or `why_not` says why there is no table. For an allocation of
    tasks, `worth` is the agent's utility from the tasks allocated to it.

    Raises:
        ValueError: the fields are not an object.
    """
    try:
        text = message_of(turn.question.name, fields)
    except Mistyped as wrong:
        return {"refused": MISTYPED, "why": str(wrong), "words": []}
    found = take(turn, agent, Answer(text))
    if isinstance(found, Fault):
        why = refusal_in_words(turn, found.record())
        return {"refused": found.label, "why": why, "words": []}
    told: dict[str, Any] = {"refused": "", "why": "", "words": []}
    if (form := turn.question.form) and (more := form.preview(turn, agent, text)):
        return told | more
    if much := found.get("part"):
        told["words"] = [f"You say that {part(Fraction(much))} of it was your doing."]
    if not (record := found.get("deal")) or not record["clauses"]:
        return told
    deal = Deal.model_validate(record)
    game = turn.evaluated.game
    said = game.for_people(at_turns(deal_text(deal, turn.evaluated), game.turns))
    told |= {"words": said.splitlines(), "repairs": list(found.get("repairs", ()))}
    norms = turn.norms if turn.topic.phase == "negotiation" else []
    outlook = turn.evaluated.outlook(deal, viewer=agent, norms=norms)
    if not outlook["rows"]:
        return {**told, "why_not": outlook.get("why_not", "")}
    (condition, *names), rows, how = outlook_table(outlook, agent)
    columns = [f"in {game.unit}, {condition}", *names]
    return {**told, "outlook": {"columns": columns, "rows": rows, "how": how}}
