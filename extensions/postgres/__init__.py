"""Postgres: a home that several machines share, named by `COOP_DATABASE_URL`.

`connections` opens connections with a time limit, `dialect` has the SQL in which Postgres differs,
`leases` lets only one of several machines play a run, and `checkpoints` saves LangGraph's steps.
"""

from shapley_coop.extension import Extension

_DRIVER = "shapley_coop.extensions.postgres.driver:PostgresDriver"

EXTENSION = Extension(
    name="postgres",
    about="A home in a Postgres database, which several machines share.",
    databases={"postgresql": _DRIVER, "postgres": _DRIVER},
)
