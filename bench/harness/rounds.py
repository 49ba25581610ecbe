"""Implementations in turn, several rounds, and ratios taken inside a round.

A machine that is busy for a while is busy for all implementations of that round, so the median of
the ratios of the rounds is steadier than the ratio of two medians.
"""

from statistics import median

from . import measure


# What most programs on the data sets of the benchmarks take at their peak.
USUAL_BYTES = 512 << 20


def interleave(commands, rounds, threads=2, timeout=None, say=print, limits=None, memory=None):
    """Runs the named commands round-robin; returns a list of measurements by name, one for each
    round.

    Before each of them so many bytes of `memory` (by name; `USUAL_BYTES` for others) are made
    ready, see `touch_memory`.

    No command runs after the same one in two rounds that follow each other (see `order`): what a
    process leaves behind may be felt by the next. A command that failed or ran out of time is not
    run again.
    """
    results = {name: [] for name in commands}
    for number in range(rounds):
        for name in order(list(commands), number):
            if results[name] and not results[name][-1].ok:
                continue
            measure.touch_memory((memory or {}).get(name, USUAL_BYTES))
            result = measure.run(commands[name], threads=threads, timeout=timeout, limits=limits)
            results[name].append(result)
            say(
                f"    round {number + 1}: {name}: {result.status}, {result.seconds:.2f} s, "
                f"{mib(result.peak_bytes)} MiB"
            )
    return results


def order(names, number):
    """The names in the order of a round: each round begins with another one, and every other round
    goes backwards.
    """
    turn = number % max(len(names), 1)
    if number % 2 == 0:
        return names[turn:] + names[:turn]
    return (names[turn + 1 :] + names[: turn + 1])[::-1]


def median_seconds(measurements):
    """Median wall-clock time of the rounds that ended well, or None."""
    times = [m.seconds for m in measurements if m.ok]
    return median(times) if times else None


def peak_bytes(measurements):
    """Largest peak of all rounds, or None."""
    peaks = [m.peak_bytes for m in measurements if m.ok]
    return max(peaks) if peaks else None


def median_stage(measurements, stage):
    """Median of the seconds that a program reports for one of its stages, or None."""
    times = [
        m.report["seconds"][stage]
        for m in measurements
        if m.ok and stage in m.report.get("seconds", {})
    ]
    return median(times) if times else None


def ratio(slower, faster, value=lambda m: m.seconds):
    """Median over rounds of `value(slower) / value(faster)`, or None if no round has both.

    Where `slower` ran out of time, its limit is a lower bound of what it would have taken.
    """
    pairs = [(a, b) for a, b in zip(slower, faster) if b.ok and (a.ok or a.status == "timeout")]
    return median([value(a) / value(b) for a, b in pairs]) if pairs else None


def better(left, right):
    """Of two ways to run the same program the faster one, round by round."""
    longest = max(len(left), len(right))
    padded = [runs + [None] * (longest - len(runs)) for runs in (left, right)]
    chosen = []
    for a, b in zip(*padded):
        both = [m for m in (a, b) if m is not None]
        chosen.append(min(both, key=lambda m: (not m.ok, m.seconds)))
    return chosen


def one_blas_thread(command):
    """The same command with a single thread in the matrix library, which is faster where threads
    wait for each other.
    """
    return ["env", *(f"{name}=1" for name in measure.BLAS_VARIABLES), *command]


def records(results):
    """All measurements, as they go into results.json."""
    return {name: [m.record() for m in measurements] for name, measurements in results.items()}


def mib(count):
    """Bytes as whole MiB, for people."""
    return "?" if count is None else f"{count / 2**20:,.0f}"
