"""Names of models, as LangChain reports them to callback handlers and as price files use them."""

import logging
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage


class ModelNamed(Exception):
    """The exception that ends a call before the model runs; its text is the model's name."""


def no_warning_of(error: type[BaseException]) -> None:
    """Suppress LangChain's warnings about a handler that raises `ModelNamed` on purpose."""
    watch = logging.getLogger("langchain_core.callbacks.manager")
    watch.addFilter(lambda record: error.__name__ not in record.getMessage())


no_warning_of(ModelNamed)


class _Hears(BaseCallbackHandler):
    """A callback handler that reads the model's name and ends the call before the model runs."""

    raise_error = True
    run_inline = True

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[Any], **said: Any
    ) -> None:
        raise ModelNamed(named_in(said))


def named_in(said: Mapping[str, Any]) -> str:
    """Return provider:name of the model of a call that begins.

    Args:
        said: the keyword arguments that LangChain passes to a callback handler.
    """
    about = said.get("metadata") or {}
    provider, model = about.get("ls_provider"), about.get("ls_model_name")
    return f"{provider or 'unknown'}:{model or 'unnamed'}"


def name_of(model: BaseChatModel) -> str:
    """Return provider:name of a model, as in recorded calls and prices, without running it."""
    try:
        model.generate([[HumanMessage("")]], callbacks=[_Hears()])
    except ModelNamed as heard:
        return str(heard)
    raise TypeError(f"{type(model).__name__} does not report its calls")
