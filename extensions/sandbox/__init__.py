"""The sandbox in which programs that agents wrote are run: bubblewrap, filtered and watched."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="sandbox",
    about="Runs programs that agents wrote, in bubblewrap.",
    sandboxes={"bubblewrap": "shapley_coop.extensions.sandbox.sandbox"},
)
