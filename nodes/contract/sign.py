"""Sign: contracts are drafted in turn, certified beforehand, and signed by all or by none."""

from typing import Any

from shapley_coop.deals import Deal, Fault, Message, accept, put, read_deal, unanimous
from shapley_coop.deals.analysis.certificate import Certificate, below_reservation, certify
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.written.reading import agrees
from shapley_coop.state import (
    AgentOutput,
    Table,
    TurnContext,
    Utterance,
    config_of,
    counted,
    entries,
    game_of,
)
from shapley_coop.state.storage.secrets import reservation_of

PROSE = "prose"
"""The talk in which offers made in words alone are recorded: nobody is bound by them."""


def a_contract_offer(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """A draft contract: clauses, or words alone; `<REJECT>` for none.

    Clauses are certified before they reach the table: a contract that cannot be kept, that
    somebody could never pay, or that leaves its own author below its reservation value is sent
    back. Words alone may be agreed on too; somebody impartial then drafts the clauses, and all
    sign those.
    """
    if message.accept is not None:
        return Fault("VOID", "No offer stands that you could accept: propose one, or <REJECT>.")
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: propose a contract, or <REJECT>.")
    if message.proposal is None and message.reject is not None:
        return {"act": "pass", "text": message.speech or message.reject}
    return _draft(moment, agent, message)


def a_contract_answer(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """The next in turn accepts what stands, puts another draft in its place, or declines."""
    if message.action is not None:
        return Fault("VOID", "It is not yet time to act: answer the offer.")
    if message.accept is not None:
        return _acceptance(moment, agent, message)
    if message.proposal is None and message.reject is not None:
        return {"act": "reject", "text": message.speech or message.reject}
    if message.proposal is None and agrees(message.speech or ""):
        return Fault(
            "ACK",
            "Words alone accept nothing: write <ACCEPT> to accept what stands, or <REJECT>, or "
            "put a draft of your own in its place and say how it differs.",
        )
    return _draft(moment, agent, message)


def a_signature(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Yes or no to the clauses that were drafted from words."""
    if (message.accept is None) == (message.reject is None):
        return Fault("ACK", "Sign the contract with one <ACCEPT>, or refuse with one <REJECT>.")
    if message.proposal is not None or message.action is not None:
        return Fault("VOID", "The talk is over: sign the contract as it stands, or refuse.")
    if message.accept is not None:
        return _acceptance(moment, agent, message)
    return {"act": "reject", "text": message.speech or message.reject or ""}


def say_draft(moment: TurnContext, spoken: dict[str, AgentOutput]) -> dict[str, Any]:
    """The speaker's draft takes the place of what stood; an acceptance joins what stands."""
    (speaker, said), table = next(iter(spoken.items())), moment.table
    offer, about = table["offer"], table["offer"]["revision"] if table["offer"] else 0
    revision = table["revision"] + 1 if said["act"] == "propose" else 0
    if revision:
        about, offer = 0, put(Deal.model_validate(said["deal"]), speaker, revision)
    elif offer and said["act"] == "accept":
        signed = accept(offer, speaker, offer["revision"], offer["hash"])
        assert not isinstance(signed, Fault), "it names the revision and hash that stand"
        offer = signed
    utterance = Utterance(speaker, said, puts=revision, about=about)
    topic = moment.topic.name if offer and offer["deal"]["clauses"] else PROSE
    return {
        "talk": entries(table, topic, [utterance]),
        "offer": offer,
        "revision": revision or table["revision"],
    }


def pass_on(table: Table) -> dict[str, Any]:
    """Round robin: the next in turn answers what stands, or proposes where nothing does.

    Verdicts: `agreed` (all accepted the same clauses), `in_words` (all accepted the same words),
    `respond`, `propose`, and `no_deal` (every agent has had its turns).
    """
    agents, offer, round_ = table["agents"], table["offer"], table["round"]
    if offer is not None and unanimous(offer, agents):
        return {"verdict": "agreed" if offer["deal"]["clauses"] else "in_words"}
    at = agents.index(table["speaker"]) + 1
    if at == len(agents):
        at, round_ = 0, round_ + 1
    if round_ > config_of(table["settings"]).rounds:
        return {"verdict": "no_deal", "offer": None}
    # An offer that comes back to its author was not accepted by all: it lapses.
    standing = offer if offer and offer["by"] != agents[at] else None
    verdict = "respond" if standing else "propose"
    return {"verdict": verdict, "offer": standing, "speaker": agents[at], "round": round_}


def count_signatures(table: Table) -> dict[str, Any]:
    """All sign, or nobody is bound. Verdicts: `signed`, `unsigned`."""
    offer, answers = counted(table["offer"], table.get("answers", {}))
    assert offer is not None, "signatures are asked for a drafted contract"
    utterances = [
        Utterance(agent, answers[agent], about=offer["revision"])
        for agent in table["agents"]
        if agent in answers
    ]
    all_ = unanimous(offer, table["agents"])
    return {
        "talk": entries(table, "plan", utterances),
        "answers": None,
        "offer": offer if all_ else None,
        "verdict": "signed" if all_ else "unsigned",
    }


def certificate_of(table: Table, deal: Deal, norms: list[str]) -> Certificate:
    """What a contract would do, from this turn on, at this table."""
    return certify(
        deal,
        facts_of(game_of(table["settings"])),
        Enforcement.of(table["settings"]),
        norms=norms,
        record=table.get("record", []),
        standing=table.get("contract"),
    )


def _draft(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    if message.proposal is None:
        if not message.speech:
            return Fault("MPT", "Propose in <s>words</s>, in <PROPOSAL>{json}</PROPOSAL>, or both.")
        return {"act": "propose", "text": message.speech, "deal": Deal().record()}
    deal = read_deal(message.proposal)
    if isinstance(deal, Fault):
        return deal
    fault = _unfit(moment, agent, deal)
    said: AgentOutput = {"act": "propose", "text": message.speech or "", "deal": deal.record()}
    return fault or said


def _acceptance(moment: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """An acceptance binds to what the letter showed; what it names itself has to match."""
    offer = moment.table["offer"]
    if message.proposal is not None:
        return Fault("ACK", "You cannot accept and propose at once: do one of the two.")
    if offer is None:
        return Fault("VOID", "No offer stands that you could accept.")
    for word in (message.accept or "").split():
        if word != str(offer["revision"]) and not (
            len(word) >= 8 and offer["hash"].startswith(word)
        ):
            standing = f"revision {offer['revision']}, hash {offer['hash'][:12]}"
            return Fault(
                "STALE",
                f"You accept {word}, but what stands is {standing}: write <ACCEPT> alone.",
            )
    deal = Deal.model_validate(offer["deal"])
    if deal.clauses and (fault := _unfit(moment, agent, deal)):
        return fault
    return {"act": "accept", "text": message.speech or ""}


def _unfit(moment: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Why this agent cannot put its name to a deal, if it cannot."""
    certificate = certificate_of(moment.table, deal, moment.norms)
    if certificate.faults:
        return certificate.faults[0]
    reservation = reservation_of(moment.table["settings"]["secrets"], agent)
    if reservation is None:
        return None
    record, standing = moment.table.get("record", []), moment.table.get("contract")
    return below_reservation(certificate, agent, reservation, record, standing)
