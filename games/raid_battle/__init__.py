"""Raid Battle: whoever supports the others earns less, and without support all of them lose."""

from shapley_coop.games.raid_battle.foresight import RaidForesight
from shapley_coop.games.raid_battle.game import RaidBattle

GAME = RaidBattle
FORESIGHT = RaidForesight
