"""`ChatOpenAI` with less work for the openai client; import it late: it loads the client."""

from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_openai import ChatOpenAI


class OpenAIChat(ChatOpenAI):
    """`ChatOpenAI`, whose letters the openai client sends as they are.

    What a request calls messages, the client holds against the type of each kind of message in
    turn, to rename keys that in no message are to be renamed: a quarter of a call's CPU time. An
    `extra_body` it sends unread, in place of what else the request has by that name.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if said := payload.get("messages"):  # the Responses API has none
            extra = {"messages": said, **(payload.get("extra_body") or {})}
            payload |= {"messages": [], "extra_body": extra}
        return payload
