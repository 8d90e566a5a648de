"""What a party's signature covers: no rule of an export is another than it was signed by."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import pytest

from extensions.proof.tests.signed_play import GIFT, Play, signed_play
from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.mandate import sign_mandate
from shapley_coop.extensions.proof.parties import OPERATOR, PRINCIPAL
from shapley_coop.extensions.proof.rebuilding import chain_of, settings_of, table_at
from shapley_coop.extensions.proof.recomputable import recomputable
from shapley_coop.extensions.proof.signed_settings import SIGNED
from shapley_coop.extensions.proof.statement import Predicate, settlement_in, subjects
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settings import game_of
from shapley_coop.state.settlement import decide

ZOE, CAGRI = GIFT["agents"]
CAROL = PrivateKey.new()

RULES = {
    "absent": "keep",
    "norm": "shapley",
    "disagreement": "signed",
    "constraints": ["cap=5"],
    "enforcement": "escrow",
    "deposit": "1",
}
OTHER_RULES: dict[str, list[Any]] = {
    "game": [
        {**GIFT, "name": "Gifts of Zoe"},
        *(
            {
                **GIFT,
                "payoffs": [
                    {**play, "pays": [x + (n == row and i == side) for i, x in enumerate(pays)]}
                    for n, play in enumerate(GIFT["payoffs"])
                    for pays in [play["pays"]]
                ],
            }
            for row in range(4)
            for side in range(2)
        ),
    ],
    "params": [{"rounds": 1}],
    "seed": [4],
    "absent": ["gib", ""],
    "norm": ["equal", "proportional"],
    "disagreement": ["norm"],
    "constraints": [[], ["cap=4"], ["limited_liability"]],
    "enforcement": ["notional", "enforced"],
    "deposit": ["", "2"],
    "require_signed": [False],
}
"""Of each setting, others that are as good."""

OPERATORS_WORD = {"code", "begun", "reckoned", "by", "ledger"}
"""What the operator alone states, and docs/verify.md says so."""


class Told(NamedTuple):
    """A play, with what its export states; mandates are read in the home where it was played."""

    play: Play
    statement: dict[str, Any]
    without_mandate: dict[str, Any]
    settings: str


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> Told:
    mandate = sign_mandate(CAROL, agent=CAGRI, never=("jump",))
    allowed = {CAGRI: as_bytes(mandate.envelope).decode()}
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        play = await signed_play(folder, patch, GIFT, mandates=allowed, **RULES)
        return Told(play, play.statement(mandates=True), play.statement(), play.settings)


def shown(played: Told) -> dict[str, Any]:
    return deepcopy(played.statement)


def wrong_in(played: Told, statement: dict[str, Any], *known: str) -> list[str]:
    """What is not sound in an export that the operator signs, for one who knows these parties."""
    keys = {name: played.play.keys[name] for name in (OPERATOR, *known)}
    found = check(played.play.signed(statement), {**keys, f"{PRINCIPAL}{CAGRI}": CAROL.public})
    return [finding.what for finding in found if not finding.sound]


def recomputed(statement: dict[str, Any]) -> dict[str, Any]:
    """The statement of a clever operator: all that follows from settings and record is redone."""
    told = Predicate.model_validate(statement["predicate"])
    game = game_of(settings_of(told))
    record = []
    for turn, after in zip(told.record, game.analysis.replay(told.record), strict=True):
        record.append({**turn, "rewards": after.rewards})
    told = told.model_copy(update={"record": record})
    chain = chain_of(told)
    evaluated = EvaluatedTable(table_at(told, chain))
    again = settlement_in(decide(evaluated)) | recomputable(evaluated)
    predicate = {**statement["predicate"], "record": record, **again}
    about = subjects(chain[-1], {**Predicate.model_validate(predicate).model_dump(), **predicate})
    return {**statement, "predicate": predicate, "subject": about}


def test_all_of_it_holds_for_whoever_knows_both_parties_and_the_principal(played: Told) -> None:
    assert wrong_in(played, recomputed(shown(played)), ZOE, CAGRI) == []


def test_each_setting_has_another_that_is_as_good() -> None:
    assert OTHER_RULES.keys() == set(SIGNED)


@pytest.mark.parametrize(
    ("setting", "other"), [(key, one) for key, others in OTHER_RULES.items() for one in others]
)
def test_by_another_rule_with_all_that_follows_from_it_nobody_signed(
    played: Told, setting: str, other: Any
) -> None:
    statement = shown(played)
    statement["predicate"]["settings"][setting] = other
    assert wrong_in(played, recomputed(statement), CAGRI) == [
        f"signatures of {ZOE}",
        f"signatures of {CAGRI}",
    ]


@pytest.mark.parametrize("setting", [key for key in SIGNED if key != "game"])
def test_a_setting_that_is_left_out_is_missed(played: Told, setting: str) -> None:
    statement = shown(played)
    del statement["predicate"]["settings"][setting]
    assert f"signatures of {CAGRI}" in wrong_in(played, statement, CAGRI)


def test_nothing_can_be_changed_but_what_is_said_to_be_the_operators_word(played: Told) -> None:
    before = shown(played)["predicate"]
    believed = set()
    for path, value in places(before):
        statement = shown(played)
        put(statement["predicate"], path, changed(value))
        try:
            wrong = wrong_in(played, statement, ZOE, CAGRI)
        except ValueError:
            continue  # it is no export any more
        if not wrong:
            believed.add(path[0] if path[0] != "agreements" else path[-1])
    assert believed == OPERATORS_WORD


def test_without_signatures_a_known_key_is_not_used(played: Told) -> None:
    statement = shown(played)
    told = statement["predicate"]
    told["settings"].update(enforcement="notional", require_signed=False)
    told["agreements"][0]["signatures"].clear()
    statement = recomputed(statement)
    assert wrong_in(played, statement) == []  # nobody says that they know a party
    assert wrong_in(played, statement, CAGRI) == [f"signatures of {CAGRI}"]


def test_a_mandate_that_is_left_out_or_not_shown_is_missed(played: Told) -> None:
    statement = shown(played)
    statement["predicate"]["mandates"].clear()
    assert f"mandate of {CAGRI}" in wrong_in(played, statement)
    assert wrong_in(played, deepcopy(played.without_mandate)) == [f"mandate of {CAGRI}"]


def test_the_settings_cannot_be_found_from_what_is_signed_by_trying_them(played: Told) -> None:
    """The salt is in no letter; whoever has the export can compute what was signed."""
    told = shown(played)["predicate"]
    signed = {
        "agents": told["agents"],
        "keys": {agent: key["keyid"] for agent, key in told["keys"].items()},
        "mandates": {agent: one["sha256"] for agent, one in told["mandates"].items()},
        "salt": told["salt"],
        "settings": digest(told["settings"]),
        "workflow": told["workflow"],
    }
    assert digest(signed) == played.settings
    assert len(told["salt"]) == 64
    assert told["salt"] not in str(played.play.table["talk"])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every single value in plain JSON, and every list or mapping that is empty."""
    inside = (
        list(value.items() if isinstance(value, dict) else enumerate(value))
        if (isinstance(value, dict | list))
        else []
    )
    if not inside:
        yield path, value
    for key, one in inside:
        yield from places(one, (*path, key))


def put(value: Any, path: tuple[Any, ...], other: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = other


def changed(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value.endswith("+00:00"):
            return value.replace("2026", "2025")
        case str() if value.isdecimal():
            return str(int(value) + 1)
        case str():
            return f"{value}x"
        case dict():
            return {ZOE: "1"}
        case None:
            return "x"
    return ["x"]
