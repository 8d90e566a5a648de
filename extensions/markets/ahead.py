"""Trades in thought: goods that are kept, given and promised."""

from typing import TYPE_CHECKING, Any

from shapley_coop.games.ahead import PrivateWorths

if TYPE_CHECKING:
    from shapley_coop.extensions.markets.game import Trade


class TradeAhead(PrivateWorths):
    """Whoever owes nothing keeps what it has."""

    game: "Trade"

    @property
    def words(self) -> str:
        """What agents are taken to do."""
        if not self.game.market.pool:
            return "who is asked for nothing keeps what it holds"
        return "who is asked for nothing keeps what it holds, and refuses if it is left nothing"

    @property
    def unasked_words(self) -> str:
        """The same, shorter."""
        return "keep"

    def unasked(self, position: dict[str, Any], agent: str, waiting: bool) -> str | None:
        """To keep; a pool is accepted by who is left something, whatever that is worth to it."""
        legal = self.game.legal(position, agent)
        if "keep" in legal:
            return "keep"
        left = any(position["holds"][agent].values())
        return ("accept" if left else "refuse") if legal else None
