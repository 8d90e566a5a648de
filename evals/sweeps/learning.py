"""What a sweep learns from its first cells, and says before it spends more."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from shapley_coop.evals.sweeps.forecast import Kind, expected
from shapley_coop.evals.sweeps.prices import Prices, is_free, models_of
from shapley_coop.evals.sweeps.suite import Cell

FIRST = 2
"""Cells of each condition that are played before the rest is forecast: two have a spread."""


class Learning:
    """What cells of each condition have cost.

    Args:
        cells: all of the sweep's.
        costs: cell → USD, of those that were played before.
        ended: the cells that have ended.
        prices: for all its models, or it learns nothing.

    Attributes:
        cells: after how many cells there is something to tell; None for never.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        costs: Mapping[str, float],
        ended: Collection[str],
        prices: Prices,
    ) -> None:
        self._costs: dict[Kind, list[float]] = {}
        self._told = prices.told
        models = models_of(cells) if prices.by_model else []
        self._paid = any(not is_free(model) for model in models) and prices.know(models)
        self.cells: int | None = None
        if self._paid:
            for cell in cells:
                if cell.id in ended:
                    self.add(cell, costs.get(cell.id, 0.0))

    def first(self, todo: Sequence[Cell]) -> list[Cell]:
        """The cells to be played, those first from which something is to be learnt."""
        if not self._paid:
            return list(todo)
        lacking = Counter[Kind]()
        first, rest = [], []
        for cell in todo:
            kind = _kind(cell)
            if len(self._costs.get(kind, ())) + lacking[kind] < FIRST:
                lacking[kind] += 1
                first.append(cell)
            else:
                rest.append(cell)
        self.cells = len(first) if rest else None
        return first + rest

    def add(self, cell: Cell, cost: float) -> None:
        """A cell was played."""
        if self._paid:
            self._costs.setdefault(_kind(cell), []).append(cost)

    def told(self, left: Sequence[Cell], spent: float, limit: float | None) -> str:
        """What the cells that are left will cost, in a line."""
        coming = expected(Counter(map(_kind, left)), self._costs)
        runs = sum(map(len, self._costs.values()))
        line = (
            f"{len(left)} cells are left: {coming}, by {runs} runs and the prices of {self._told}"
        )
        if limit is None or spent + coming.likely <= limit:
            return line
        return (
            f"{line}; the limit of {limit:g} USD, of which {spent:.4f} are spent, will end it first"
        )


def _kind(cell: Cell) -> Kind:
    return cell.suite, cell.condition
