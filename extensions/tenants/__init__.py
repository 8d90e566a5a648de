"""Tenants: several operators on one server, none of whom sees or changes what is another's.

`callers` says who sent a request, `authorization` which routes it may use, `policy` and
`configuration` which of the server's resources it may name, `owning` what is whose, and `quotas`
what all runs of an operator may use. `COOP_AUTH_TOKENS` or `COOP_AUTH_JWT_PUBLIC_KEY` turns them
on.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="tenants",
    about="Several operators on one server, by tokens: their own runs, limits and quotas.",
    tenants={"tokens": "shapley_coop.extensions.tenants.tokens:TENANCY"},
)
