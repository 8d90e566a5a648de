"""The chat: a conversation that sets up a table, plays it, and explains the settlement."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="chat",
    about="A conversation that sets up a table and has it played.",
    graphs={"chat": "shapley_coop.extensions.chat.page:graph"},
)
