"""The topics that workflows share; a topic is the subject of a bargaining, with rules for deals."""

from dataclasses import dataclass, replace
from typing import Literal

from shapley_coop.deals.language.clauses import KINDS, Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.rules import DEAL_RULES, Rule, only
from shapley_coop.deals.language.terms import Terms

Phase = Literal["negotiation", "action", "settlement"]


@dataclass(frozen=True)
class Topic:
    """The subject of a bargaining or a question.

    Attributes:
        name: the name of the topic in the messages of the talk.
        rules: the rules that an offer on this topic must satisfy.
        computed: whether agents know values from the record, so that a deal can name a norm.
        phase: the phase of the run to which the cost of the topic's questions is counted.
        payments: whether deals may contain payments and splits; if not, letters mention neither.
        deals: whether agents can make deals; if not, letters do not mention deals.
        certified: whether a deal's effect on incentives is examined (certified) before agents sign.
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


def _no_drops(deal: Deal, terms: Terms) -> Fault | None:
    """Check that a deal about the final payoffs drops no clause, or return fault DROP."""
    why = "The play is over, so no clause can end: leave out `drops`. A pay changes what each has "
    return Fault("DROP", f"{why}as signed, and a share replaces it.") if deal.drops else None


SPLIT = Topic("split", rules=(only(Pay, Share), _no_drops, *DEAL_RULES), phase="settlement")
"""Bargaining after play over the final payoffs."""

DRAFTS = Topic("plan", rules=DEAL_RULES, certified=True)
"""Drafting and signing a contract, before the game begins."""

JUDGEMENT = Topic("judgement", phase="settlement")
"""The judge's reading of the record."""

PLAY = Topic("play", phase="action")
"""Simultaneous actions of all agents."""

PLAY_UNPAID = replace(PLAY, payments=False)
"""Actions in workflows where agents can agree on actions but not on payments."""

PLAY_ALONE = replace(PLAY_UNPAID, deals=False)
"""Actions in workflows where agents cannot make deals."""


def with_computed_values(topic: Topic) -> Topic:
    """Return a copy of a topic with `computed` set, so that a deal can name a norm."""
    return replace(topic, computed=True)
