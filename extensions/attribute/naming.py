"""What a model is called: as LangChain tells whoever watches its calls, and as prices name it."""

import logging
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage


class ModelNamed(Exception):
    """Ends a call before the model is asked: what it is called was heard."""


def no_warning_of(error: type[BaseException]) -> None:
    """Have LangChain give no warning of callback handlers that raise this: they are meant to."""
    watch = logging.getLogger("langchain_core.callbacks.manager")
    watch.addFilter(lambda record: error.__name__ not in record.getMessage())


no_warning_of(ModelNamed)


class _Hears(BaseCallbackHandler):
    """Hears what a call is of, and ends it: the model is not asked, nobody else is told."""

    raise_error = True
    run_inline = True

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[Any], **said: Any
    ) -> None:
        raise ModelNamed(named_in(said))


def named_in(said: Mapping[str, Any]) -> str:
    """provider:name of the model whose call begins.

    Args:
        said: what LangChain tells a callback handler of the call.
    """
    about = said.get("metadata") or {}
    provider, model = about.get("ls_provider"), about.get("ls_model_name")
    return f"{provider or 'unknown'}:{model or 'unnamed'}"


def name_of(model: BaseChatModel) -> str:
    """provider:name, as the model's calls are recorded and priced; it is not asked for that."""
    try:
        model.generate([[HumanMessage("")]], callbacks=[_Hears()])
    except ModelNamed as heard:
        return str(heard)
    raise TypeError(f"{type(model).__name__} tells nobody of its calls")
