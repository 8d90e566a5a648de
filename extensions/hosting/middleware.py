"""The middleware for LangChain's `create_agent` that refuses calls in breach of a contract."""

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
    """Middleware that refuses a tool call in breach of the agent's contract, and quotes the clause.

    The refused tool does not run. A clause that requires an action forbids all other actions in
    `actions`. Tools outside `actions` are never refused.

    Args:
        contract: the signed contract: a `Deal`, a mapping with `clauses`, or a run's outcome.
        agent: the party whose tool calls are checked.
        actions: tool → its action. By default, an action's tool has the same name as the action.
        record: a function from the agent's state to the turns played so far. By default each
            successful tool call of an action is a turn without other agents' actions.

    Raises:
        ValueError: there is no contract, the contract requires nothing of the agent, or an action
            in the agent's clauses has no tool.
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
            raise ValueError(f"the contract requires nothing of {agent}: name one of its parties")
        if missing := sorted({*own} - {*self._actions.values()}):
            raise ValueError(f"actions: no tool for {', '.join(missing)}, which the contract names")

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Told]
    ) -> Told:
        """Run a tool, unless the contract forbids its action now."""
        return self._refusal(request) or handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Told]]
    ) -> Told:
        """Run a tool asynchronously, unless the contract forbids its action now."""
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
        """Return the numbers of the contract's clauses that a tool call would break."""
        if tool not in self._actions:
            return []
        before = self._record(state) if self._record else self._own_turns(state)
        return [
            int(duty.clause.removeprefix("c"))
            for duty in duties(self.deal, before, len(before) + 1)
            if duty.binds(self.agent) and (self._actions[tool] == duty.action) == duty.forbidden
        ]

    def _own_turns(self, state: Any) -> list[Turn]:
        """Return the agent's successful calls of tools that stand for actions, each as a turn."""
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
    if not signed or "clauses" not in signed:
        raise ValueError("nothing was signed: the given contract has no clauses")
    return Deal.model_validate({"clauses": signed["clauses"]})
