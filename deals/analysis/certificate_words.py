"""The certificate as words for people and as JSON for programs."""

from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.certificate import Certificate
from shapley_coop.deals.analysis.incentives import Deviation
from shapley_coop.deals.analysis.party import Party, PayoffRange
from shapley_coop.deals.enforcement import MEANS
from shapley_coop.escaping import visible


def in_words(certificate: Certificate) -> str:
    """Return the certificate in words, with one line for each finding."""
    terms = certificate.enforcement
    held = f", {plain(terms.held())} of each party" if terms.held() else ""
    lines = [
        f"Certificate of deal {certificate.deal.hash()[:12]} "
        f"({terms.mode}: {MEANS[terms.mode]}{held}).",
        *(f"Not to be signed ({fault.label}): {fault.in_a_line}" for fault in certificate.faults),
    ]
    if certificate.sound:
        lines.append("Nothing forbids signing it: it can be kept, and its references resolve.")
    if certificate.outcomes:
        lines.append(
            f"Its payments sum to zero in all {certificate.outcomes} outcomes of its turns."
        )
    lines += [_party(agent, party) for agent, party in certificate.parties.items()]
    return "\n".join(map(visible, [*lines, *certificate.notes]))


def as_record(certificate: Certificate) -> dict[str, Any]:
    """Return the certificate as plain JSON, with amounts as exact strings."""
    terms = certificate.enforcement
    return {
        "hash": certificate.deal.hash(),
        "sound": certificate.sound,
        "enforcement": terms.mode,
        "deposit": plain(terms.held()),
        "faults": [fault.record() for fault in certificate.faults],
        "outcomes": certificate.outcomes,
        "parties": {agent: _as_json(party) for agent, party in certificate.parties.items()},
        "notes": list(certificate.notes),
    }


def _party(agent: str, party: Party) -> str:
    parts = [
        f"{agent}: {_told(party.without)} without it, {_told(party.within)} if all keep it, "
        f"and at least {plain(party.guaranteed)} by keeping it whatever the others do, provided "
        "everybody acts.",
        _rationality(party),
    ]
    if party.deviation:
        parts.append(f"Keeping it is no best response: {party.deviation.text()}")
    elif party.temptation:
        parts.append(
            f"Keeping it is a best response while the others keep it, but not dominant: "
            f"{party.temptation.text()}"
        )
    elif equal := party.against_all.indifference:
        parts.append(
            "Keeping it is a best response whatever actions the others take, but not dominant: "
            f"{equal.action} at turn {equal.turn} in place of {equal.instead} never "
            "costs it anything."
        )
    elif party.dominant:
        parts.append("Keeping it is weakly dominant at every turn, if all keep it in later turns.")
    else:
        parts.append("It asks nothing of this party that could be broken.")
    return " ".join(parts)


def _rationality(party: Party) -> str:
    """Say in words whether signing lowers a party's secure payoff or its predicted payoff."""
    lowers = "does not lower" if party.rational else "lowers"
    text = f"While all keep it, signing {lowers} what it can secure in pure actions"
    if (kept := party.within.expected) >= (before := party.without.expected):
        return f"{text}."
    joined = "but" if party.rational else "and"
    return f"{text}, {joined} its predicted payoff is less: {plain(kept)} against {plain(before)}."


def _told(payoffs: PayoffRange) -> str:
    return (
        f"worst {plain(payoffs.worst)}, predicted {plain(payoffs.expected)}, "
        f"best {plain(payoffs.best)}"
    )


def _as_json(party: Party) -> dict[str, Any]:
    return {
        "without": _amounts(party.without),
        "within": _amounts(party.within),
        "guaranteed": plain(party.guaranteed),
        "individually_rational": party.rational,
        "best_response": party.deviation is None,
        "dominant": party.dominant,
        "deviation": _deviation_facts(party.deviation),
        "temptation": _deviation_facts(party.temptation),
    }


def _amounts(payoffs: PayoffRange) -> dict[str, str]:
    return {name: plain(amount) for name, amount in vars(payoffs).items()}


def _deviation_facts(deviation: Deviation | None) -> dict[str, Any] | None:
    if deviation is None:
        return None
    return {
        "turn": deviation.turn,
        "action": deviation.action,
        "owed": list(deviation.owed),
        "gain": plain(deviation.gain),
        "others": deviation.others,
        "in_words": deviation.text(),
    }
