"""Trade: agents hold goods that are worth something else to each, and only each knows what."""

from shapley_coop.games.trade.foresight import TradeForesight
from shapley_coop.games.trade.game import Trade

GAME = Trade
FORESIGHT = TradeForesight
