#!/usr/bin/env python3
"""Checks that the wheel of the tests is made of what the other tests build.

    python3 scripts/check_features.py WHEEL_FEATURES WORKSPACE_FEATURES

Cargo builds a dependency once for each set of features. The wheel is built from one crate alone,
so `shared-build` of gage-py names the features that only other crates and tests need. Prints
every package that would be built a second time, and the exit code is then 1.
"""

import subprocess
import sys
from collections import defaultdict


def features(*arguments):
    """The sets of features that each package is built with."""
    command = ["cargo", "tree", "--locked", "--prefix", "none", "--format", "{p}|{f}", *arguments]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = defaultdict(set)
    for line in filter(None, lines):
        package, _, names = line.removesuffix(" (*)").partition("|")
        found[" ".join(package.split()[:2])].add(names)
    return found


def main():
    wheel, workspace = sys.argv[1:]
    shared = features("--workspace", "--features", workspace)
    alone = features("--package", "gage-py", "--edges", "no-dev", "--features", wheel)
    twice = [
        f"{package} is built twice, for the wheel with [{names}] and else with {sorted(others)}"
        for package, sets in sorted(alone.items())
        for names in sets
        if names not in (others := shared[package])
    ]
    print("\n".join(twice) if twice else "the wheel is made of what the tests build")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
