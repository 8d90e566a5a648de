"""The check of an export: signatures, hashes, breaches, values and amounts, all recomputed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from shapley_coop.deals.contract import Contract
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.extensions.proof.allowing import beyond, least_kept
from shapley_coop.extensions.proof.envelope import Envelope, envelope_of, read_envelope
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.kinds import kind_of
from shapley_coop.extensions.proof.mandate import read_mandate
from shapley_coop.extensions.proof.parties import OPERATOR, PRINCIPAL, Finding, party_findings
from shapley_coop.extensions.proof.rebuilding import chain_of, settings_of, table_at
from shapley_coop.extensions.proof.recomputable import recomputable
from shapley_coop.extensions.proof.signed_settings import SIGNED
from shapley_coop.extensions.proof.statement import (
    IN_TOTO,
    PLAN,
    SETTLEMENT,
    Predicate,
    Statement,
    settlement_in,
    subjects,
)
from shapley_coop.games.audits import audit
from shapley_coop.games.catalogue import is_program, names
from shapley_coop.games.opened import not_here, opens
from shapley_coop.games.params import GameError
from shapley_coop.games.turns import Turn
from shapley_coop.invalid import first_error
from shapley_coop.permissions import PROGRAMS, permitted
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settings import game_of
from shapley_coop.state.settlement import decide
from shapley_coop.state.storage.versions import check_version


def check(
    content: bytes,
    keys: Mapping[str, PublicKey],
    need: Sequence[str] = (),
    source: str = "the export",
    logs: Mapping[str, Path] | None = None,
) -> list[Finding]:
    """Verify the signatures of an export and recompute its statement.

    Args:
        content: the bytes of the file.
        keys: `operator`, an agent's name or `principal.AGENT` → that signer's trusted key.
        need: the agents whose own signatures must be on every agreement.
        source: the file's name in errors.
        logs: a party's name → its log, from which a statement of another kind was computed.

    Returns:
        The findings; the export is right if every finding is sound.

    Raises:
        ValueError: the content is not an export, the operator's key is missing, or the game is
            unknown or needs a program or a file that this process may not use.
    """
    if OPERATOR not in keys:
        raise ValueError("give the exporter's key: --key operator=FILE.pem")
    envelope = read_envelope(content, source)
    signed = _envelope(envelope, keys)
    if not signed.sound:
        return [signed]  # without a valid signature, the content is not trusted enough to be parsed
    if envelope.payload_type == IN_TOTO and (kind := kind_of(envelope.content)):
        return [signed, *_until_fault(kind.check(envelope.content, keys, need, logs or {}))]
    if logs:
        raise ValueError(f"{source} is the export of a run, which has no logs: leave out --log")
    statement = _statement(envelope, source)
    told = statement.predicate
    _may_be_played(told, source)
    parties = [*party_findings(told, keys, need)]
    return [signed, *parties, *_until_fault(_recomputed(statement, keys))]


def _until_fault(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings; if the operator signed what cannot be recomputed, that is the last one."""
    try:
        yield from findings
    except (ValidationError, GameError, ValueError, KeyError, TypeError, AttributeError) as error:
        words = str(first_error(error)) if isinstance(error, ValidationError) else str(error)
        yield Finding("statement", False, words or type(error).__name__)


def _may_be_played(told: Predicate, source: str) -> None:
    """Refuse settings that would open files of this machine or run foreign programs."""
    game = told.settings.get("game")
    if strange := told.settings.keys() - set(SIGNED):
        raise ValueError(f"{source}: an export may not contain the setting {sorted(strange)[0]!r}")
    params = told.settings.get("params")
    named = [key for key, x in params.items() if opens(key, x)] if isinstance(params, dict) else []
    if named and not permitted(PROGRAMS):
        raise ValueError(f"{source}: {named[0]} names a file: add --trust-programs to open it")
    if is_program(game):
        if not permitted(PROGRAMS):
            raise ValueError(f"{source}: its game is a program: add --trust-programs to run it")
    elif not isinstance(game, dict) and game not in names():
        raise ValueError(f"{source}: no game {str(game)[:80]!r} is here: install its extension")


def _envelope(envelope: Envelope, keys: Mapping[str, PublicKey]) -> Finding:
    known = {key.keyid: (name, key) for name, key in keys.items()}
    for keyid, signature in envelope.signatures.items():
        if keyid not in known:
            return Finding("envelope", False, f"signed by {keyid[:16]}, a key that was not given")
        name, key = known[keyid]
        if not key.verifies(envelope.message, signature):
            return Finding("envelope", False, f"the signature of {name} is not of this content")
    names = [known[keyid][0] for keyid in envelope.signatures]
    if keys[OPERATOR].keyid not in envelope.signatures:
        return Finding("envelope", False, "the operator's key did not sign it")
    return Finding("envelope", True, f"signed by {', '.join(names)}")


def _statement(envelope: Envelope, source: str) -> Statement:
    if envelope.payload_type != IN_TOTO:
        raise ValueError(f"{source} contains {envelope.payload_type}, not an in-toto statement")
    content = envelope.content if isinstance(envelope.content, dict) else {}
    check_version(source, content.get("predicateType"), SETTLEMENT)
    try:
        statement = Statement.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{source}: {first_error(error)}") from None
    check_version(source, statement.predicate.protocol, PROTOCOL)
    return statement


