"""The question for an answer to a proposed split."""

from dataclasses import replace

from shapley_coop.prompts.request import offer_to_answer, split
from shapley_coop.questions import answer
from shapley_coop.state.offered import answer_order, paid_offer
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import SPLIT
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement

QUESTION = replace(
    answer.QUESTION,
    name="answer_split",
    title="answer the proposed split",
    topic=SPLIT,
    program="shapley_coop.seats.embedded.splitting:Splitter.reply",
    shows=(stand, talk_round, paid_offer, answer_order, unusual_enforcement, norms),
    words=(offer_to_answer, split),
    tells=since_play,
)
