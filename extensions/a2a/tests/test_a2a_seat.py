"""An agent on another machine takes a seat: it plays as one here would, whatever its manner."""

import asyncio
import threading
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from a2a.helpers import new_text_part
from a2a.server.tasks import TaskUpdater
from a2a.types import AgentCard
from a2a.utils.signing import create_agent_card_signer
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import ec

from extensions.a2a.tests.a2a_agents import (
    Heard,
    Manner,
    a2a_agent,
    asking_back,
    failing,
    in_fields,
    in_garbage,
    in_pieces,
    in_words,
    waiting_for_its_owner,
    with_a_status,
    with_its_tokens,
)
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.asking import Enquiry, ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.records import TASK, Entry
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop
from tests.waiting import wait_for

TOKEN = "canary-of-bobs-agent"

GAMES: dict[str, dict[str, Any]] = {
    "escape_room": {"graph": "shapley_coop"},
    "cash_grab": {"graph": "contracts", "enforcement": "escrow", "deposit": "2"},
    "public_goods": {"graph": "negotiation_priced"},
}


async def played(game: str, bob: dict[str, Any], graph: str, **more: Any) -> dict[str, Any]:
    seats = {"*": "embedded:rational", "Bob": bob}
    room = {"game": game, "seed": 3, "seats": seats, **more}
    return await play(graph, RunConfig.model_validate(room))


