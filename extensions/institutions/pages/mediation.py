"""Mediation: no talk and no contract, but each agent may delegate its move to a mediator.

    open → act → mediate ↺ → settle

The idea is the strong mediated equilibrium (Monderer and Tennenholtz, 2009). In every turn each
agent chooses an action, or delegates. `mediate` opens the choices, plays for delegators by the
public rule (`mediator`), and lets the game play its turn. The differences from `llm_only` are this
choice, and `mediate` in place of `step`. The workflow plays games with a table of payoffs.
"""

from dataclasses import replace

from langgraph.graph import END

from shapley_coop.extensions.institutions.choosing import check, read
from shapley_coop.extensions.institutions.mediate import mediate
from shapley_coop.extensions.institutions.mediator import mediator_of
from shapley_coop.extensions.institutions.showing import the_mediator
from shapley_coop.extensions.institutions.words import in_words
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import whether_over
from shapley_coop.questions import act
from shapley_coop.state.topics import PLAY_ALONE

CHOOSE = replace(
    act.QUESTION,
    topic=PLAY_ALONE,
    read=read,
    check=check,
    shows=(*act.QUESTION.shows, the_mediator),
    words=(*act.QUESTION.words, in_words),
)
"""Every agent chooses an action, or delegates."""

page = WorkflowBuilder(plays=MatrixGame, check_game=mediator_of)

page.add_edge("open", "act")
page.asks("act", CHOOSE, then=("mediate", mediate))
page.branch("mediate", whether_over, {"again": "act", "play_on": "act", "over": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="mediation")
