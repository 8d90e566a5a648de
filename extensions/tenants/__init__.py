"""Tenants: several operators who share a server but cannot see or change each other's data.

`callers` identifies the sender of a request, and `authorization` checks the route. `policy` and
`configuration` check the server's resources that a request names. `owning` limits operators to
their own data, and `quotas` limits the use of all runs of an operator. `COOP_AUTH_TOKENS` or
`COOP_AUTH_JWT_PUBLIC_KEY` turns tenants on.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="tenants",
    about="Several operators on one server, by tokens: their own runs, limits and quotas.",
    tenants={"tokens": "shapley_coop.extensions.tenants.tokens:TENANCY"},
)
