"""`ChatOpenAI` with less work for the openai client; import it late: it loads the client."""

from typing import Any

import httpx2
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI


class OpenAIChat(ChatOpenAI):
    """`ChatOpenAI`, whose letters and answers pass through the openai client as they are.

    The client holds all of a request against its types, to rename keys that in none of ours are to
    be renamed, and makes objects of an answer, of which `ChatOpenAI` then makes plain data again:
    together half of a call's CPU time. Connections, retries, timeouts and errors are the client's.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if said := payload.get("messages"):  # the Responses API has none
            # An extra body is sent unread, in place of what else the request has by that name.
            extra = {"messages": said, **(payload.get("extra_body") or {})}
            payload |= {"messages": [], "extra_body": extra}
        return payload

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        if "response_format" in payload or "messages" not in payload:
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        body = payload | payload.pop("extra_body")
        send = self.root_async_client.post
        response = await send("/chat/completions", body=body, cast_to=httpx2.Response)
        completion = response.json()
        result = self._create_chat_result(completion)
        for one, choice in zip(result.generations, completion["choices"], strict=True):
            # Of plain data `ChatOpenAI` does not take it over.
            one.message.additional_kwargs["refusal"] = choice["message"].get("refusal")
        return result
