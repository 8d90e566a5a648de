"""The node `confirm`, in which the person sees the game and decides whether to play it."""

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from shapley_coop.extensions.chat.state import Chat, ChatConfig, Proposal, proposal_of
from shapley_coop.extensions.chat.words import NOT_PLAYED, cannot_be_played, proposal_in_words
from shapley_coop.seats.review import Decision, edited_arguments, read_decision, review

PLAY = "play"
"""The name of the action that the person reviews."""

ALLOWED: tuple[Decision, ...] = ("approve", "edit", "respond", "reject")


def confirm(chat: Chat, runtime: Runtime[ChatConfig]) -> dict[str, Any]:
    """Wait for the person's decision on the game.

    Verdicts: `go` (approved), `again` (the edited game or the decision is invalid), `said` (the
    person wrote a message, which `read` handles) and `dropped` (rejected).
    """
    game = chat["game"] or {}
    said = proposal_in_words(game, chat.get("notes", []))
    reply = interrupt(review(PLAY, game, said, ALLOWED, Proposal.model_json_schema()))
    decision = (
        {"type": "respond", "message": reply} if isinstance(reply, str) else read_decision(reply)
    )
    match (decision or {}).get("type"):
        case "approve":
            return {"verdict": "go"}
        case "edit":
            return _edited(edited_arguments(decision or {}), runtime.context or ChatConfig())
        case "reject" if not (decision or {}).get("message"):
            return {"verdict": "dropped", "game": None, "messages": [AIMessage(NOT_PLAYED)]}
        case "respond" | "reject":
            words = str((decision or {}).get("message") or "")
            return {"verdict": "said", "messages": [HumanMessage(words)]}
    why = f"I could not read that decision: give one of {', '.join(ALLOWED)}."
    return {"verdict": "again", "messages": [AIMessage(why)]}


def _edited(given: Any, chosen: ChatConfig) -> dict[str, Any]:
    """Return the state update for a game that the person edited."""
    proposal = proposal_of(given, chosen.workflow)
    if isinstance(proposal, str):
        return {"verdict": "again", "messages": [AIMessage(cannot_be_played(proposal))]}
    return {"verdict": "go", "game": proposal, "notes": []}
