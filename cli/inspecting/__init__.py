"""Commands that show, verify and remove runs, and that inspect workflows and this machine."""
