"""What a deal would do, computed before anybody signs it."""
