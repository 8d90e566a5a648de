"""What the agents of a constructed app say, and what it earns.

An agent that does its part says its name. The last agent of a joint term says the term's own word
if it reads the names of all others, so that the points come about in the run and are not merely
counted; where agents work side by side, the node that joins them says it.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from extensions.attribute.tests.benchmark.apps import KnownApp, Term
from shapley_coop.extensions.attribute.demo import RuleChat

USUAL = 10
"""Words that an agent writes besides its part."""

PROVIDER = "constructed"
"""Of the models of constructed apps: unlike embedded ones they have prices."""

Speaker = Callable[[str], str]
"""From what an agent reads to what it says."""


@dataclass(frozen=True)
class Cast:
    """What the agents of one app say, and what it earns."""

    known: KnownApp
    seed: int

    def speaker(self, agent: str) -> Speaker:
        """Return an agent with an embedded model, which is told who it is."""
        model = RuleChat(rule=self.answer, provider=PROVIDER, model="large")
        return lambda heard: model.invoke(f"You are {agent}. {heard}").text

    def small(self) -> RuleChat:
        """Return a cheaper model, which does the part of those alone that are not hard to play."""
        return RuleChat(rule=partial(self.answer, small=True), provider=PROVIDER, model="small")

    def answer(self, prompt: str, small: bool = False) -> str:
        """Return what a model says to a prompt."""
        agent, _, heard = prompt.removeprefix("You are ").partition(". ")
        if small and agent in self.known.hard:
            return " ".join(self.filler(agent))
        return self.line(agent, heard)

    def filler(self, agent: str) -> list[str]:
        """Return words that say nothing."""
        return ["well"] * (USUAL + self.known.words.get(agent, 0))

    def line(self, agent: str, heard: str) -> str:
        """Return what an agent says to what it reads."""
        filler = self.filler(agent)
        if self.drawn(agent, number_in(heard), heard) >= self.known.chance:
            return " ".join(filler)
        own = (t for t in self.known.terms if max(t.of, key=self.known.agents.index) == agent)
        return " ".join([agent, *self.products(f"{heard} {agent}", own), *filler])

    def join(self, heard: str) -> str:
        """Return what the node says that puts parts together."""
        return " ".join(["joined", *self.products(heard, self.known.terms)])

    def products(self, heard: str, terms: Iterable[Term]) -> list[str]:
        """Return the words of joint terms all of whose agents did their part."""
        names = {*heard.split()}
        return ["+".join(t.of) for t in terms if t.is_joint and {*t.of} <= names]

    def score(self, state: Any, given: Any) -> float:
        """Points of what the task asks for."""
        said, number = {*text_of(state).split()}, number_in(text_of(given))
        earned = self.known.nobody
        for k, term in enumerate(self.known.terms):
            done = "+".join(term.of) in said if term.is_joint else len({*term.of} & said)
            asked = self.drawn("asks", number, str(k)) < term.part
            earned += term.points * (asked and done >= (term.is_joint or term.enough))
        return earned

    def drawn(self, *of: object) -> float:
        """A number from 0 to 1: the same for the same question, so that runs can be repeated."""
        text = "\n".join(map(str, (self.seed, self.known.name, *of)))
        return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16) / 16**13

    def saying(self, agent: str) -> Callable[[Any], Any]:
        """Return a node that adds what an agent says."""
        speak = self.speaker(agent)
        return lambda state: {"said": [speak(text_of(state))]}


def number_in(text: str) -> str:
    """Return the number of the task that a text names."""
    found = re.search(r"\btask (\d+)", text)
    assert found
    return found.group(1)


def text_of(state: Any) -> str:
    """Return all that a state says."""
    talk = [str(message.content) for message in state.get("messages", [])]
    own = [state.get("task", ""), *(state.get("said") or []), state.get("text") or ""]
    return " ".join([*own, *talk])
