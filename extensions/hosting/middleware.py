"""Holds an agent of LangChain's `create_agent` to a contract: a call that breaks it is refused."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import duties
from shapley_coop.games import Turn

Record = Callable[[Any], Sequence[Turn]]
Told = ToolMessage | Command[Any]


class ContractMiddleware(AgentMiddleware[Any, Any]):
    """Refuses a tool call that the agent's contract forbids, and quotes the clause to the agent.

    A refused tool is not run. A clause that asks for an action refuses the other actions that the
    deal names, and no other tool.

    Args:
        contract: what was signed: a `Deal`, or an outcome with its `contract`, or its clauses.
        agent: the party whose calls these are.
        actions: tool → the action that it takes; by default a tool is the action of its name.
        record: from the agent's state to the turns played so far. By default each of its answered
            tool calls is a turn of its own, and what others did is not known.

    Raises:
        ValueError: nothing was signed, or it asks nothing of the agent, or no tool takes an action
            that it speaks of.
    """

    def __init__(
        self,
        contract: Deal | Mapping[str, Any],
        agent: str,
        actions: Mapping[str, str] | None = None,
        record: Record | None = None,
    ) -> None:
        super().__init__()
        self.deal, self.agent, self._record = _deal_of(contract), agent, record
        asked = [clause.duty for clause in self.deal.duties.values() if clause.duty]
        self._actions = actions or {duty.action: duty.action for duty in asked}
        own = [duty.action for duty in asked if duty.binds(agent)]
        if not own:
            raise ValueError(f"the contract asks nothing of {agent}: name one of its parties")
        if missing := sorted({*own} - {*self._actions.values()}):
            raise ValueError(
                f"actions: no tool takes {', '.join(missing)}, which the contract names"
            )

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Told]
    ) -> Told:
        """Run a tool, unless the contract forbids it now."""
        return self._refusal(request) or handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Told]]
    ) -> Told:
        """Run a tool, unless the contract forbids it now; the asynchronous twin."""
        return self._refusal(request) or await handler(request)

    def _refusal(self, request: ToolCallRequest) -> ToolMessage | None:
        call = request.tool_call
        broken = self._broken_by(call["name"], request.state)
        if not broken:
            return None
        quoted = "; ".join(self.deal.text().splitlines()[number - 1] for number in broken)
        told = f"Not done: the contract that {self.agent} signed says: {quoted}"
        return ToolMessage(told, tool_call_id=call["id"], name=call["name"], status="error")

    def _broken_by(self, tool: str, state: Any) -> list[int]:
        """Return the clauses, by their numbers, that a call would break."""
        if tool not in self._actions:
            return []
        before = self._record(state) if self._record else self._own_turns(state)
        return [
            int(duty.clause.removeprefix("c"))
            for duty in duties(self.deal, before, len(before) + 1)
            if duty.binds(self.agent) and (self._actions[tool] == duty.action) == duty.forbidden
        ]

    def _own_turns(self, state: Any) -> list[Turn]:
        """Return the agent's answered calls of actions as turns."""
        messages = state["messages"] if isinstance(state, Mapping) else state.messages
        done = {m.tool_call_id for m in messages if isinstance(m, ToolMessage) and _done(m)}
        calls = [call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]
        taken = [
            self._actions[call["name"]]
            for call in calls
            if call["id"] in done and call["name"] in self._actions
        ]
        return [
            {"turn": number, "actions": {self.agent: action}, "rewards": {}}
            for number, action in enumerate(taken, start=1)
        ]


def _done(message: ToolMessage) -> bool:
    return message.status != "error"


def _deal_of(contract: Deal | Mapping[str, Any]) -> Deal:
    if isinstance(contract, Deal):
        return contract
    signed = contract.get("contract", contract)
    if not signed:
        raise ValueError("nothing was signed: the outcome has no contract")
    return Deal.model_validate({"clauses": signed["clauses"]})
