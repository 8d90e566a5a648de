"""The chat graph, which sets up a game, plays it as a run and explains the settlement.

    read → confirm → play → explain
      ↓       ↺ (if the person edits the game or writes a message, confirm shows the new game)
     END (if something is missing, read asks a question, and the next message answers it)

read has a language model make a game from the person's messages; without a model, the person names
a game. confirm shows the game and waits for a decision. play runs a workflow on the game and shows
the agents' talk as messages. explain states the settlement and the run's name in words.
"""

from langgraph.graph import END, START, StateGraph

from shapley_coop.extensions.chat.confirm import confirm
from shapley_coop.extensions.chat.explain import explain
from shapley_coop.extensions.chat.play import play
from shapley_coop.extensions.chat.read import read
from shapley_coop.extensions.chat.state import Chat, ChatConfig


def build() -> StateGraph[Chat, ChatConfig, Chat, Chat]:
    """Return the chat's graph, not compiled."""
    page = StateGraph(Chat, context_schema=ChatConfig)
    page.add_node("read", read)
    page.add_node("confirm", confirm)
    page.add_node("play", play)
    page.add_node("explain", explain)
    page.add_edge(START, "read")
    ready = {"ready": "confirm", "go": "play", "asked": END, "dropped": END}
    page.add_conditional_edges("read", lambda chat: chat["verdict"], ready)
    decided = {"go": "play", "again": "confirm", "said": "read", "dropped": END}
    page.add_conditional_edges("confirm", lambda chat: chat["verdict"], decided)
    page.add_edge("play", "explain")
    page.add_edge("explain", END)
    return page


graph = build().compile(name="chat")
