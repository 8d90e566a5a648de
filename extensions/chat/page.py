"""The graph of the chat, which sets up a table, plays it, and explains the settlement.

    read → confirm → play → explain
      ↓       ↺ (if you answer with words or an edit, confirm asks again)
     END (a part is missing: read asks for it, and your next message continues)

Say what you want: "Let Ann and Ben bargain over who does the dishes; Ann hates it."
read turns this into a small game: agents, actions, and each agent's payoff from each joint action.
confirm shows the game and waits for your decision. play runs a workflow on the game, and passes the
talk on as messages. explain writes the settlement in words.
"""

from langgraph.graph import END, START, StateGraph

from shapley_coop.extensions.chat.confirm import confirm
from shapley_coop.extensions.chat.explain import explain
from shapley_coop.extensions.chat.play import play_by
from shapley_coop.extensions.chat.read import read
from shapley_coop.extensions.chat.state import Chat, ChatConfig
from shapley_coop.graphs.catalogue import compiled


def build() -> StateGraph[Chat, ChatConfig, Chat, Chat]:
    """Return the chat's graph, not compiled."""
    page = StateGraph(Chat, context_schema=ChatConfig)
    page.add_node("read", read)
    page.add_node("confirm", confirm)
    page.add_node("play", play_by(compiled))
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
