"""The question whether an agent agrees to a bounty's split."""

from dataclasses import replace

from shapley_coop.amounts import exact
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.extensions.bounty.asking.parts import in_fractions
from shapley_coop.extensions.bounty.asking.showing import about_bounty, bounty
from shapley_coop.extensions.bounty.asking.words import bounty as in_words
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.questions import answer, answer_split
from shapley_coop.seats.records import Answer
from shapley_coop.state.offered import answer_order, paid_offer
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.view import stand, talk_round

NO_REASON = Fault(
    "VOID",
    "words outside tags are private, so that your objection has no reason; write "
    "<REJECT><s>why</s>, or <REJECT> alone to give none",
)


def read(turn: TurnContext, agent: str, given: Answer) -> answer.Reply | Fault:
    """Read an answer to a split; refuse a person's objection with its reason outside the tags."""
    facts = turn.evaluated.game.facts()
    try:
        text = in_fractions(given.text, exact(facts["bounty"]), facts["currency"])
    except ValueError as wrong:
        return Fault("SHARE", f"In your split {wrong}.")
    found = answer_split.QUESTION.read(turn, agent, replace(given, text=text))
    said = scan(given.text) if turn.is_person(agent) else None
    if not isinstance(said, Message) or said.reject is None or not said.outside.strip():
        return found
    return found if said.reject or said.speech else NO_REASON


QUESTION = replace(
    answer_split.QUESTION,
    name="answer_bounty",
    title="do you agree to this split?",
    read=read,
    takes_amounts=True,
    shows=(stand, talk_round, paid_offer, answer_order, bounty),
    words=(offer_to_answer, in_words),
    tells=about_bounty,
    rules="bounty_table",
)
