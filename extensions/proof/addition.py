"""The extension's hooks in a run (its `Addition`), for keys, signatures and mandates."""

from collections.abc import Iterator, Mapping
from typing import Any

from shapley_coop.deals.language.deal import Offer
from shapley_coop.extensions.proof.acceptance import element, signature_in, without_signature
from shapley_coop.extensions.proof.allowing import outside
from shapley_coop.extensions.proof.kept_mandates import check_in_force, keep_mandate, mandate_of
from shapley_coop.extensions.proof.settings import Settings
from shapley_coop.extensions.proof.signatures import (
    attested,
    shown_to_sign,
    signed_here,
    wrongly_sealed,
    wrongly_signed,
)
from shapley_coop.games import Game
from shapley_coop.state.additions import Addition, Limits, Rechecked, SealedAnswer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.home_files.digests import salt_of
from shapley_coop.state.home_files.kept import KEPT
from shapley_coop.state.resolving import check_plays
from shapley_coop.state.table import AgentOutput, Table
from shapley_coop.state.turn import TurnContext


class Proof(Addition[Settings]):
    """The addition for signatures of parties with keys, and for mandates of their principals."""

    settings = Settings

    def resolved(self, settings: Settings, game: Game) -> Settings:
        """Return the settings with public keys looked up, and store the mandates in the home.

        Raises:
            ValueError: a key or a mandate is invalid or of an agent that does not play, the game
                has no offers to sign, or `require_signed` is set without any key.
        """
        if settings.require_signed and not settings.keys:
            raise ValueError("require_signed: no agent has a key: give one, as in --key Alice=NAME")
        check_plays("a key", settings.keys, game)
        check_plays("a mandate", settings.mandates, game)
        if (settings.keys or settings.mandates) and not game.signable:
            raise ValueError(f"{game.name} has no offers to sign: leave out keys")
        kept = {
            "keys": {agent: key.resolved() for agent, key in settings.keys.items()},
            "mandates": {a: keep_mandate(text, a) for a, text in settings.mandates.items()},
        }
        return settings.model_copy(update=kept)

    def check_begin(self, settings: Settings) -> None:
        """Raise ValueError if a mandate has expired, so that the run does not begin."""
        check_in_force(settings.mandates)

    def complaints(self, settings: Settings) -> Iterator[str]:
        """Yield a complaint if a tenant names keys or mandates in the operator's home."""
        if any(key.name for key in settings.keys.values()):
            yield "keys: give public keys in PEM; this server's own keys sign for no tenant"
        if any(text.startswith(KEPT) for text in settings.mandates.values()):
            yield "mandates: give the text of each; what is kept here is named by its own run alone"

    def aside(self, settings: Settings, episode: str, workflow: str) -> dict[str, str] | None:
        """Return workflow and salt for the digest of the settings, or None if no party has a key.

        The digest is salted, since settings could be guessed and compared with an unsalted digest.
        """
        return {"workflow": workflow, "salt": salt_of(episode)} if settings.keys else None

    def limits(self, settings: Settings, agent: str) -> Limits:
        """Return the limits in the agent's mandate, or no limits if it has no mandate."""
        if agent not in settings.mandates:
            return Limits()
        mandate = mandate_of(settings.mandates[agent]).mandate
        return Limits(mandate.max_pay, mandate.min_end, mandate.never)

    def shows(self, settings: Settings, turn: TurnContext, agent: str) -> dict[str, Any]:
        """Return the fact `to_sign` for an agent with a key; other agents get no fact."""
        return shown_to_sign(turn, agent) if agent in settings.keys else {}

    def carried(self, reply: Mapping[str, Any]) -> str:
        """Return the answer element for the `signature` in a person's reply, or "" without one."""
        signature = reply.get("signature")
        if signature is None:
            return ""
        written = signature if isinstance(signature, dict) else {}
        carried = element({"keyid": str(written.get("keyid")), "sig": str(written.get("sig"))})
        if signature_in(carried) is None:
            raise ValueError("signature: give keyid, in hexadecimal, and sig, in base64")
        return carried

    def without(self, text: str) -> str:
        """Return an answer's text without its signature elements."""
        return without_signature(text)

    def check(
        self, settings: Settings, turn: TurnContext, agent: str, text: str, said: AgentOutput
    ) -> Any:
        """Return the fault of an answer (by mandate or signature), or the answer's signature."""
        name = settings.mandates.get(agent)
        fault = outside(turn, mandate_of(name).mandate, text, said) if name else None
        return fault or attested(turn, settings, agent, text, said)

    def accepts(
        self, settings: Settings, evaluated: EvaluatedTable, agent: str, topic: str, offer: Offer
    ) -> Any:
        """Return an agent's signature of an accepted offer; None if its key is not in this home."""
        return signed_here(settings, evaluated, agent, topic, offer)

    def rechecked(
        self, settings: Settings, table: Table, sealed: Mapping[str, SealedAnswer] | None
    ) -> Rechecked | None:
        """Verify the parties' signatures and return the result, or None if no party has a key."""
        if not settings.keys:
            return None
        keys = {agent: party.key for agent, party in settings.keys.items()}
        if sealed is None:
            wrong = wrongly_signed(table, keys, settings.require_signed)
        else:
            wrong = wrongly_sealed(table, settings, sealed)
        return Rechecked("signatures", wrong, f"of {', '.join(keys)}, verified")


ADDITION = Proof()
