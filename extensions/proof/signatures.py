"""The signatures in a run: what is signed, who signs, and how signatures are verified.

The program signs for a party whose key is in this home. Any other party sends the signature in its
answer (`acceptance.element`). To accept, it signs the content of the fact `to_sign` in its letter.
If it proposes, its answer is refused with SIGN and the content; it signs that and answers again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from shapley_coop.deals.language.deal import Deal, Offer
from shapley_coop.deals.language.faults import Fault
from shapley_coop.extensions.proof.acceptance import (
    Binding,
    Signature,
    binding,
    is_signed,
    sign_binding,
    signature_in,
)
from shapley_coop.extensions.proof.home_keys import key_of
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.settings import NAME, Settings
from shapley_coop.extensions.proof.signed_settings import SignedRun, signed_run
from shapley_coop.state.additions import SealedAnswer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.table import AgentOutput, PublicMessage, Table
from shapley_coop.state.turn import TurnContext

UNSIGNED = "SIGN"
"""The label of an answer whose required signature is missing or wrong."""


def to_sign(turn: TurnContext, agent: str, text: str, said: AgentOutput) -> Binding | None:
    """Return the content that an agent signs with an answer; None if the answer binds nobody.

    Args:
        turn: the run's state and the question.
        agent: the agent that answered.
        text: the agent's answer.
        said: the content that was read from the answer.
    """
    if sealed := turn.question.sealed:
        accepts = sealed(turn, agent, text)
        return _binding(turn, agent, 1, accepts) if accepts else None
    offer = turn.evaluated.offer
    if said["act"] == "accept" and offer is not None and offer["deal"]["clauses"]:
        return _binding(turn, agent, offer["revision"], offer["hash"])
    if said["act"] in ("propose", "reject") and said.get("deal", {}).get("clauses"):
        deal = Deal.of(said["deal"])
        return _binding(turn, agent, turn.table["revision"] + 1, deal.hash())
    return None


def shown_to_sign(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the fact `to_sign` of a letter that asks for an answer to an offer."""
    offer = turn.evaluated.offer
    if offer is None or not offer["deal"]["clauses"]:
        return {}
    return {"to_sign": _binding(turn, agent, offer["revision"], offer["hash"])}


def attested(
    turn: TurnContext, settings: Settings, agent: str, text: str, said: AgentOutput
) -> Signature | Fault | None:
    """Return the signature of a binding answer by an agent with a key, or the fault.

    Args:
        turn: the run's state and the question.
        settings: the run's settings of this extension.
        agent: the agent that answered.
        text: the agent's answer, unchanged.
        said: the content that was read from the answer.

    Returns:
        The signature; the fault SIGN if the signature is wrong, or missing although the run
        requires one; None if no signature is needed, or if it must stay secret (sealed answer).
    """
    party = settings.keys.get(agent)
    bound = to_sign(turn, agent, text, said) if party else None
    # A key of this home signs the result of sealed proposals only when they are opened.
    if party is None or bound is None or (party.name and turn.question.sealed):
        return None
    if party.name:
        return sign_binding(key_of(party.name), bound)
    signature = signature_in(text)
    if signature is None and not settings.require_signed and "<SIGNATURE>" not in text.upper():
        return None
    if signature is None or not is_signed(party.key, bound, signature):
        return Fault(UNSIGNED, _how(bound, missing=signature is None))
    # A public signature would let others find a sealed answer by guessing its content.
    return None if turn.question.sealed else signature


class Agreed(NamedTuple):
    """An offer that all accepted, with its signatures.

    Attributes:
        topic: the topic of the bargaining.
        turn: the turn before which the offer was accepted.
        signatures: agent → signature, for the agents that signed.
    """

    topic: str
    turn: int
    offer: Offer
    signatures: Mapping[str, Signature]

    def binding(self, agent: str, run: SignedRun) -> Binding:
        """Return the content that an agent must sign for this agreement."""
        return binding(
            agent=agent,
            **run._asdict(),
            topic=self.topic,
            turn=self.turn,
            revision=self.offer["revision"],
            accepts=self.offer["hash"],
        )


