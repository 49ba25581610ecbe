"""The `gage` command, as a script and as `python -m gage_embed`."""

import sys

from ._native import run_command


def main() -> int:
    """Runs the command with the arguments of the process; the result is its exit code."""
    return run_command(["gage", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
