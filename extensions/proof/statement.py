"""The statement of a run: an in-toto Statement v1 whose numbers can all be recomputed.

A statement never holds private letters or answers; it holds public messages only on request.
Amounts are strings of millionths of the game's unit. Values are strings of exact numbers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.canonical import canonical, digest
from shapley_coop.deals.contract import Contract, rebuilt
from shapley_coop.deals.language.deal import Deal, Offer, put
from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.extensions.proof.acceptance import Signature
from shapley_coop.extensions.proof.envelope import Envelope, sign_envelope
from shapley_coop.extensions.proof.kept_mandates import mandate_of
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.recomputable import recomputable
from shapley_coop.extensions.proof.settings import settings_in
from shapley_coop.extensions.proof.signatures import signatures_on
from shapley_coop.extensions.proof.signed_settings import committed_in, signed_recipe
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.table import Table

IN_TOTO = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
SETTLEMENT = "urn:shapley-coop:settlement:v2"

PLAN = "plan"
"""The topic of the bargaining whose agreements form the contract."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Key(_Part):
    """The public key of a party."""

    keyid: str
    public: str  # in PEM


class Agreement(_Part):
    """An offer that all accepted."""

    topic: str
    turn: int  # the turn before which all had accepted
    revision: int
    by: str
    deal: dict[str, Any]
    hash: str  # the deal's hash: the value of `accepts` in what each party signs
    contract: str | None  # the hash of the contract after this agreement; None for a split
    signatures: dict[str, dict[str, str]]  # agent → key id and signature


class Transfer(_Part):
    """A payment between two accounts at settlement."""

    payer: str
    payee: str
    amount: str
    reason: str


class Mandated(_Part):
    """A mandate in a statement: its hash, and its whole envelope if it is shown."""

    sha256: str
    principal: str  # the id of the principal's key
    envelope: dict[str, Any] | None = None


class Predicate(_Part):
    """The statement's content: the run's settings, agreements, record and settlement."""

    protocol: str
    code: dict[str, str]  # name and version of the program
    episode: str
    workflow: str
    begun: str  # ISO time
    salt: str  # the salt of the signed settings' digest; empty if no party has a key
    agents: list[str]
    keys: dict[str, Key]
    mandates: dict[str, Mandated]
    settings: dict[str, Any]
    agreements: list[Agreement]
    clauses: list[str]  # the clauses of the contract in force at the end, in words
    reckoned: bool  # whether values were computed before the bargaining over the split
    record: list[dict[str, Any]]
    breaches: list[dict[str, Any]]
    values: dict[str, Any]  # the agents' values, and the baseline of these values
    basis: str
    rewards: dict[str, str]
    transfers: list[Transfer]
    forfeits: dict[str, str]
    payoffs: dict[str, str]
    ledger: str  # "paid", or "counterfactual" for an unpaid fork
    talk: list[dict[str, Any]] | None = None
    table: dict[str, Any] | None = None  # the payoffs of a game that `settings` only names
    worths: list[str] | None = None  # the worth of each coalition, by mask


class Subject(_Part):
    """A part of the run that the statement is about, named by its hash."""

    name: Literal["contract", "record", "settlement", "settings"]
    digest: dict[str, str]


class Statement(_Part):
    """An in-toto Statement v1 whose predicate is a settlement."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: list[Subject]
    predicateType: Literal["urn:shapley-coop:settlement:v2"]
    predicate: Predicate


def statement_of(
    table: Table,
    workflow: str,
    begun: str,
    *,
    talk: bool = False,
    mandates: bool = False,
    private: bool = False,
) -> dict[str, Any]:
    """Return the statement of a settled run, as JSON-compatible data.

    Args:
        table: the last state of the run.
        workflow: the workflow's name.
        begun: the time of the run's start, in ISO format.
        talk: whether to include the public messages.
        mandates: whether to include whole mandates, instead of their hashes alone.
        private: whether to include the parameters of a game that gives agents private facts.

    Raises:
        ValueError: the game gives agents private facts and `private` is not set, or the contract
            did not come from offers.
    """
    evaluated = EvaluatedTable(table)
    told = [agent for agent in evaluated.agents if evaluated.game.private(agent)]
    if told and not private:
        who = ", ".join(told) if len(told) <= MOST_TOLD else f"{len(told)} agents"
        raise ValueError(
            f"{evaluated.game.name} shows {who} private facts that follow from its parameters: "
            "--with-private puts them into the export"
        )
    predicate = _predicate(evaluated, workflow, begun, mandates)
    if talk:
        predicate["talk"] = [dict(said) for said in table.get("talk", [])]
    return {
        "_type": STATEMENT,
        "subject": subjects(table.get("contract"), predicate),
        "predicateType": SETTLEMENT,
        "predicate": predicate,
    }


def _predicate(
    evaluated: EvaluatedTable, workflow: str, begun: str, mandates: bool
) -> dict[str, Any]:
    """Return the statement's content (its predicate), still without the public messages."""
    table = evaluated.table
    settled, settings = table["settlement"] or {}, settings_in(evaluated.config)
    return {
        "protocol": PROTOCOL,
        "code": {"name": "shapley-coop", "version": version("shapley-coop")},
        "episode": table["episode"],
        "workflow": workflow,
        "begun": begun,
        "salt": (committed_in(table) or {"salt": ""})["salt"],
        "agents": list(table["agents"]),
        "keys": {
            agent: {"keyid": party.key.keyid, "public": party.public}
            for agent, party in settings.keys.items()
        },
        "mandates": _mandates(settings.mandates, mandates),
        "settings": signed_recipe(table),
        **_agreed(table),
        "reckoned": bool(table.get("reckoning")),
        "record": list(evaluated.record),
        **settlement_in(settled),
        "ledger": settled["ledger"],
        **recomputable(evaluated),
    }


