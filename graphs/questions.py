"""The questions that several workflows ask, each about what a page names (`Asking.about`)."""

from shapley_coop.nodes.agent.checks import a_claim, a_reason, an_action, an_answer, an_offer
from shapley_coop.nodes.agent.publish import hold_answers, keep_reasons, put_offer, seal_actions
from shapley_coop.nodes.contract.checks import a_written_contract
from shapley_coop.nodes.contract.publish import put_written
from shapley_coop.state.telling import deeds_once_signed, since_play, what_was_agreed
from shapley_coop.state.topics import PLAN, PLAY, SPLIT
from shapley_coop.state.turn import Asking
from shapley_coop.state.who import able, all_agents, bargaining, listeners, speaker, summariser

REASON = Asking("reason", PLAN, bargaining, a_reason, keep_reasons)
"""All who bargain work out collective payoff, externality and price, each in private."""

PROPOSE = Asking("propose", PLAN, speaker, an_offer, put_offer)
"""One agent makes an offer."""

ANSWER = Asking("answer", PLAN, listeners, an_answer, hold_answers)
"""All others who bargain answer it, in parallel; a rejection may carry the next offer."""

WRITE = Asking(
    "contract_write", PLAN, summariser, a_written_contract, put_written, tells=what_was_agreed
)
"""An impartial summariser writes down what all accepted."""

ACT = Asking("act", PLAY, able, an_action, seal_actions, tells=deeds_once_signed)
"""Every agent that can act chooses."""

CLAIM = Asking("claim", SPLIT, all_agents, a_claim, hold_answers, tells=since_play)
"""Every agent states what part was its doing, seeing no values."""

PROPOSE_SPLIT = Asking("propose_split", SPLIT, speaker, an_offer, put_offer, tells=since_play)
"""One agent proposes who ends up with what."""

ANSWER_SPLIT = Asking("answer_split", SPLIT, listeners, an_answer, hold_answers, tells=since_play)
"""All others answer that."""
