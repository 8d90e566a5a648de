"""A conversation that sets up a table, has it played, and tells what came of it.

    read → confirm → play → explain
      ↓       ↺ (what is said or edited instead is read and asked again)
     END (something is missing: it asks back, and your next message goes on)

Say what you want: "Let Ann and Ben bargain over who does the dishes; Ann hates it."
read makes a small game of it: who, what each may do, and what each play is worth to whom. confirm
shows the game and waits for your decision. play has a workflow play it, and passes on the talk as
messages. explain tells the settlement in words.
"""

from langgraph.graph import END, START, StateGraph

from shapley_coop.extensions.chat.confirm import confirm
from shapley_coop.extensions.chat.explain import explain
from shapley_coop.extensions.chat.play import play_by
from shapley_coop.extensions.chat.read import read
from shapley_coop.extensions.chat.state import Chat, ChatConfig
from shapley_coop.graphs.catalogue import compiled


def build() -> StateGraph[Chat, ChatConfig, Chat, Chat]:
    """Return the conversation, not compiled."""
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
