"""The sandbox for programs written by agents: bubblewrap, a system call filter and limits."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="sandbox",
    about="Runs programs that agents wrote, in bubblewrap.",
    sandboxes={"bubblewrap": "shapley_coop.extensions.sandbox.sandbox"},
)
