"""PettingZoo's environments as games of this project, and our games as its environments."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="pettingzoo",
    about="PettingZoo's environments as games, as pettingzoo:package.module:factory, and back.",
    schemes={"pettingzoo": "shapley_coop.extensions.pettingzoo.bridge:PettingZooGame"},
)
