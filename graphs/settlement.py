"""The long-term part of Shapley-Coop alone, over work that is done.

    open → step → account → reckon → convene_split → claim
         → propose_split → answer_split → tally_split ↺ → settle

`step` plays the one turn in which the work is paid by its value; what is left is to agree on
another split, or to let it stand.
"""

from dataclasses import replace

from langgraph.graph import END

from graphs.chapters import SPLIT, bargain, blank, claim, convened
from graphs.minds import Page
from nodes.account import account
from nodes.reckon import reckon
from nodes.settle import settle
from nodes.step import step


def build() -> Page:
    """The workflow, not compiled."""
    split = replace(SPLIT, computed=True)
    page = blank("delivered")
    page.add_node("step", step)
    page.add_edge("open", "step")
    page.add_node("account", account)
    page.add_edge("step", "account")
    page.add_node("reckon", reckon)
    page.add_edge("account", "reckon")
    page.add_edge("reckon", "convene_split")
    convened(page, then="claim", suffix="_split")
    claim(page, split, then="propose_split")
    bargain(page, split, agreed="settle", no_deal="settle", suffix="_split")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="settlement")
