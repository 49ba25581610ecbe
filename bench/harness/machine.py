"""What is known of the machine and the source that a reader of the numbers needs. No host names, no
paths.
"""

import os
import platform
import subprocess
from pathlib import Path


def facts(root):
    """CPU, cores, memory, kernel, commit, and how busy the machine is at this moment."""
    cpu = _cpu_info()
    return {
        "cpu": cpu.get("model name", platform.processor() or "unknown"),
        "cores": os.cpu_count(),
        "threads_per_core": _threads_per_core(),
        "cache": cpu.get("cache size", "unknown"),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "system": platform.system(),
        "python": platform.python_version(),
        "commit": _git(root, "rev-parse", "HEAD"),
        "source_changed": bool(_git(root, "status", "--porcelain", "--untracked-files=no")),
        "load": load(),
    }


def load():
    """Load average of the last minute; well above zero before a section, timings are noisy."""
    return round(os.getloadavg()[0], 2)


def _cpu_info():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}


def _threads_per_core():
    """How many logical processors share the core of processor 0, as the kernel knows it; None if it
    does not say.
    """
    try:
        text = (
            Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list").read_text().strip()
        )
    except OSError:
        return None
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        count += int(last or first) - int(first) + 1
    return count


def _git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"