def signed_here(
    settings: Settings, evaluated: EvaluatedTable, agent: str, topic: str, offer: Offer
) -> Signature | None:
    """Return a party's signature of an offer if its key is in this home, else None."""
    party = settings.keys.get(agent)
    if party is None or not party.name:
        return None
    bound = Agreed(topic, evaluated.turn, offer, {}).binding(agent, signed_run(evaluated.table))
    return sign_binding(key_of(party.name), bound)


def signatures_on(table: Table, topic: str, turn: int, offer: Offer) -> dict[str, Signature]:
    """Return agent → signature of an offer, as found in the run's public messages."""
    found: dict[str, Signature] = {}
    for said in _about(table.get("talk", []), topic, turn, offer["revision"]):
        if NAME in said.get("more", {}):
            found[said["by"]] = said["more"][NAME]
    return found


def wrongly_signed(table: Table, keys: Mapping[str, PublicKey], required: bool) -> list[str]:
    """Return a message for each wrong or missing signature on a run's agreements.

    Args:
        table: the run's last state.
        keys: agent → the agent's public key.
        required: whether every party with a key must have signed.
    """
    found: list[str] = []
    for topic in sorted({said["topic"] for said in table.get("talk", [])}):
        for offer, turn in agreed_offers(table, topic):
            one = Agreed(topic, turn, offer, signatures_on(table, topic, turn, offer))
            due = keys if required else {a: key for a, key in keys.items() if a in one.signatures}
            if offer["deal"]["clauses"]:
                found += unsigned(one, signed_run(table), due)
    return found


def wrongly_sealed(
    table: Table, settings: Settings, sealed: Mapping[str, SealedAnswer]
) -> list[str]:
    """Return a message for each wrong or missing signature in a run with sealed answers.

    Parties with their own key sign their answers; keys of this home sign the resulting agreement.

    Args:
        table: the run's last state.
        settings: the run's settings of this extension.
        sealed: agent → its sealed answer.
    """
    found: list[str] = []
    for agent, answer in sealed.items():
        party = settings.keys.get(agent)
        if party is None or party.name:
            continue
        run, signature = signed_run(table)._asdict(), signature_in(answer.text)
        named = {"topic": answer.topic, "turn": answer.turn, "accepts": answer.accepts}
        bound = binding(agent=agent, **run, revision=1, **named)  # type: ignore[arg-type]
        if signature is None and settings.require_signed:
            found.append(f"{agent} did not sign {answer.called}")
        elif signature and not is_signed(party.key, bound, signature):
            found.append(f"the signature of {agent} is not of {answer.called}")
    parties = (table.get("contract") or {"signatures": {}})["signatures"]
    here = {a: party.key for a, party in settings.keys.items() if party.name and a in parties}
    return found + wrongly_signed(table, here, settings.require_signed)


def unsigned(agreed: Agreed, run: SignedRun, keys: Mapping[str, PublicKey]) -> Iterator[str]:
    """Yield a message for each key whose signature of an agreement is missing or wrong."""
    for agent, key in keys.items():
        signature = agreed.signatures.get(agent)
        if signature is None:
            yield f"{agent} did not sign revision {agreed.offer['revision']} of {agreed.topic}"
        elif not is_signed(key, agreed.binding(agent, run), signature):
            revision = agreed.offer["revision"]
            yield f"the signature of {agent} is not of revision {revision} under these settings"


def _about(
    talk: Sequence[PublicMessage], topic: str, turn: int, revision: int
) -> Iterator[PublicMessage]:
    for said in talk:
        if (said["topic"], said["turn"]) != (topic, turn):
            continue
        accepts = said["act"] == "accept" and said.get("about") == revision
        if accepts or said.get("puts") == revision:
            yield said


def _binding(turn: TurnContext, agent: str, revision: int, accepts: str) -> Binding:
    return binding(
        agent=agent,
        **signed_run(turn.table)._asdict(),
        topic=turn.topic.name,
        turn=turn.evaluated.turn,
        revision=revision,
        accepts=accepts,
    )


def _how(bound: Binding, missing: bool) -> str:
    wrong = "is not signed" if missing else "carries a signature that is not your key's of this"
    told = json.dumps(bound, ensure_ascii=False, sort_keys=True)
    return (
        f"Your answer {wrong}: sign {told} with your key, and send the same answer again with "
        "<SIGNATURE>KEYID BASE64</SIGNATURE> in it."
    )
