"""The question for a private plan, before tasks are traded."""

from shapley_coop.extensions.exchange.letter import history, in_words, shown
from shapley_coop.extensions.exchange.talk import TRADE
from shapley_coop.prompts.request import turn_of_game
from shapley_coop.questions.reason import check, read_thought
from shapley_coop.seats.answer import Thought
from shapley_coop.state.publishing import keep_thoughts
from shapley_coop.state.turn import Question
from shapley_coop.state.who import all_agents

QUESTION = Question(
    name="consider",
    title="think before you speak",
    topic=TRADE,
    who=all_agents,
    answer=Thought,
    read=read_thought,
    check=check,
    publish=keep_thoughts,
    program="shapley_coop.extensions.exchange.negotiator:Negotiator.consider",
    shows=(shown,),
    words=(turn_of_game, in_words),
    history=history,
    rules="exchange_table",
)
