"""Memory limits that the operating system enforces, the best that is to be had.

1. A scope of systemd (`MemoryMax`), where systemd runs the machine: everything the process touches,
   page cache included.
2. A memory cgroup made inside one the user names (`--cgroup`), of version 1 or 2: the same. None is
   made without being
   told where, because groups belong to whoever manages the machine.
3. RLIMIT_DATA: all private writable memory (heap, stacks of threads, anonymous maps). Files that
   are mapped are not counted,
   so the peak of resident memory is looked at as well. RLIMIT_AS would count mapped files that are
   not in memory, and Linux ignores RLIMIT_RSS.
"""

import os
import resource
import shutil
from contextlib import contextmanager
from pathlib import Path


def kind(settings):
    """Which of the three will be used: "systemd", "cgroup" or "rlimit"."""
    if settings.cgroup:
        return "cgroup"
    if Path("/run/systemd/system").is_dir() and shutil.which("systemd-run"):
        return "systemd"
    return "rlimit"


DESCRIPTIONS = {
    "systemd": "systemd scope with MemoryMax and no swap",
    "cgroup": "memory cgroup",
    "rlimit": "RLIMIT_DATA (private memory without mapped files; resident memory is checked, too)",
}


def spare_the_machine():
    """For a child to call: some peers form dense matrices, and should fail alone instead of taking
    the machine along.
    """
    size = int(0.75 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


@contextmanager
def limited(size, settings):
    """Gives (prefix of the command line, function for the child to call) that hold a process to
    `size` bytes.
    """
    how = kind(settings)
    if how == "systemd":
        user = [] if os.geteuid() == 0 else ["--user"]
        limits = ["-p", f"MemoryMax={size}", "-p", "MemorySwapMax=0"]
        yield ["systemd-run", *user, "--scope", "--quiet", *limits, "--"], None
    elif how == "cgroup":
        with _group(settings.cgroup, size) as group:
            yield [], lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
    else:
        yield [], lambda: resource.setrlimit(resource.RLIMIT_DATA, (size, size))


@contextmanager
def _group(parent, size):
    group = parent / f"gage-bench-{os.getpid()}"
    group.mkdir()
    try:
        second = group / "memory.max"
        if second.exists():
            second.write_text(str(size))
            swap = group / "memory.swap.max"
            if swap.exists():
                swap.write_text("0")
        else:
            (group / "memory.limit_in_bytes").write_text(str(size))
        yield group
    finally:
        group.rmdir()
