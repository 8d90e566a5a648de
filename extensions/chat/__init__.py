"""A conversation in words: it sets up a table, has it played, and explains the settlement."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="chat",
    about="A conversation that sets up a table and has it played.",
    graphs={"chat": "shapley_coop.extensions.chat.page:graph"},
)
