"""The question for a split of the total, to one agent."""

from dataclasses import replace

from shapley_coop.prompts.request import split
from shapley_coop.questions import propose
from shapley_coop.state.offered import standing_offer
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import SPLIT
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement

QUESTION = replace(
    propose.QUESTION,
    name="propose_split",
    title="propose a split",
    topic=SPLIT,
    program="shapley_coop.seats.embedded.splitting:Splitter.propose",
    shows=(stand, talk_round, standing_offer, unusual_enforcement, norms),
    words=(split,),
    tells=since_play,
)
