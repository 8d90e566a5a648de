"""A bundled app of four agents whose models are embedded: no key, no network.

A researcher names facts about a topic, a writer puts some of them into a text, a critic sends the
text back once if a fact is missing, and a stylist polishes the text. The score does not reward
polish. The models answer by rules from their prompts alone, so the results are a simulation.
"""

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypedDict

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import END, START, StateGraph

from shapley_coop.seats.awaited import AnsweringChatModel

FACTS = {
    "owls": ["turn their heads by 270 degrees", "fly without a sound", "swallow prey whole"],
    "bees": ["dance to tell the way", "see ultraviolet light", "sleep at night"],
    "glaciers": ["hold most fresh water", "flow downhill", "carve valleys", "look blue inside"],
    "cats": ["purr", "land on their feet", "sleep most of the day"],
    "tides": ["follow the moon", "come twice a day", "are highest at new moon"],
    "salt": ["keeps food", "melts ice", "was once paid as wages", "comes from the sea"],
    "bread": ["rises by yeast", "grows stale by starch", "is older than farming"],
    "rust": ["needs water and air", "weakens iron", "is slower in dry air"],
    "tea": ["is a leaf", "came from China", "cools a hot day", "stains cups"],
    "chess": ["began in India", "has 32 pieces", "ends by mate, draw or time"],
}
"""Topic → the facts about it."""

USED = 2
"""The number of facts that the writer puts into a first draft."""

AGENTS = ["researcher", "writer", "critic", "stylist"]
INPUTS: list[dict[str, Any]] = [{"topic": topic} for topic in FACTS]


class Draft(TypedDict, total=False):
    """The state of the bundled app.

    Attributes:
        topic: the topic of the text, which is the app's input.
        facts: written by the researcher, one fact per line.
        text: written by the writer.
        note: the missing facts, one per line, written by the critic.
        verdict: whether the writer must write again, written by the critic.
    """

    topic: str
    facts: str
    text: str
    note: str
    verdict: Literal["again", "done"]


class RuleChat(AnsweringChatModel):
    """A chat model whose answer is a fixed function of its prompt."""

    rule: Callable[[str], str]
    provider: str = "embedded"
    model: str = "rules"

    @property
    def _llm_type(self) -> str:
        return self.provider

    def _get_ls_params(self, stop: list[str] | None = None, **_: Any) -> Any:
        return {
            "ls_provider": self.provider,
            "ls_model_name": self.model,
            "ls_model_type": "chat",
        }

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        """Return the answer to the last message."""
        prompt = messages[-1].text
        words = self.rule(prompt)
        read, written = len(prompt.split()), len(words.split())
        spent = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        return AIMessage(words, usage_metadata=spent)


def _part(prompt: str, head: str) -> list[str]:
    """Return the lines of a prompt below a heading."""
    _, _, after = prompt.partition(f"{head}:\n")
    return [line for line in after.partition("\n\n")[0].splitlines() if line]


def _missing(prompt: str) -> str:
    draft = " ".join(_part(prompt, "Draft"))
    return "\n".join(fact for fact in _part(prompt, "Facts") if fact not in draft)


def _draft(prompt: str) -> str:
    chosen = [*_part(prompt, "Facts")[:USED], *_part(prompt, "Missing")]
    return "; ".join(dict.fromkeys(chosen)) or "I know nothing about it."


_researcher = RuleChat(rule=lambda prompt: "\n".join(FACTS.get(prompt.split()[-1], [])))
_writer = RuleChat(rule=_draft)
_critic = RuleChat(rule=_missing)
_stylist = RuleChat(rule=lambda prompt: f"Dear reader: {' '.join(_part(prompt, 'Draft'))}!")


def research(state: Draft) -> Draft:
    """Name facts about the topic, as the researcher does."""
    return {"facts": _researcher.invoke(f"Name facts about {state['topic']}").text}


def write(state: Draft) -> Draft:
    """Write a text from the facts and the critic's note."""
    prompt = f"Facts:\n{state.get('facts', '')}\n\nMissing:\n{state.get('note', '')}\n\nWrite."
    return {"text": _writer.invoke(prompt).text}


def review(state: Draft) -> Draft:
    """Send the text back once if a fact is missing."""
    prompt = f"Facts:\n{state.get('facts', '')}\n\nDraft:\n{state.get('text', '')}\n\nReview."
    note = _critic.invoke(prompt).text
    again = bool(note) and not state.get("note")
    return {"note": note or state.get("note", ""), "verdict": "again" if again else "done"}


def polish(state: Draft) -> Draft:
    """Put the text into a friendly tone, which the score ignores."""
    return {"text": _stylist.invoke(f"Draft:\n{state.get('text', '')}\n\nPolish it.").text}


def score(state: Draft) -> float:
    """Return the percentage of the topic's facts that are in the text."""
    facts = FACTS[state["topic"]]
    return 100 * sum(fact in state.get("text", "") for fact in facts) / len(facts)


def _graph() -> Any:
    page = StateGraph(Draft)
    page.add_node("researcher", research)
    page.add_node("writer", write)
    page.add_node("critic", review)
    page.add_node("stylist", polish)
    page.add_edge(START, "researcher")
    page.add_edge("researcher", "writer")
    page.add_edge("writer", "critic")
    route: dict[Hashable, str] = {"again": "writer", "done": "stylist"}
    page.add_conditional_edges("critic", lambda state: state.get("verdict", "done"), route)
    page.add_edge("stylist", END)
    return page.compile(name="demo")


graph = _graph()
