"""A chat agent as anybody would write it with LangGraph: it knows nothing of who writes to it.

Its model is a stand-in, which reads words and answers in words; a language model would be here.
"""

import re

from langchain_core.messages import AIMessage
from langgraph.graph import MessagesState, StateGraph


def reply(state: MessagesState) -> MessagesState:
    words = str(state["messages"][-1].text)
    asked = words.rpartition("\n# ")[2]
    if "`<ACCEPT>`" in asked:
        return {"messages": [AIMessage("<s>That is fine with me.</s><ACCEPT>")]}
    if "<ACTION>" in asked:
        agreed = re.findall(r"The deal asks you for: (\w+)", asked)
        legal = re.findall(r"one of: (.*)\.$", asked, re.MULTILINE)[0].split(", ")
        done = agreed[0] if agreed else legal[0]
        return {"messages": [AIMessage(f"As we said.\n<ACTION>{done}</ACTION>")]}
    if "<CLAIM>" in asked:
        return {"messages": [AIMessage("<CLAIM>50%</CLAIM>")]}
    return {"messages": [AIMessage("<s>Make me an offer.</s><REJECT>")]}


graph = StateGraph(MessagesState).add_node(reply).set_entry_point("reply").compile()
