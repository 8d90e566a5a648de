"""The embedded impartial clerk, who writes down a contract and judges whether it was kept."""

from dataclasses import dataclass

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.written.document import compose
from shapley_coop.seats.embedded.letter_facts import (
    Reader,
    deal_in,
    fact,
    proposal,
    standing_in,
    terms_of,
)
from shapley_coop.seats.embedded.offered import offered_deal


@dataclass(frozen=True)
class Clerk(Reader):
    """An embedded outsider that writes down the contract and judges whether it was kept."""

    @property
    def terms(self) -> Terms:
        """The parties, their actions and the number of turns."""
        return terms_of(self.facts)

    def write(self) -> str:
        """Return the contract in five sections, with clauses if the offer had only words."""
        deal = offered_deal(self.facts, self.talk)
        if isinstance(deal, Fault):
            return f"<REJECT>I cannot draft clauses from these words. {deal.feedback}</REJECT>"
        prose = f"<s>{compose(deal, self.terms)}</s>"
        drafted = not self.facts["offer"]["clauses"]
        return prose + (proposal(deal) if drafted else "")

    def judge(self) -> str:
        """Return a message that says which clauses were kept according to the record."""
        deal = deal_in(fact(self.facts, "contract"))
        monitor = Monitor(deal).on(self.record)
        verdicts = monitor.verdicts(self.terms.turns, over=True)
        ids = standing_in(self.facts)
        lines = [f"{cid}: {said}" for cid, said in zip(ids, verdicts.values(), strict=True)]
        return "<s>" + "\n".join(lines) + "</s>"
