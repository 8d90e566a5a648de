"""The result of a run for programs: the JSON of `coop run --json`, its keys as attributes."""

from html import escape
from typing import TYPE_CHECKING, Any, cast

from shapley_coop.blocking import run_blocking

if TYPE_CHECKING:
    from shapley_coop.deals.language.deal import Deal


class Outcome(dict[str, Any]):
    """The result of a run: a dictionary (`docs/run.schema.json`) whose main keys are attributes.

    >>> found = Outcome(run="one", status="agreed", payoffs={"Ann": 4.5}, contract=None)
    >>> found.payoffs == found["payoffs"], found.contract
    (True, None)
    """

    @property
    def run(self) -> str:
        """The run's name, which `resume` and `coop show` take."""
        return cast(str, self["run"])

    @property
    def status(self) -> str:
        """The word for how the run ended, such as "agreed" or "no_deal"."""
        return cast(str, self["status"])

    @property
    def payoffs(self) -> dict[str, float]:
        """A mapping: agent → its final payoff after settlement, in the game's unit."""
        return cast(dict[str, float], self["payoffs"])

    @property
    def credit(self) -> dict[str, Any]:
        """Each agent's contribution in the record: `shapley`, `marginal`, and assumptions."""
        return cast(dict[str, Any], self["credit"])

    @property
    def breaches(self) -> list[dict[str, Any]]:
        """The breaches: the agent, the broken clause, and the evidence."""
        return cast(list[dict[str, Any]], self["breaches"])

    @property
    def contract(self) -> "Deal | None":
        """The deal in force at the end, or None if there is none; `text()` gives plain English."""
        from shapley_coop.deals.language.deal import Deal

        signed = self["contract"]
        return Deal.model_validate({"clauses": signed["clauses"]}) if signed else None

    def verify(self) -> bool:
        """Return whether all the result's numbers follow from the record; see `coop verify RUN`."""
        from shapley_coop.evals.verifying import verify_run

        return all(check.sound for check in run_blocking(verify_run(self.run)))

    def _repr_html_(self) -> str:
        """Return a table of payoffs, with the contract, for notebooks."""
        rows = "".join(
            f"<tr><td>{escape(agent)}</td><td>{escape(self['seats'].get(agent, ''))}</td>"
            f"<td>{paid:g}</td></tr>"
            for agent, paid in self.payoffs.items()
        )
        deal = escape(self.contract.text()) if self.contract else "No contract."
        head = f"{escape(str(self['game']))}: {escape(self.status)} ({escape(self.run)})"
        return (
            f"<table><caption>{head}</caption><tr><th>agent</th><th>seat</th><th>payoff</th></tr>"
            f"{rows}</table><pre>{deal}</pre>"
        )
