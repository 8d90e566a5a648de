"""What an endpoint is sent, and what its answer is read as: both are `ChatOpenAI`'s own."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI

from shapley_coop.seats.openai_chat import OpenAIChat
from tests.stub_faults import Completion
from tests.stub_openai import StubOpenAI, echo

CALLED = [{"name": "look", "args": {"at": "Bob"}, "id": "call_1"}]
LETTER: list[BaseMessage] = [
    SystemMessage("You sit at a table."),
    AIMessage("", tool_calls=CALLED),
    ToolMessage("Bob waits.", tool_call_id="call_1"),
    HumanMessage("What do you say?"),
]
FORM = {"title": "say", "type": "object", "properties": {"said": {"type": "string"}}}
BODY = {"top_k": 3}


async def in_text(model: ChatOpenAI) -> Any:
    return await model.ainvoke(LETTER)


async def in_a_stream(model: ChatOpenAI) -> None:
    assert [chunk async for chunk in model.astream(LETTER)]


async def by_a_tool(model: ChatOpenAI) -> Any:
    return await model.bind_tools([{**FORM, "description": "Say it."}]).ainvoke(LETTER)


async def by_a_schema(model: ChatOpenAI) -> None:
    bound = model.with_structured_output(FORM, method="json_schema", include_raw=True)
    await bound.ainvoke(LETTER)


@pytest.mark.parametrize("name", ["stub", "o3-mini"])
@pytest.mark.parametrize("way", [in_text, in_a_stream, by_a_tool, by_a_schema])
async def test_an_endpoint_is_sent_the_same_request(way: Any, name: str) -> None:
    with StubOpenAI(lambda *_: '{"said": "Yes."}') as stub:
        own: dict[str, Any] = {"api_key": "test", "extra_body": BODY, "temperature": 1}
        for kind in (ChatOpenAI, OpenAIChat):
            await way(kind(model=name, base_url=stub.base_url, max_retries=0, **own))
    theirs, ours = (request.body for request in stub.requests)
    assert ours == theirs
    assert len(ours["messages"]) == len(LETTER)
    assert ours["top_k"] == BODY["top_k"]


CUT = Completion("No, not", finish_reason="length")
REFUSED = Completion("", refusal="I must not say.")
CALL = Completion("", tool_calls=(("say", '{"said": "Yes."}'),), finish_reason="tool_calls")


@pytest.mark.parametrize(
    ("way", "said"), [(in_text, "No."), (in_text, CUT), (in_text, REFUSED), (by_a_tool, CALL)]
)
async def test_an_answer_is_read_as_the_same_message(way: Any, said: Any) -> None:
    with StubOpenAI(lambda *_: said) as stub:
        own: dict[str, Any] = {"base_url": stub.base_url, "api_key": "test"}
        kinds = (ChatOpenAI, OpenAIChat)
        theirs, ours = [(await way(kind(model="stub", **own))).model_dump() for kind in kinds]
    assert told(ours) == told(theirs)


def told(answer: Any) -> Any:
    """An answer without nothings, and without the names that each has of its own."""
    if isinstance(answer, list):
        return [told(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {key: told(x) for key, x in answer.items() if key != "id" and x not in (None, "")}


async def test_an_extra_body_may_still_replace_the_messages() -> None:
    said = [{"role": "user", "content": "In its place."}]
    with StubOpenAI(echo) as stub:
        model = OpenAIChat(
            model="stub", base_url=stub.base_url, api_key="test", extra_body={"messages": said}
        )
        assert (await model.ainvoke(LETTER)).text == "In its place."
