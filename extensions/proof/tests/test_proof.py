"""An export is believed only as it was signed, and only if everything in it follows from it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extensions.proof.tests.signed_play import GIFT, Play, payload_of, reencoded, signed_play
from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.state.storage.home import HOME_VARIABLE
from tests.chance import dice


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> Play:
    with pytest.MonkeyPatch.context() as patch:
        return await signed_play(tmp_path_factory.mktemp("home"), patch)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checker's home: there is nothing in it, and nothing may come to be."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "elsewhere"))
    return tmp_path / "elsewhere"


def accepted(export: bytes, play: Play, need: tuple[str, ...] = ()) -> bool:
    try:
        return all(finding.sound for finding in check(export, play.keys, need))
    except ValueError:
        return False


def refused(export: bytes, play: Play, need: tuple[str, ...] = ()) -> str:
    """What is not sound, in words; there has to be something."""
    wrong = [f"{f.what}: {f.found}" for f in check(export, play.keys, need) if not f.sound]
    assert wrong
    return "; ".join(wrong)


def test_an_export_is_recomputed_without_the_home_that_it_comes_from(
    played: Play, elsewhere: Path
) -> None:
    export = played.signed(played.statement())
    findings = {f.what: f for f in check(export, played.keys, need=("Alice", "Bob"))}
    assert all(finding.sound for finding in findings.values())
    recomputed = {"play", "breaches", "contributions and values", "transfers", "payoffs"}
    assert recomputed <= findings.keys()
    assert not elsewhere.exists()
    told = payload_of(export)["predicate"]
    assert sum(map(int, told["payoffs"].values())) == sum(map(int, told["rewards"].values()))


@pytest.mark.parametrize("flips", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_flipped_byte_of_an_export_is_accepted(
    played: Play, elsewhere: Path, flips: int
) -> None:
    export, chance = played.signed(played.statement()), dice("flipped bytes")
    assert accepted(export, played)
    believed = []
    for _ in range(flips):
        at, to = chance.randrange(len(export)), chance.randrange(1, 256)
        flipped = bytearray(export)
        flipped[at] ^= to
        if accepted(bytes(flipped), played):
            believed.append((at, to))
    assert believed == []


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_part_of_an_export_is_none(played: Play, cut: int) -> None:
    export = played.signed(played.statement())
    assert not accepted(export[:cut], played)
    assert not accepted(export + b"\n", played)


def test_the_same_content_in_other_bytes_is_not_read(played: Play) -> None:
    export = played.signed(played.statement())
    with pytest.raises(ValueError, match="another program wrote it, or it was changed"):
        check(reencoded(export), played.keys)


Change = Callable[[dict[str, Any]], object]


def _move_a_millionth(told: dict[str, Any]) -> None:
    told["payoffs"]["Alice"] = str(int(told["payoffs"]["Alice"]) + 1)
    told["payoffs"]["Bob"] = str(int(told["payoffs"]["Bob"]) - 1)


LIES: dict[str, Change] = {
    "payoffs": _move_a_millionth,
    "transfers": lambda told: told["transfers"][0].update(amount="5500001"),
    "who pays": lambda told: told["transfers"][0].update(payer="Bob", payee="Alice"),
    "rewards": lambda told: told["record"][0]["rewards"].update(Alice=11),
    "actions": lambda told: told["record"][0]["actions"].update(Bob="door"),
    "turns": lambda told: told["record"].append({**told["record"][0], "turn": 2}),
    "values": lambda told: told["values"]["shapley"].update(Alice="5", Bob="4"),
    "baseline": lambda told: told["settings"].update(absent="door"),
    "norm": lambda told: told["settings"].update(norm="equal"),
    "enforcement": lambda told: told["settings"].update(enforcement="notional"),
    "seed": lambda told: told["settings"].update(seed=4),
    "breaches": lambda told: told["breaches"].append({"clause": "c1", "agent": "Bob"}),
    "clauses in words": lambda told: told["clauses"].pop(),
    "a clause": lambda told: told["agreements"][0]["deal"]["clauses"].pop(),
    "the hash": lambda told: told["agreements"][0].update(hash="0" * 64),
    "the contract": lambda told: told["agreements"][0].update(contract="0" * 64),
    "the revision": lambda told: told["agreements"][0].update(revision=7),
    "the turn": lambda told: told["agreements"][0].update(turn=2),
    "no agreement": lambda told: told["agreements"].clear(),
    "the episode": lambda told: told.update(episode="another"),
    "a signature": lambda told: told["agreements"][0]["signatures"].pop("Bob"),
    "signatures exchanged": lambda told: told["agreements"][0]["signatures"].update(
        Bob=told["agreements"][0]["signatures"]["Alice"]
    ),
    "a key": lambda told: told["keys"].update(Bob=told["keys"]["Alice"]),
    "a key id": lambda told: told["keys"]["Bob"].update(keyid="0" * 64),
    "no key": lambda told: told["keys"].pop("Bob"),
    "the salt": lambda told: told.update(salt="0" * 64),
    "no salt": lambda told: told.update(salt=""),
    "the workflow": lambda told: told.update(workflow="negotiation"),
    "the parties": lambda told: told.update(agents=["Alice", "Eve"]),
    "the order of parties": lambda told: told["agents"].reverse(),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_the_operator_changes_is_found_although_it_signs_it(played: Play, lie: str) -> None:
    assert refused(played.altered(LIES[lie]), played, need=("Alice", "Bob"))


def test_an_acceptance_of_another_episode_is_no_acceptance_of_this_one(
    played: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two plays have the same clauses, revision, agents and keys."""

    def replay(told: dict[str, Any]) -> None:
        told["agreements"] = again["agreements"]

    again = json.loads(json.dumps(played.statement()["predicate"]))
    again["agreements"][0]["signatures"] = _of_another_episode(played)
    why = refused(played.altered(replay), played)
    assert "the signature of Alice is not of revision 1" in why


