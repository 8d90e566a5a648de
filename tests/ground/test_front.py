"""The public front: what it names, that it is lazy, typed and documented, and that it runs."""

import ast
import asyncio
import contextvars
import inspect
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver

import shapley_coop
from shapley_coop.blocking import run_blocking
from tests.root import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES += re.findall(r"```python\n(from shapley_coop import .*?)```", README, re.DOTALL)


# What is promised


def test_the_page_lists_exactly_what_is_public() -> None:
    documented = re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)
    assert sorted(documented) == shapley_coop.__all__
    assert set(shapley_coop.__all__) <= set(dir(shapley_coop))


def test_every_name_has_an_example_that_imports_it() -> None:
    for name in shapley_coop.__all__:
        section = PAGE.partition(f"### `{name}`\n")[2].partition("\n#")[0]
        assert re.search(rf"from shapley_coop import .*\b{name}\b", section), name


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.strip().splitlines()[-1][:40])
def test_an_example_runs_as_written(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # In a thread, since some call `asyncio.run` and a test here may have a loop already.
    failed: list[BaseException] = []

    def run() -> None:
        try:
            exec(compile(example, "docs/python.md", "exec"), {"__name__": "example"})
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def test_every_name_is_documented_and_typed() -> None:
    for name in shapley_coop.__all__:
        value = getattr(shapley_coop, name)
        assert inspect.getdoc(value), name
        if inspect.isfunction(value):
            untyped = [p for p in inspect.signature(value).parameters.values() if not p.annotation]
            assert not untyped, f"{name}: {untyped}"


def test_every_name_is_imported_when_it_is_used_and_is_no_modules() -> None:
    modules = {path.stem for path in Path(inspect.getfile(shapley_coop)).parent.iterdir()}
    assert not modules & set(shapley_coop.__all__), "importing one would take its name's place"
    for name in shapley_coop.__all__:
        assert not inspect.ismodule(getattr(shapley_coop, name))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        shapley_coop.nonsense  # noqa: B018


def test_importing_the_package_loads_no_library() -> None:
    told = "import sys; before = set(sys.modules); import shapley_coop.blocking; "
    told += "print({m.partition('.')[0] for m in set(sys.modules) - before})"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd="/"
    )
    heavy = {"pydantic", "langgraph", "langchain", "numpy", "scipy", "polars", "yaml", "typer"}
    assert not heavy & ast.literal_eval(done.stdout)


# The synchronous twin


def test_play_sync_works_inside_a_running_loop() -> None:
    async def notebook() -> dict[str, float]:
        config = shapley_coop.RunConfig(game="escape_room", seed=3)
        return shapley_coop.play_sync("shapley_coop", config)["payoffs"]

    assert asyncio.run(notebook()) == {"Alice": 4.5, "Bob": 4.5}


def test_shapley_values_sum_to_what_the_coalition_of_all_adds() -> None:
    agents = ["a", "b", "c"]
    values = shapley_coop.shapley(agents, lambda c: len(c) ** 2 + 1)
    assert sum(values.values()) == 9
    assert len(set(values.values())) == 1


def test_the_workflow_is_compiled_under_its_name() -> None:
    assert shapley_coop.workflow("llm_only").name == "llm_only"
    with pytest.raises(ValueError, match="no workflow 'nope'"):
        shapley_coop.workflow("nope")


# A workflow, called synchronously

ROOM = {"room": {"game": "escape_room", "seed": 3}}
EDITED = {"configurable": {"thread_id": "edited"}}


async def test_a_workflow_is_invoked_where_a_loop_runs_already() -> None:
    graph = shapley_coop.workflow("shapley_coop").with_config(tags=["a notebook"])
    assert graph.invoke(ROOM)["outcome"] == (await graph.ainvoke(ROOM))["outcome"]


async def test_a_stream_gives_the_same_parts_one_by_one_and_may_be_left() -> None:
    app = shapley_coop.workflow("negotiation").builder.compile(checkpointer=InMemorySaver())
    left, again = ({"configurable": {"thread_id": name}} for name in ("left", "again"))
    for part in app.stream(ROOM, left, stream_mode="updates"):
        if "validate" in part:
            break
    assert app.get_state(left).next == ("answer",)
    parts = [part async for part in app.astream(ROOM, again)]
    assert app.invoke(None, left)["outcome"] == parts[-1]["settle"]["outcome"]


def test_a_state_is_edited_at_a_node_from_which_edges_lead_by_verdict() -> None:
    app = shapley_coop.workflow("negotiation").builder.compile(checkpointer=InMemorySaver())
    app.invoke(ROOM, EDITED, interrupt_before=["tally"])
    app.update_state(EDITED, {"verdict": "no_deal"}, as_node="tally")
    assert app.get_state(EDITED).next == ("act",)
    app.invoke(None, EDITED)
    assert app.get_state(EDITED).values["round"] == 1, "no more is said"


# Blocking


def test_blocking_returns_and_raises_what_the_coroutine_does() -> None:
    async def fail() -> None:
        raise LookupError("inside")

    with pytest.raises(LookupError, match="inside"):
        run_blocking(fail())


def test_a_coroutine_sees_its_callers_context_and_cannot_change_it() -> None:
    told: contextvars.ContextVar[str] = contextvars.ContextVar("told")
    told.set("caller")

    async def look() -> str:
        seen = told.get()
        told.set("inside")
        return seen

    assert run_blocking(look()) == "caller"
    assert told.get() == "caller"


def test_callers_in_many_threads_share_one_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def where() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    threads = [
        threading.Thread(target=lambda: loops.append(run_blocking(where()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loops) == 8
    assert len(set(loops)) == 1


def test_a_call_from_its_own_loop_is_refused_instead_of_waiting_for_ever() -> None:
    async def nothing() -> None:
        pass

    async def inner() -> None:
        run_blocking(nothing())

    with pytest.raises(RuntimeError, match="await instead"):
        run_blocking(inner())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_loop_of_its_own() -> None:
    told = """
import os
from shapley_coop.blocking import run_blocking
async def seven(): return 7
run_blocking(seven())
child = os.fork()
if child == 0:
    os._exit(run_blocking(seven()))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "7\n"
