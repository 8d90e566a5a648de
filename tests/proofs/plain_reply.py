"""Replies for `StubOpenAI`: a model that reads its letter's words and plays the Escape Room."""

from typing import Any

OFFER = (
    '{"clauses": [{"kind": "do", "agent": "Alice", "action": "door"},'
    ' {"kind": "do", "agent": "Bob", "action": "lever"},'
    ' {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "5.5"}]}'
)
SAID = {
    "# Think": "<CONSIDER>Collective payoff: 9\nExternality: +\nPrice: 5.5</CONSIDER>",
    "make an offer": f"<s>I open, you hold, I pay.</s><PROPOSAL>{OFFER}</PROPOSAL>",
    "`<ACCEPT>`": "<s>Agreed.</s><ACCEPT>",
    "<CLAIM>": "<s>I did my part.</s><CLAIM>50%</CLAIM>",
}
"""What a letter says → the answer."""

DOES = {"Alice": "door", "Bob": "lever"}


def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Answer as the agent that the model's name is."""
    asked = str(messages[-1]["content"]).rpartition("# You\n")[2]
    act = f"<s>I do it.</s><ACTION>{DOES[request['model']]}</ACTION>"
    return next((said for part, said in SAID.items() if part in asked), act)