def _of_another_episode(play: Play) -> dict[str, Any]:
    from shapley_coop.extensions.proof.acceptance import binding, sign_binding

    one = play.statement()["predicate"]["agreements"][0]
    return {
        agent: sign_binding(
            play.signers[agent],
            binding(
                agent=agent,
                episode="another",
                settings=play.settings,
                topic=one["topic"],
                turn=one["turn"],
                revision=one["revision"],
                accepts=one["hash"],
            ),
        )
        for agent in ("Alice", "Bob")
    }


@pytest.mark.parametrize(
    "settings",
    [
        *({"game": game} for game in ("mine.py", "pettingzoo:os:path", "/etc/hosts")),
        {"secrets": "s"},
        {"game": "trade", "params": {"market": "/dev/zero"}},
        {"game": "software_company", "params": {"task": "/dev/zero.yaml"}},
    ],
    ids=str,
)
def test_an_export_opens_no_files_and_runs_no_programs(
    played: Play, settings: dict[str, Any]
) -> None:
    export = played.altered(lambda told: told["settings"].update(settings))
    with pytest.raises(ValueError, match=r"program|the game|the setting|names a file"):
        check(export, played.keys)


def test_keys_are_compared_with_those_that_the_checker_knows(played: Play) -> None:
    export, stranger = played.signed(played.statement()), PrivateKey.new().public
    known = {OPERATOR: played.keys[OPERATOR]}
    assert all(f.sound for f in check(export, known))  # recomputed, and parties named by key id
    wrong = [f.found for f in check(export, {**known, "Bob": stranger}) if not f.sound]
    assert any("and not by the one given" in found for found in wrong)
    with pytest.raises(ValueError, match="operator"):
        check(export, {"Bob": played.keys["Bob"]})
    [of_nobody] = check(export, {OPERATOR: stranger})
    assert (of_nobody.what, of_nobody.sound) == ("envelope", False)


@pytest.mark.parametrize(("need", "why"), [("Eve", "no party"), ("Bob", "was not given")])
def test_whose_signature_is_needed_has_to_be_a_party_by_a_known_key(
    played: Play, need: str, why: str
) -> None:
    export = played.signed(played.statement())
    findings = check(export, {OPERATOR: played.keys[OPERATOR]}, need=(need,))
    assert any(why in finding.found for finding in findings if not finding.sound)


def test_names_that_are_not_ascii_are_signed_and_hashed_by_the_standard(
    tmp_path: Path, elsewhere: Path
) -> None:
    import asyncio

    with pytest.MonkeyPatch.context() as patch:
        play = asyncio.run(signed_play(tmp_path / "home", patch, GIFT))
    export = play.signed(play.statement())
    assert all(f.sound for f in check(export, play.keys, need=tuple(GIFT["agents"])))
    told = payload_of(export)["predicate"]
    assert told["agents"] == ["Zoë", "Çağrı"]
    assert [one["hash"] for one in told["agreements"]] == [
        digest(one["deal"]) for one in told["agreements"]
    ]


def test_talk_and_letters_are_in_no_export_unless_talk_is_asked_for(played: Play) -> None:
    said = [one["text"] for one in played.table["talk"] if one["text"]]
    assert said
    plain, told = played.statement(), played.statement(talk=True)
    assert not [text for text in said if text in json.dumps(plain, ensure_ascii=False)]
    assert [one["text"] for one in told["predicate"]["talk"] if one["text"]] == said
