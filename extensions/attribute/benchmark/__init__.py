"""A benchmark of attribution with known answers: 30 constructed apps, and ways to value them.

`apps.yaml` says of each app who contributes what; `apps` reads it and has the exact values from
that alone, `shapes` builds the LangGraph apps, `ways` values their agents, `running` compares.
"""
