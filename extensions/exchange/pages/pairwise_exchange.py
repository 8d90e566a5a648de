"""Pairwise exchange: many agents trade tasks, two at a time.

    open → pair → speak → deliver ↺ → swap ↺ → act → step ↺ → settle

This is the talk of `task_exchange` for any number of agents (bilateral trading by random meetings:
Feldman, 1973). In each meeting all agents are drawn into pairs. The two agents of a pair propose,
accept and reject in turn, over the tasks that they hold, and all pairs talk at the same time. A
proposal is validated as in `task_exchange`, and goes back to its author until it is valid. If an
agent uses up its attempts, its pair stops, and other pairs go on. `swap` transfers the tasks of
accepted proposals at once, so that no promise remains. Then agents meet new partners. After the
last meeting each agent does the tasks that it holds. There is no turn for private plans.
"""

from dataclasses import replace

from langgraph.graph import END

from shapley_coop.extensions.exchange.measures import MEASURES
from shapley_coop.extensions.exchange.pairs.deliver import deliver
from shapley_coop.extensions.exchange.pairs.game import ExchangeInPairs
from shapley_coop.extensions.exchange.pairs.letter import (
    ended,
    ended_in_words,
    heard,
    in_words,
    nothing_heard,
    shown,
)
from shapley_coop.extensions.exchange.pairs.meetings import (
    MeetingsTable,
    speakers,
    talk_of_pair,
)
from shapley_coop.extensions.exchange.pairs.pair import pair
from shapley_coop.extensions.exchange.pairs.swap import swap
from shapley_coop.extensions.exchange.pairs.terms import check
from shapley_coop.extensions.exchange.questions import exchange
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.questions import act
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.telling import tell_nothing
from shapley_coop.state.topics import PLAY

MEETINGS = 3
"""The number of meetings of each agent, unless the game sets it."""

SPEAK = replace(
    exchange.QUESTION,
    who=speakers,
    check=check,
    publish=hold_answers,
    guidance=True,
    talk=talk_of_pair,
    shows=(shown,),
    words=(*exchange.QUESTION.words, in_words),
    hears=heard,
)
"""The question to the next speaker of each pair; a pair hears only its own talk."""

WORK = replace(
    act.QUESTION.about(PLAY, tells=tell_nothing),
    shows=(*act.QUESTION.shows, ended),
    words=(*act.QUESTION.words, ended_in_words),
    hears=nothing_heard,
)
"""The question for an action; its letters tell how the own talks ended, and no more."""

page = WorkflowBuilder(
    "task_exchange",
    plays=ExchangeInPairs,
    params={"meetings": MEETINGS},
    state=MeetingsTable,
    start={"meetings": []},
    measures=MEASURES,
)

page.add_edge("open", "pair")
page.add_node("pair", pair)
page.add_edge("pair", "speak")
page.asks("speak", SPEAK, then=("deliver", deliver))
page.branch("deliver", verdict_of, {"again": "speak", "talk_on": "speak", "over": "swap"})
page.add_node("swap", swap)
page.branch("swap", verdict_of, {"meet": "pair", "work": "act"})

page.asks("act", WORK, then=("step", step))
page.branch("step", whether_over, {"again": "act", "play_on": "act", "over": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="pairwise_exchange")