async def beside_local(game: str, bob: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run with a remote Bob, and the run with the same head at this machine."""
    how = GAMES[game]
    return await played(game, bob, **how), await played(game, {"model": "embedded:rational"}, **how)


def same(remote: dict[str, Any], local: dict[str, Any]) -> bool:
    keys = ("status", "payoffs", "transfers", "talk", "contract")
    return [remote[key] for key in keys] == [local[key] for key in keys]


@pytest.mark.parametrize(
    "game",
    [pytest.param(x, marks=[] if x == "escape_room" else pytest.mark.slow) for x in GAMES],
)
async def test_a_remote_agent_plays_as_a_local_one(game: str) -> None:
    with a2a_agent() as agent:
        remote, local = await beside_local(game, {"model": f"a2a:{agent.url}"})
    assert same(remote, local)
    assert len({heard.message for heard in agent.heard}) == len(agent.heard)


@pytest.mark.parametrize(
    ("manner", "how"),
    [
        (in_pieces, {}),
        (in_fields, {}),
        (in_words, {"version": "0.3", "streaming": False, "as_message": True}),
        (asking_back, {}),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [
                (in_words, {"streaming": False}),
                (in_fields, {"streaming": False}),
                (in_words, {"as_message": True}),
                (in_words, {"version": "0.3"}),
                (asking_back, {"streaming": False}),
            ]
        ),
    ],
)
async def test_every_way_to_answer_is_understood(manner: Manner, how: dict[str, Any]) -> None:
    with a2a_agent(manner, **how) as agent:
        remote, local = await beside_local("escape_room", {"model": f"a2a:{agent.url}"})
    assert remote["payoffs"] == local["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert remote["transfers"] == local["transfers"]


async def test_the_tokens_that_an_agent_reports_are_counted_in_the_run() -> None:
    with a2a_agent(with_its_tokens) as agent:
        outcome = await played("escape_room", {"model": f"a2a:{agent.url}"}, "negotiation")
    bobs = [phase["Bob"] for phase in outcome["spending"].values() if "Bob" in phase]
    for count, each in (("input_tokens", 1_000), ("output_tokens", 7)):
        assert sum(phase[count] for phase in bobs) == each * len(agent.heard)


async def test_an_agent_that_asks_back_goes_on_with_its_task() -> None:
    with a2a_agent(asking_back) as agent:
        await played("escape_room", {"model": f"a2a:{agent.url}"}, "negotiation")
    first, second, *_ = agent.heard
    assert (first.again, second.again) == (False, True)
    assert first.task == second.task
    assert first.letter["attempt"] == "1"
    assert second.letter["attempt"] == "2"


@pytest.mark.parametrize("memory", [False, True])
async def test_a_conversation_is_a_letters_or_the_whole_plays(memory: bool) -> None:
    with a2a_agent() as agent:
        bob = {"model": f"a2a:{agent.url}", "options": {"memory": memory}}
        await played("escape_room", bob, "shapley_coop")
    assert len({heard.context for heard in agent.heard}) == (1 if memory else len(agent.heard))


async def test_garbage_harms_nobody() -> None:
    with a2a_agent(in_garbage) as agent:
        outcome = await played("escape_room", {"model": f"a2a:{agent.url}"}, "negotiation")
    assert outcome["status"] == "no_deal"
    assert outcome["transfers"] == []


@pytest.mark.parametrize(
    ("manner", "told"),
    [
        (failing, "its task is failed"),
        (with_a_status, "its task is completed without an answer"),
        (waiting_for_its_owner, "no answer within 0.3 s; raise the seat's timeout"),
    ],
)
async def test_an_agent_without_an_answer_stops_the_run(manner: Manner, told: str) -> None:
    with a2a_agent(manner) as agent:
        bob = {"model": f"a2a:{agent.url}", "timeout": 0.3 if "within" in told else 60}
        with pytest.raises(SeatError, match=told) as stopped:
            await played("escape_room", bob, "negotiation")
    assert "secret reason" not in str(stopped.value)
    assert str(stopped.value).startswith(f"Bob's seat (a2a:{agent.url}) did not answer: ")


async def test_a_letter_goes_on_with_the_task_that_was_begun_before_a_restart() -> None:
    gate = threading.Event()

    async def once_its_owner_lets_it(heard: Heard, updater: TaskUpdater) -> None:
        await asyncio.to_thread(gate.wait)
        await updater.add_artifact([new_text_part("<s>Fine.</s>")])
        await updater.complete()

    question = Enquiry(uuid4().hex, "Bob", "reason", Letter("A letter.", "Its facts."), at="1")

    def kept() -> list[Entry]:
        return [one for one in home().journal.entries(question.episode) if one.act == TASK]

    with a2a_agent(once_its_owner_lets_it) as agent:
        seat = Seat(model=f"a2a:{agent.url}")
        async with clients():
            asking = asyncio.create_task(ask(seat, 0, question, home().journal))
            await asyncio.to_thread(wait_for, "the task in the journal", kept)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
        gate.set()
        async with clients():
            entry, _ = await ask(seat, 0, question, home().journal)
    assert entry.answer.text == "<s>Fine.</s>"
    assert len(agent.heard) == len(kept()) == 1


# Whom an agent may be taken for


async def test_a_token_goes_to_its_own_agent_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with a2a_agent(token=TOKEN) as agent:
        bob = {"model": f"a2a:{agent.url}"}
        with pytest.raises(SeatError, match=r"HTTP 401: refuses the token.*COOP_A2A_TOKEN_BOB"):
            await played("escape_room", bob, "negotiation")
        monkeypatch.setenv("COOP_A2A_TOKEN_ALICE", TOKEN)
        with pytest.raises(SeatError, match="HTTP 401"):
            await played("escape_room", bob, "negotiation")
        monkeypatch.setenv("COOP_A2A_TOKEN_BOB", TOKEN)
        outcome = await played("escape_room", bob, "negotiation")
    assert agent.heard
    entries = list(home().journal.entries(outcome["episode"]))
    table = await table_of(home().runs.get(outcome["run"]))
    assert TOKEN not in str(table["settings"])
    assert all(TOKEN not in entry.letter_text for entry in entries)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, Path]]:
    """Name → a private key in PEM, and the file of its public key."""
    made = {}
    for name in ("bobs", "anothers"):
        private = ec.generate_private_key(ec.SECP256R1())
        path = tmp_path_factory.mktemp("keys") / f"{name}.pem"
        public = private.public_key()
        spki = pem.PublicFormat.SubjectPublicKeyInfo
        path.write_bytes(public.public_bytes(pem.Encoding.PEM, spki))
        plain = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
        made[name] = private.private_bytes(*plain), path
    return made


@pytest.mark.parametrize(
    ("signed_by", "told"),
    [
        ("bobs", ""),
        ("anothers", "its card is not signed with the key of card_key"),
        ("", "its card is not signed, but card_key requires a signature"),
    ],
)
async def test_a_card_is_signed_or_refused(
    keys: dict[str, tuple[bytes, Path]], signed_by: str, told: str
) -> None:
    def signed(card: AgentCard) -> AgentCard:
        if not signed_by:
            return card
        header: Any = {"alg": "ES256", "kid": "1", "typ": "JOSE", "jku": None}
        return create_agent_card_signer(keys[signed_by][0], header)(card)

    with a2a_agent(card=signed) as agent:
        bob = {"model": f"a2a:{agent.url}", "options": {"card_key": str(keys["bobs"][1])}}
        if told:
            with pytest.raises(SeatError, match=told):
                await played("escape_room", bob, "negotiation")
            assert agent.heard == []
        else:
            outcome = await played("escape_room", bob, "negotiation")
            assert agent.heard
            assert outcome["happened"]["acted"] == ["Alice", "Bob"]


async def test_a_card_that_leads_to_another_host_is_refused() -> None:
    def elsewhere(card: AgentCard) -> AgentCard:
        card.supported_interfaces[0].url = "http://127.0.0.2:1/rpc"
        return card

    told = "names an address on another host"
    with a2a_agent(card=elsewhere) as agent, pytest.raises(SeatError, match=told):
        await played("escape_room", {"model": f"a2a:{agent.url}"}, "negotiation")


async def test_no_agent_is_told_what_another_was_told_alone() -> None:
    canaries = {f"canary-{number:03}": number for number in range(100)}
    secrets = home().secrets / "s.yaml"
    secrets.parent.mkdir(parents=True, exist_ok=True)
    secrets.write_text(f"Alice: {' '.join(canaries)}\nBob: bobs own\n", encoding="utf-8")
    with a2a_agent() as agent:
        await played("escape_room", {"model": f"a2a:{agent.url}"}, "shapley_coop", secrets="s")
    told = "".join(heard.words + str(heard.letter) for heard in agent.heard)
    assert "bobs own" in told
    assert not [canary for canary in canaries if canary in told]


# On the command line


def test_a_seat_is_given_by_its_address(coop: Coop) -> None:
    with a2a_agent() as agent:
        given = ("--agent", f"Bob=a2a:{agent.url},timeout=30,memory=true", "--seed", "3")
        told = coop("run", "escape_room", *given, "--name", "r", "--json")
        assert told.result["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    verified = coop("verify", "r")
    assert verified.code == 0, verified.out


@pytest.mark.parametrize(
    ("seat", "told"),
    [
        ("a2a:bob.example", "a2a:bob.example: give a2a:URL, as in a2a:https://bob.example"),
        ("a2a:https://me:key@bob.example", "give a2a:URL"),
        ("a2a:https://bob.example,card_key=nowhere.pem", "nowhere.pem: No such file"),
        ("a2a:https://bob.example,momery=true", "no setting 'momery': did you mean 'memory'"),
    ],
)
def test_a_seat_that_could_not_be_asked_is_refused_at_once(
    coop: Coop, seat: str, told: str
) -> None:
    ended = coop("run", "escape_room", "--agent", f"Bob={seat}")
    assert ended.code == 2
    assert told in ended.err
    assert ended.err.count("\n") == 1
