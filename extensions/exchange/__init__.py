"""Task exchange: agents trade tasks by proposals that are checked, with private utilities."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.exchange"

EXTENSION = Extension(
    name="exchange",
    about="Tasks traded by validated proposals, by all agents together or in pairs.",
    games={"task_exchange": f"{_HERE}.game:TaskExchange"},
    variants={"task_exchange.meetings": f"{_HERE}.pairs.game:ExchangeInPairs"},
    workflows={
        "task_exchange_baseline": f"{_HERE}.pages.task_exchange_baseline:graph",
        "task_exchange_unchecked": f"{_HERE}.pages.task_exchange_unchecked:graph",
        "task_exchange_unguided": f"{_HERE}.pages.task_exchange_unguided:graph",
        "task_exchange": f"{_HERE}.pages.task_exchange:graph",
        "pairwise_exchange": f"{_HERE}.pages.pairwise_exchange:graph",
    },
    questions={
        "consider": f"{_HERE}.questions.consider:QUESTION",
        "exchange": f"{_HERE}.questions.exchange:QUESTION",
    },
    templates={
        "consider": f"{_HERE}.templates:CONSIDER",
        "exchange": f"{_HERE}.templates:EXCHANGE",
        "exchange_table": f"{_HERE}.templates:TABLE",
    },
    readings={"meetings": f"{_HERE}.pairs.at_work:reading"},
    private={
        "utilities": f"{_HERE}.letter:utilities",
        "values": f"{_HERE}.letter:values",
    },
    opened={
        "scenario": f"{_HERE}.domain.source:names_a_file",
        "records": "builtins:bool",
        "tools": "builtins:bool",
    },
    rechecks={"swap": f"{_HERE}.pairs.verifying:SWAPPED"},
    suites={"task_exchange_table": _HERE},
    commands={"Experiment": {"scenario show": f"{_HERE}.command:show"}},
)
