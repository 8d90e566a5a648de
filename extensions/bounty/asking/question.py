"""Ask everybody whether it agrees to a bounty's split."""

from dataclasses import replace

from shapley_coop.extensions.bounty.asking.showing import about_bounty, bounty
from shapley_coop.extensions.bounty.asking.words import bounty as in_words
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.questions import answer_split
from shapley_coop.state.offered import answer_order, paid_offer
from shapley_coop.state.view import stand, talk_round

QUESTION = replace(
    answer_split.QUESTION,
    name="answer_bounty",
    title="do you agree to this split?",
    shows=(stand, talk_round, paid_offer, answer_order, bounty),
    words=(offer_to_answer, in_words),
    tells=about_bounty,
    rules="bounty_table",
)
