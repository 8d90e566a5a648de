"""A conversation in words: it sets up a game, has it played, and explains the settlement."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="chat",
    about="A conversation that sets up a game and has it played.",
    graphs={"chat": "shapley_coop.extensions.chat.page:graph"},
)
