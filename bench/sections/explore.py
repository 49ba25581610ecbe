"""The explorer: when a page can show something, and how soon it follows lambda.

The server of `gage explore` is asked as its page asks it; drawing is left out.
"""

import json
import os
import signal
import struct
import subprocess
import time
import urllib.request
from statistics import median

from harness import data, measure, rounds
from harness.outcome import Outcome

TITLE = "The explorer"
SIZES = [4_000, 64_000, 250_000, 1_000_000]
QUICK = [4_000]
HEAD = 32
QUESTIONS = 20
# Seconds to the first map of a second start, and milliseconds to neighbours and to a moving map.
GOALS = {64_000: (2, 50, 300), 1_000_000: (10, 100, None)}


def run(settings):
    outcome = Outcome()
    rows = []
    for nodes in settings.choose(SIZES, QUICK):
        settings.say(f"  {nodes:,} nodes")
        rows.append(_one(nodes, settings, outcome))
    columns = [
        "nodes",
        "first map s",
        "at rest s",
        "neighbours ms",
        "first frame at another lambda ms",
        "at rest again s",
        "all anchors s",
        "second start, first map s",
        "peak MiB",
        "kept MiB",
    ]
    outcome.table("A model of 64 columns and the data it was fitted to", columns, rows)
    outcome.notes.append(
        "First map: from the start of the process to a whole frame of positions, reading included. "
        "At a first start that is the principal axes; at rest, the layout with the neighbours at "
        f"the shares of the model. Neighbours: median over {QUESTIONS} nodes while the map rests. "
        "First frame at another lambda: of positions that have moved, lambda from the model's to "
        "0.9. Above 100,000 nodes nothing is sent for another lambda: the page mixes the layouts "
        "at the anchors, which are there so long after the start of the process, and at a second "
        "start together with the first map."
    )
    return outcome


def _one(nodes, settings, outcome):
    folder = data.generated(nodes, settings)
    model = settings.scratch / f"explore-{nodes}.gage"
    embedding = settings.scratch / "explore.npy"
    fit = settings.embed(folder, embedding, "--preset", "balanced", "--dim", 64, "--model", model)
    fitted = measure.run(fit, settings.threads, settings.timeout)
    if not fitted.ok:
        note = fitted.error.strip()[-200:]
        outcome.holds(f"{nodes:,} nodes: a model", "made", False, note=note)
        return [f"{nodes:,}", *[None] * 9]
    with Explorer(settings, model, folder) as first:
        shown, rest = first.follow("")
        mixed = first.is_mixed()
        anchored = first.follow("", "/api/anchors")[1] if mixed else None
        first.wait_until_kept(settings.timeout)
        near = median(first.neighbours(i * (nodes // QUESTIONS)) for i in range(QUESTIONS))
        moving, again = (None, None) if mixed else first.follow("?lambda=0.9")
        peak = first.peak_bytes()
    kept = model.with_name(model.name + ".explore")
    with Explorer(settings, model, folder) as second:
        cached, _ = second.follow("")
        if mixed:
            second.follow("", "/api/anchors")
    size = kept.stat().st_size if kept.exists() else None
    for file in (kept, model, embedding):
        file.unlink(missing_ok=True)
    moments = (shown, rest, cached, anchored)
    shown, rest, cached, anchored = (moment and moment[0] for moment in moments)
    moving, again = (moment and moment[1] for moment in (moving, again))
    start, question, frame = GOALS.get(nodes, (None, None, None))
    if start is not None:
        outcome.at_most(f"{nodes:,} nodes: first map, second start", cached, start, unit=" s")
        outcome.at_most(f"{nodes:,} nodes: neighbours", 1000 * near, question, unit=" ms")
    if frame is not None:
        outcome.at_most(f"{nodes:,} nodes: the map moves", 1000 * moving, frame, unit=" ms")
    outcome.raw[str(nodes)] = {
        "first_map": shown,
        "rest": rest,
        "neighbours": near,
        "first_moving_frame": moving,
        "rest_again": again,
        "all_anchors": anchored,
        "cached_first_map": cached,
        "peak_bytes": peak,
        "kept_bytes": size,
    }
    moving = moving and 1000 * moving
    sizes = map(rounds.mib, (peak, size))
    return [f"{nodes:,}", shown, rest, 1000 * near, moving, again, anchored, cached, *sizes]


class Explorer:
    """A running `gage explore`, and a clock that began with it."""

    def __init__(self, settings, model, folder):
        command = [settings.gage, "explore", model, folder, "--no-open", "--json", "--quiet"]
        command += ["--threads", settings.threads]
        self.begun = time.perf_counter()
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
        text = b""
        while not text.endswith(b"}\n"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the explorer ended before it printed its address")
            text += line
        self.address, self.token = json.loads(text)["url"].split("/#token=")
        self.kept = model.with_name(model.name + ".explore")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def ask(self, path):
        request = urllib.request.Request(self.address + path)
        request.add_header("X-Gage-Token", self.token)
        return urllib.request.urlopen(request, timeout=3600)

    def is_mixed(self):
        """Whether the page mixes the map between layouts at anchors."""
        return bool(json.load(self.ask("/api/about"))["anchors"])

    def follow(self, query, path="/api/map"):
        """Reads frames until the map rests. When the first frame of this request came and when the
        last did: seconds since the process began, and since the request."""
        asked = time.perf_counter()
        first = last = ticket = None
        with self.ask(path + query) as answer:
            while head := answer.read(HEAD):
                round_, _, nodes, moving = struct.unpack("<4I", head[:16])
                answer.read(4 * nodes)
                now = time.perf_counter()
                last = (now - self.begun, now - asked)
                # The positions of the shares before come first; they answer another request.
                ticket = ticket if ticket is not None else head[28:32]
                if first is None and (not query or head[28:32] != ticket):
                    first = last
        return first or last, last

    def neighbours(self, node):
        asked = time.perf_counter()
        self.ask(f"/api/neighbours?node={node}&count=15&lambda=0.4").read()
        return time.perf_counter() - asked

    def wait_until_kept(self, longest):
        begun = time.perf_counter()
        while not self.kept.exists() and time.perf_counter() - begun < longest:
            time.sleep(0.1)

    def peak_bytes(self):
        if not os.path.exists(f"/proc/{self.process.pid}/status"):
            return None
        with open(f"/proc/{self.process.pid}/status") as status:
            peak = next(line for line in status if line.startswith("VmHWM"))
        return 1024 * int(peak.split()[1])
