"""The topics that workflows share: what is bargained over, and what letters may speak of."""

from dataclasses import replace

from shapley_coop.deals import DEAL_RULES, Do, Forbid, Give, Pay, Share, only
from shapley_coop.state.turn import Topic

PLAN = Topic("plan", rules=(only(Do, Forbid, Pay, Give, Share), *DEAL_RULES))
"""Bargaining before acting: who does what, and for what price."""

ACTIONS = Topic("plan", rules=(only(Do, Forbid), *DEAL_RULES), payments=False)
"""Bargaining before acting over actions alone: nobody can pay."""

SPLIT = Topic("split", rules=(only(Pay, Share), *DEAL_RULES), phase="settlement")
"""Bargaining after acting: who ends up with what."""

PLAY = Topic("play", phase="action")
"""Acting, all at the same time."""

PLAY_UNPAID = replace(PLAY, payments=False)
"""Acting where agents can agree on actions alone."""

PLAY_ALONE = replace(PLAY_UNPAID, deals=False)
"""Acting where agents agree on nothing."""


def computed(topic: Topic) -> Topic:
    """The same topic where values are computed from the record, so that a deal can name a norm."""
    return replace(topic, computed=True)
