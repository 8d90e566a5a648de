"""What each extra brings, and the commands that name it where that is absent."""

LIBRARIES = {
    "dev": ("starlette", "jwt", "cryptography", "langgraph_api", "langgraph_cli"),
    "encryption": ("cryptography",),
    "a2a": ("a2a", "google", "uvicorn", "cryptography", "starlette"),
    "keys": ("cryptography",),
    "mcp": ("mcp",),
    "sepa": ("sepaxml", "text_unidecode"),
    "negmas": ("negmas",),
    "figures": ("resvg_py",),
    "postgres": ("psycopg", "psycopg_pool"),
    "reports": ("polars", "scipy"),
    "nucleolus": ("scipy",),
    "equilibria": ("nashpy",),
    "exchange": ("scipy",),
    "patterns": ("re2",),
    "attribute": ("scipy",),
    "trials": ("scipy",),
    "pettingzoo": ("pettingzoo", "gymnasium"),
}
"""Extra → what is imported of all that it brings."""

RPS = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"
NEGMAS = "python:shapley_coop.extensions.opponents.negmas_seat:boulware"
COMMANDS: dict[str, list[tuple[tuple[str, ...], str]]] = {
    "dev": [(("dev",), "coop dev needs langgraph")],
    "encryption": [
        (("run", "escape_room"), "COOP_JOURNAL_KEY, which is set, needs cryptography"),
        (("sweep", "suite.yaml", "--out", "s"), "COOP_JOURNAL_KEY, which is set, needs crypto"),
        (("resume", "begun"), "COOP_JOURNAL_KEY, which is set, needs cryptography"),
    ],
    "a2a": [
        (("run", "escape_room", "--agent", "Bob=a2a:http://127.0.0.1:9"), "a2a:URL needs a2a"),
        (("a2a", "judge"), "coop a2a needs uvicorn"),
        (("a2a", "embedded:rational"), "coop a2a needs uvicorn"),
    ],
    "keys": [
        (("keys", "new", "bob"), "a key or a signature needs cryptography"),
        (("keys", "show", "bob"), "a key or a signature needs cryptography"),
        (("run", "escape_room", "--key", "Bob=bob"), "a key or a signature needs cryptography"),
    ],
    "mcp": [(("mcp",), "an MCP server needs mcp")],
    "sepa": [(("pay", "r", "--accounts", "iban.yaml"), "a payment file needs text_unidecode")],
    "negmas": [
        (("run", "escape_room", "--agent", f"Bob={NEGMAS}"), "a negotiator of NegMAS needs negmas")
    ],
    "figures": [],  # SVG is drawn without it: see below
    "postgres": [
        (("runs",), "a home in Postgres needs psycopg"),
        (("run", "escape_room"), "a home in Postgres needs psycopg"),
        (("sweep", "suite.yaml", "--out", "s"), "a home in Postgres needs psycopg"),
    ],
    "reports": [
        (("report", "swept"), "needs scipy"),
        (("compare", "swept:graph=llm_only", "swept:graph=shapley_coop"), "needs scipy"),
        (("export", "swept"), "a table of runs needs polars"),
        (("eval", "suite.yaml"), "coop eval needs scipy"),
    ],
    "nucleolus": [
        (("run", "escape_room", "--norm", "nucleolus"), "the nucleolus needs scipy"),
        (("credit", "worths.json", "--value", "nucleolus"), "the nucleolus needs scipy"),
    ],
    "equilibria": [(("equilibria", "stag_hunt"), "a list of mixed equilibria needs nashpy")],
    "exchange": [
        (
            ("run", "task_exchange", "-g", "task_exchange", "--params", "many.yaml"),
            "the best total of many tasks needs scipy",
        )
    ],
    "patterns": [
        (("run", "software_company"), "software_company needs re2"),
        (("run", "software_company", "--params", "prints.yaml"), "the expression 'a+' needs re2"),
    ],
    "attribute": [(("attribute", "demo"), "an interval of coop attribute needs scipy")],
    "trials": [
        (("tournament", "round_robin"), "a tournament's ranking needs scipy"),
        (("tournament", "verify", "none"), "a tournament's ranking needs scipy"),
    ],
    "pettingzoo": [(("run", RPS), "an environment of PettingZoo needs ")],
}
"""Extra → commands that need it, and how their line begins."""

SET = {
    "encryption": {"COOP_JOURNAL_KEY": "x" * 43 + "="},
    "postgres": {"COOP_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"},
}
"""Extra → what the environment holds for its commands."""
