"""Simulated plays of a trade, which predict the payoffs under an offer."""

from typing import TYPE_CHECKING, Any

from shapley_coop.extensions.markets.conduct import replayed
from shapley_coop.extensions.markets.words import ACCEPT, KEEP, REFUSE
from shapley_coop.games.ahead import Ahead, Played

if TYPE_CHECKING:
    from shapley_coop.extensions.markets.game import Trade


class TradeAhead(Ahead):
    """Simulated plays in which an agent without a duty keeps its goods."""

    game: "Trade"
    foreseeable = "own"  # an agent foresees only its own payoffs, as valuations are private

    @property
    def words(self) -> str:
        """The assumption about agents without a duty, in words."""
        if not self.game.market.pool:
            return "who is asked for nothing keeps what it holds"
        return "who is asked for nothing keeps what it holds, and refuses if it is left nothing"

    @property
    def unasked_words(self) -> str:
        """The action, in words, that an agent without a duty takes."""
        return "keep"

    def breaking(self, agent: str) -> list[str]:
        """Return the actions that can break a deal, all but gifts: keep, accept, refuse."""
        return [act for act in (KEEP, ACCEPT, REFUSE) if act in self.game.actions[agent]]

    def outcome(self, play: Played) -> str:
        """Return the agreed option of each issue, as in "salary 3000, start in May"."""
        position, actions = replayed(self.game, play.record, {*self.game.agents})
        issues, last = self.game.market.issues.items(), self.game.agents[-1]
        if not self.game.accepted(actions):
            return "nothing is agreed on" if issues else ""
        held = position["holds"][last]
        return ", ".join(f"{issue} {options[held[issue]]}" for issue, options in issues)

    def unasked(self, position: dict[str, Any], agent: str, waiting: bool) -> str | None:
        """Return `keep`; in a pool's last turn, accept if the agent holds any unit, else refuse."""
        legal = self.game.legal(position, agent)
        if "keep" in legal:
            return "keep"
        left = any(position["holds"][agent].values())
        return ("accept" if left else "refuse") if legal else None
