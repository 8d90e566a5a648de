"""A chat model that answers by a rule, in place of `ChatOpenAI` in the examples of others."""

import re
from collections.abc import Callable, Sequence
from importlib.metadata import metadata
from itertools import count
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from shapley_coop.seats.awaited import AnsweringChatModel

Rule = Callable[[Sequence[BaseMessage]], AIMessage]

_numbers = count(1)


def tool_call(name: str, **args: Any) -> AIMessage:
    """An answer that calls a tool, under an id that no other call has."""
    call = {"name": name, "args": args, "id": f"call-{next(_numbers)}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


class StubChat(AnsweringChatModel):
    """Answers by a rule; reads one token a message and writes one a word, and may not tell."""

    rule: Rule
    model: str = "stub"
    usage: bool = True

    @property
    def _llm_type(self) -> str:
        return "stub"

    def _get_ls_params(self, stop: Any = None, **said: Any) -> Any:
        return {"ls_provider": "stub", "ls_model_name": self.model, "ls_model_type": "chat"}

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def bind_tools(self, tools: Any, **said: Any) -> Any:
        return self

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        answer = self.rule(messages)
        words = len(str(answer.content).split())
        spent = {"input_tokens": len(messages), "output_tokens": words}
        if self.usage:
            answer.usage_metadata = {**spent, "total_tokens": sum(spent.values())}
        return answer


def example_of(package: str) -> str:
    """The first Python example of a package's own description, as its authors wrote it."""
    about = metadata(package)
    text = str(about.get_payload() or about["Description"])
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    return found.group(1)


def run_example(package: str, rule: Rule, monkeypatch: Any) -> dict[str, Any]:
    """Run that example unmodified, with a stub as its model; what it defined."""
    monkeypatch.setattr("langchain_openai.ChatOpenAI", lambda model: StubChat(rule=rule))
    defined: dict[str, Any] = {"__name__": "example"}
    exec(compile(example_of(package), package, "exec"), defined)
    return defined


def since_last_question(messages: Sequence[BaseMessage]) -> list[str]:
    """The names of those who answered since the user spoke."""
    names: list[str] = []
    for message in messages:
        if message.type == "human":
            names = []
        elif isinstance(message, AIMessage) and message.name and not message.tool_calls:
            names.append(message.name)
    return names


def numbers_in(messages: Sequence[BaseMessage]) -> list[int]:
    """Numbers that others named, thousands with a comma."""
    talk = " ".join(str(m.content) for m in messages if not isinstance(m, ToolMessage))
    return [int(x.replace(",", "")) for x in re.findall(r"\d{1,3}(?:,\d{3})+", talk)]
