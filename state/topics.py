"""The topics that workflows share: the subject of each bargaining and the rules of its deals."""

from dataclasses import dataclass, replace
from typing import Literal

from shapley_coop.deals.language.clauses import KINDS, Do, Forbid, Pay, Share
from shapley_coop.deals.language.rules import DEAL_RULES, Rule, only

Phase = Literal["negotiation", "action", "settlement"]


@dataclass(frozen=True)
class Topic:
    """The subject of a bargaining or a question.

    Attributes:
        name: the name under which its messages are recorded in the talk.
        rules: the rules that an offer must satisfy.
        computed: whether values are computed from the record, so that a deal can name the norm.
        phase: the phase to which its cost is counted.
        payments: whether deals admit payments and splits, so that letters mention them.
        deals: whether agents can make deals at all, so that letters mention them.
        certified: whether a deal must be certified before agents sign it.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    computed: bool = False
    phase: Phase = "negotiation"
    payments: bool = True
    deals: bool = True
    certified: bool = False


PLAN = Topic("plan", rules=(only(*KINDS.values()), *DEAL_RULES))
"""Bargaining before play over actions and payments."""

ACTIONS = Topic("plan", rules=(only(Do, Forbid), *DEAL_RULES), payments=False)
"""Bargaining before play over actions alone, without payments."""

SPLIT = Topic("split", rules=(only(Pay, Share), *DEAL_RULES), phase="settlement")
"""Bargaining after play over the final payoffs."""

TRADE = Topic("plan")
"""Talk over the allocation of tasks; `deals.exchange` checks the proposals."""

DRAFTS = Topic("plan", rules=DEAL_RULES, certified=True)
"""Drafting and signing a contract, before the game begins."""

JUDGEMENT = Topic("judgement", phase="settlement")
"""The judge's reading of the record."""

PLAY = Topic("play", phase="action")
"""Simultaneous actions of all agents."""

PLAY_UNPAID = replace(PLAY, payments=False)
"""Play in workflows where agents can agree on actions but not on payments."""

PLAY_ALONE = replace(PLAY_UNPAID, deals=False)
"""Play in workflows without any deals."""


def with_computed_values(topic: Topic) -> Topic:
    """Return the topic with values computed from the record, so that a deal can name a norm."""
    return replace(topic, computed=True)
