"""The topics that workflows share: what is bargained over, and what letters may speak of."""

from dataclasses import dataclass, replace
from typing import Literal

from shapley_coop.deals.language.clauses import KINDS, Do, Forbid, Pay, Share
from shapley_coop.deals.language.rules import DEAL_RULES, Rule, only

Phase = Literal["negotiation", "action", "settlement"]


@dataclass(frozen=True)
class Topic:
    """What a bargaining is about.

    Attributes:
        name: the talk it is recorded under.
        rules: what an offer has to pass.
        computed: whether values are computed from the record, so that a deal can name the norm.
        phase: where its cost is counted.
        payments: whether deals admit payments and splits, so that letters speak of them.
        deals: whether agents can make deals at all, so that letters speak of them.
        certified: whether a deal has to be certified before it is signed.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    computed: bool = False
    phase: Phase = "negotiation"
    payments: bool = True
    deals: bool = True
    certified: bool = False


PLAN = Topic("plan", rules=(only(*KINDS.values()), *DEAL_RULES))
"""Bargaining before acting: who does what, and for what price."""

ACTIONS = Topic("plan", rules=(only(Do, Forbid), *DEAL_RULES), payments=False)
"""Bargaining before acting over actions alone: nobody can pay."""

SPLIT = Topic("split", rules=(only(Pay, Share), *DEAL_RULES), phase="settlement")
"""Bargaining after acting: who ends up with what."""

TRADE = Topic("plan")
"""Who does which tasks; what a proposal has to pass is in `deals.exchange`."""

DRAFTS = Topic("plan", rules=DEAL_RULES, certified=True)
"""Drafting and signing a contract, before the game begins."""

JUDGEMENT = Topic("judgement", phase="settlement")
"""Reading the record."""

PLAY = Topic("play", phase="action")
"""Acting, all at the same time."""

PLAY_UNPAID = replace(PLAY, payments=False)
"""Acting where agents can agree on actions alone."""

PLAY_ALONE = replace(PLAY_UNPAID, deals=False)
"""Acting where agents agree on nothing."""


def with_computed_values(topic: Topic) -> Topic:
    """The same topic where values are computed from the record, so that a deal can name a norm."""
    return replace(topic, computed=True)
