"""What a statement says of mandates, and what a check finds of them."""

from datetime import UTC, datetime

from extensions.proof.tests.test_mandates import BOB_PAYS, CAROL, given, played
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.mandate import sign_mandate
from shapley_coop.extensions.proof.parties import OPERATOR, PRINCIPAL
from shapley_coop.extensions.proof.statement import envelope_signed, statement_of
from tests.scripted import Script

NOT_SHOWN = "its key was given, and it is not shown: coop prove --with-mandates shows it"


async def test_an_export_names_the_mandate_and_shows_it_only_on_request(script: Script) -> None:
    script["Alice", "propose"] = BOB_PAYS
    script["Bob", "answer"] = "<ACCEPT>"
    table = await played(mandates=given(max_pay="6", never=("wait",)))
    operator = PrivateKey.new()
    keys = {OPERATOR: operator.public, f"{PRINCIPAL}Bob": CAROL.public}
    for shown in (False, True):
        begun = datetime.now(UTC).isoformat()
        statement = statement_of(table, "negotiation_priced", begun, mandates=shown)
        told = statement["predicate"]["mandates"]["Bob"]
        assert told["principal"] == CAROL.public.keyid
        assert ("envelope" in told) == shown
        export = as_bytes(envelope_signed(statement, [operator]))
        wrong = [finding.found for finding in check(export, keys) if not finding.sound]
        assert [shown, *wrong] == [shown, *([] if shown else [NOT_SHOWN])]
        assert all(finding.sound for finding in check(export, {OPERATOR: operator.public}))
        other = {**keys, f"{PRINCIPAL}Bob": PrivateKey.new().public}
        wrong = [f.what for f in check(export, other) if not f.sound]
        assert wrong == ["mandate of Bob"]


async def test_an_agreement_beyond_the_mandate_is_found_by_whoever_is_shown_it(
    script: Script,
) -> None:
    script["Alice", "propose"] = BOB_PAYS
    script["Bob", "answer"] = "<ACCEPT>"
    table = await played(mandates=given(max_pay="6"))
    operator = PrivateKey.new()
    begun = datetime.now(UTC).isoformat()
    statement = statement_of(table, "negotiation_priced", begun, mandates=True)
    for limits in ({"max_pay": "5"}, {"min_end": "5"}, {"never": ("door",)}):
        strict = sign_mandate(CAROL, agent="Bob", **limits)  # type: ignore[arg-type]
        statement["predicate"]["mandates"]["Bob"] = {
            "sha256": strict.sha256,
            "principal": CAROL.public.keyid,
            "envelope": strict.envelope.record(),
        }
        export = as_bytes(envelope_signed(statement, [operator]))
        found = {f.what: f for f in check(export, {OPERATOR: operator.public})}
        assert not found["mandate of Bob"].sound, limits
