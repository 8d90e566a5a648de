"""A chat graph that sets up a game with a person, plays the game and explains the settlement."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="chat",
    about="A conversation that sets up a game and has it played.",
    graphs={"chat": "shapley_coop.extensions.chat.page:graph"},
)
