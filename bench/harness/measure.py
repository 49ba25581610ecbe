"""Runs one process to its end and says how long it took and how much memory it held."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

# Every library that might start threads of its own gets the same number.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
# Those of dense libraries, which often do better with a single thread.
BLAS_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TAIL = 2000


@dataclass
class Measurement:
    """One process from start to end. `report` is the JSON it printed, if it printed any."""

    status: str  # "ok", "timeout" or "failed"
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int
    report: dict = field(default_factory=dict)
    error: str = ""

    @property
    def ok(self):
        return self.status == "ok"

    def record(self):
        """The same as a plain dictionary, for results.json."""
        return asdict(self)


def environment(threads):
    """The present environment with the number of threads fixed."""
    env = dict(os.environ)
    env.update({name: str(threads) for name in THREAD_VARIABLES})
    return env


def run(command, threads=2, timeout=None, limits=None):
    """Runs `command` alone, in a process group of its own, and measures it.

    Time is the wall clock from before the start to after the end: reading, fitting and writing.
    Peak memory is `ru_maxrss` of wait4. Linux counts there the peak of this driver itself before
    the child became the program, which is why the driver imports nothing large and reads files in
    pieces: values below some 30 MB say nothing. `limits` is called in the child before it becomes
    the program.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        expired = threading.Event()
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment(threads),
            start_new_session=True,
            preexec_fn=limits,
        )

        def stop():
            expired.set()
            _end_group(child.pid)

        timer = threading.Timer(timeout, stop) if timeout else None
        if timer:
            timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            _end_group(child.pid)
            raise
        finally:
            if timer:
                timer.cancel()
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        return Measurement(
            status="timeout" if expired.is_set() else ("ok" if child.returncode == 0 else "failed"),
            seconds=seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=usage.ru_maxrss * 1024,
            exit_code=child.returncode,
            report=_json_of(_content(out)),
            error="" if child.returncode == 0 else _content(err)[-TAIL:],
        )


def run_together(commands, threads=1, timeout=None):
    """Starts all commands at once; wall-clock seconds until the last has ended."""
    start = time.perf_counter()
    results = [None] * len(commands)

    def one(index, command):
        results[index] = run(command, threads=threads, timeout=timeout)

    workers = [threading.Thread(target=one, args=pair) for pair in enumerate(commands)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start, results


def warm(paths):
    """Reads files once, so that no implementation pays for the disk because it came first."""
    for path in paths:
        path = Path(path)
        files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
        for file in files:
            with open(file, "rb") as stream:
                while stream.read(1 << 20):
                    pass


# Writes to every page of so many bytes, large pages where there are any, and gives them back.
_TOUCH = """
import mmap, sys
size = int(sys.argv[1])
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
if hasattr(mmap, "MADV_HUGEPAGE"):
    memory.madvise(mmap.MADV_HUGEPAGE)
memory[::4096] = bytes(size // 4096)
"""


def touch_memory(size):
    """Has the machine get hold of so many bytes of free memory; says whether it could.

    A virtual machine may give free memory back to its host after two seconds. Whoever needs it next
    then waits for the host: up to 3 s for a gigabyte were seen, more than a whole fit takes. That
    says nothing about the program. In a process of its own, because the peak of this one is charged
    to those it starts.
    """
    size = max(1, size // 4096) * 4096
    return (
        subprocess.run(
            [sys.executable, "-c", _TOUCH, str(size)], stderr=subprocess.DEVNULL
        ).returncode
        == 0
    )


def _content(stream):
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _json_of(text):
    """The JSON object a program printed last; anything before it (progress of a library) is left
    out.
    """
    begin = text.find("{")
    while begin >= 0:
        try:
            value = json.loads(text[begin:])
            return value if isinstance(value, dict) else {}
        except json.JSONDecodeError:
            begin = text.find("\n{", begin)
            begin = begin + 1 if begin >= 0 else -1
    return {}


def _end_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