def envelope_signed(statement: Mapping[str, Any], keys: Iterable[PrivateKey]) -> Envelope:
    """Return an envelope of the statement, signed with the keys."""
    return sign_envelope(IN_TOTO, dict(statement), keys)


def settlement_in(settled: Mapping[str, Any]) -> dict[str, Any]:
    """Return a statement's fields about the settlement; amounts are strings of millionths."""
    return {
        "breaches": sorted(settled["breaches"], key=_place),
        "values": settled["credit"],
        "basis": settled["basis"],
        "rewards": _strings(settled["rewards"]),
        "transfers": [{**t, "amount": str(t["amount"])} for t in settled["transfers"]],
        "forfeits": _strings(settled.get("forfeits", {})),
        "payoffs": _strings(settled["payoffs"]),
    }


def subjects(contract: Contract | None, predicate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the names and hashes of the statement's subjects; a run may have no contract."""
    parts = ("basis", "rewards", "transfers", "forfeits", "payoffs")
    hashed = {
        **({"contract": contract["hash"]} if contract else {}),
        "record": digest(predicate["record"]),
        "settings": digest(predicate["settings"]),
        "settlement": digest({part: predicate[part] for part in parts}),
    }
    return [{"name": name, "digest": {"sha256": found}} for name, found in hashed.items()]


def _place(breach: Mapping[str, Any]) -> tuple[int, int, str, str]:
    """Return a breach's place: canonical JSON keeps no order of agents, so names decide last."""
    return breach["turn"], len(breach["clause"]), breach["clause"], breach["agent"]


def _agreed(table: Table) -> dict[str, Any]:
    """Return the agreements, and the clauses in force as words that follow from the file alone."""
    agreements = json.loads(canonical(_agreements(table)))
    plans = [
        (put(Deal.of(one["deal"]), one["by"], one["revision"]), one["turn"])
        for one in agreements
        if one["topic"] == PLAN
    ]
    chain = rebuilt(plans)
    text = chain[-1]["text"] if chain else ""
    return {"agreements": agreements, "clauses": text.splitlines()}


def _agreements(table: Table) -> list[dict[str, Any]]:
    contract = table.get("contract")
    offers = agreed_offers(table, PLAN) if contract else []
    chain: Sequence[Contract] = ()
    if contract is not None:
        chain = rebuilt(offers)
        if not chain or {**chain[-1], "text": ""} != {**contract, "text": ""}:
            raise ValueError("its contract was not made by offers, so it cannot be exported")
    found: list[tuple[str, Offer, int, str | None]] = [
        (PLAN, *one, made["hash"]) for one, made in zip(offers, chain, strict=True)
    ]
    last = table.get("offer")
    topics = {said["topic"] for said in table.get("talk", [])} - {PLAN}
    found += [
        (topic, offer, turn, None)
        for topic in sorted(topics)
        for offer, turn in agreed_offers(table, topic)
        if last and offer["hash"] == last["hash"]
    ]
    return [
        {
            "topic": topic,
            "turn": turn,
            "revision": offer["revision"],
            "by": offer["by"],
            "deal": offer["deal"],
            "hash": offer["hash"],
            "contract": made,
            "signatures": _plain(signatures_on(table, topic, turn, offer)),
        }
        for topic, offer, turn, made in found
    ]


def _plain(signatures: Mapping[str, Signature]) -> dict[str, dict[str, str]]:
    return {agent: {"keyid": one["keyid"], "sig": one["sig"]} for agent, one in signatures.items()}


def _mandates(names: Mapping[str, str], shown: bool) -> dict[str, Any]:
    found = {}
    for agent, name in names.items():
        signed = mandate_of(name)
        told = {"sha256": signed.sha256, "principal": signed.mandate.key.keyid}
        found[agent] = {**told, "envelope": signed.envelope.record()} if shown else told
    return found


def _strings(amounts: Mapping[str, int]) -> dict[str, str]:
    return {account: str(amount) for account, amount in amounts.items()}