def _recomputed(statement: Statement, keys: Mapping[str, PublicKey]) -> Iterator[Finding]:
    told = statement.predicate
    for key, value in told.settings["params"].items():
        if missing := not_here(key, value):
            raise GameError(missing)
    chain = chain_of(told)
    table = table_at(told, chain)
    evaluated = EvaluatedTable(table)
    yield _told("agents", list(evaluated.agents), told.agents)
    read = {**settings_of(told), "require_signed": told.settings.get("require_signed")}
    yield _told("settings", {key: read[key] for key in SIGNED}, told.settings)
    if strangers := told.mandates.keys() - set(told.agents):
        yield Finding("mandates", False, f"{min(strangers)} is no party of this run")
    yield _contract(told, chain)
    yield _play(told, evaluated.signed.wrongly_handed())
    yield from _audits(told)
    again = settlement_in(decide(evaluated))
    stated = told.model_dump(mode="json", include=set(again))
    for part, words in _PARTS.items():
        yield _told(words, _plain(again[part]), stated[part])
    given = recomputable(evaluated)
    for part, words in (("table", "table of payoffs"), ("worths", "worths of coalitions")):
        if (shown := getattr(told, part)) is not None:
            yield _told(words, _plain(given.get(part)), shown)
    contract = chain[-1] if chain else None
    expected = subjects(contract, {**told.model_dump(mode="json"), **again})
    yield _told("subjects", expected, [one.model_dump() for one in statement.subject])
    for agent in told.agents:
        principal, mandated = keys.get(f"{PRINCIPAL}{agent}"), told.mandates.get(agent)
        if mandated is not None:
            wrong = _mandate(told, chain, agent, principal)
            shown = "kept" if mandated.envelope else f"not shown: {mandated.sha256[:16]}"
            yield Finding(f"mandate of {agent}", not wrong, wrong or shown)
        elif principal is not None:
            yield Finding(f"mandate of {agent}", False, "there is none, but its key was given")


_PARTS = {
    "breaches": "breaches",
    "values": "contributions and values",
    "basis": "basis",
    "rewards": "rewards",
    "transfers": "transfers",
    "forfeits": "forfeited deposits",
    "payoffs": "payoffs",
}


def _contract(told: Predicate, chain: Sequence[Contract]) -> Finding:
    read = [(one, Deal.model_validate(one.deal)) for one in told.agreements]
    wrong = [one for one, deal in read if (deal.record(), deal.hash()) != (one.deal, one.hash)]
    made = (contract["hash"] for contract in chain)
    expected = [next(made) if one.topic == PLAN else None for one in told.agreements]
    linked = [one.contract for one in told.agreements] == expected
    clauses = chain[-1]["text"].splitlines() if chain else []
    if wrong or not linked:
        return Finding("contract", False, "a hash differs from that of its clauses and history")
    if clauses != told.clauses:
        return Finding("contract", False, "the clauses in words differ from those in force")
    return Finding("contract", True, f"{len(chain)} agreed, {len(clauses)} clauses in force")


def _audits(told: Predicate) -> Iterator[Finding]:
    """Yield a finding for each kind of recorded effect: whether the effects follow their rule."""
    for name, wrong in audit(game_of(settings_of(told)), cast(Any, told.record)):
        yield Finding(name, not wrong, "; ".join(wrong) or "played by the rule")


def _play(told: Predicate, wrong: str) -> Finding:
    """Check that a replay pays the recorded rewards; `wrong` is a fault of the gifts, if any."""
    game, record = game_of(settings_of(told)), cast(Any, told.record)
    if [turn["turn"] for turn in record] != list(range(1, len(record) + 1)):
        return Finding("play", False, "its turns are not numbered from 1")
    if strange := {key for turn in record for key in turn} - Turn.__annotations__.keys():
        return Finding("play", False, f"a turn has the unknown field {min(strange)}")
    for turn, after in zip(record, game.analysis.replay(record), strict=True):
        if after.rewards != turn["rewards"] or (after.pot or 0) != turn.get("pot", 0):
            return Finding("play", False, f"turn {turn['turn']} pays {after.rewards}")
    return Finding("play", not wrong, wrong or f"{len(record)} turns replayed")


def _mandate(
    told: Predicate, chain: Sequence[Contract], agent: str, principal: PublicKey | None
) -> str:
    """Return the first fault about an agent's mandate, or ""; a hidden mandate is not checked."""
    mandated = told.mandates[agent]
    if principal is not None and principal.keyid != mandated.principal:
        return f"signed by {mandated.principal[:16]}, and not by the principal that was given"
    if mandated.envelope is None:
        unread = "its key was given, and it is not shown: coop prove --with-mandates shows it"
        return unread if principal is not None else ""
    signed = read_mandate(envelope_of(mandated.envelope))
    mandate = signed.mandate
    named = (signed.sha256, mandate.key.keyid, mandate.agent)
    if named != (mandated.sha256, mandated.principal, agent):
        return "it is another mandate than the one enforced in the run"
    begun = datetime.fromisoformat(told.begun)
    for turn in told.record:
        if turn["actions"].get(agent) in mandate.never:
            return f"turn {turn['turn']}: it did {turn['actions'][agent]}"
    for number, one in enumerate(told.agreements):
        deal, plan = Deal.model_validate(one.deal), one.topic == PLAN
        turns = one.turn - 1 if plan else None
        then = EvaluatedTable(table_at(told, chain, turns, number if plan else None))
        phase = "negotiation" if plan else "settlement"
        if fault := beyond(then, mandate, deal, phase, begun):
            return str(fault.feedback)
        if fault := least_kept(then, mandate, deal, phase):
            return fault.feedback
    return ""


def _plain(value: Any) -> Any:
    """Return a value as it is after it was written to JSON and read back."""
    import json

    return json.loads(json.dumps(value))


def _told(what: str, again: Any, stated: Any) -> Finding:
    if again == stated:
        return Finding(what, True, "recomputed, equal")
    return Finding(what, False, f"stated {str(stated)[:120]}, and should be {str(again)[:120]}")
