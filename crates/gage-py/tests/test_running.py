"""Long work: other threads run meanwhile, Ctrl-C stops it, nothing is copied."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

from gage_embed import GAGE

BIG = """
import numpy as np, scipy.sparse as sp
rng = np.random.default_rng(0)
# Every row has as many links; steps between sorted columns make them differ.
width = {links} // {nodes}
size = {nodes} + width
columns = np.sort(rng.integers(0, {nodes}, ({nodes}, width), dtype=np.int32), axis=1)
columns += np.arange(width, dtype=np.int32)
indptr = np.concatenate([np.arange({nodes} + 1) * width, np.full(width, {nodes} * width)])
indptr = indptr.astype(np.int32)
links = sp.csr_matrix((np.ones(columns.size), columns.ravel(), indptr), shape=(size, size))
"""


def run(code, **values):
    return textwrap.dedent(BIG).format(**values) + textwrap.dedent(code)


def test_two_fits_in_two_threads(planted):
    expected = [
        GAGE(4, random_state=seed).fit(planted.attributes, links=planted.links).embedding_
        for seed in (0, 1)
    ]
    found = [None, None]

    def work(seed):
        for _ in range(5):
            found[seed] = (
                GAGE(4, random_state=seed).fit(planted.attributes, links=planted.links).embedding_
            )

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(found, expected))


def test_other_threads_run_during_a_fit(debian):
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    GAGE(32, n_jobs=1).fit(debian)
    during = counted[0]
    stop.set()
    thread.join()
    # A fit that held the interpreter would let the other thread in once, at its end.
    assert during > 20


def test_progress_is_told_and_its_errors_are_ours(debian):
    from gage_embed import _native

    told = []
    options = GAGE(16)._options()
    _native.fit(debian.graph, options, None, lambda *news: told.append(news))
    assert told and all(done <= planned for _, done, planned, _ in told)
    # However short the fit: its last news of every stage are reported.
    assert {"Norms", "Basis", "Factors"} <= {stage for stage, *_ in told}

    def stop(*news):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _native.fit(debian.graph, options, None, stop)


def test_a_bar_is_shown(debian, capfd):
    GAGE(8, verbose=True).fit(debian)
    shown = capfd.readouterr().err
    assert "gage" in shown and "/10" in shown


def test_ctrl_c_stops_within_a_second(tmp_path):
    code = run(
        """
        import sys, time
        from gage_embed import GAGE
        print("ready", flush=True)
        try:
            GAGE(96, preset="paper", refine=True).fit(links=links)
        except KeyboardInterrupt:
            print(time.time(), flush=True)
        """,
        nodes=300_000,
        links=6_000_000,
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == "ready"
    time.sleep(1.5)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    answer = child.stdout.readline().strip()
    child.wait(timeout=60)
    assert answer, "the fit ended before it was interrupted"
    assert float(answer) - sent < 1.0
    assert child.returncode == 0


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork on this system")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_processes_made_by_fork_can_work(n_jobs):
    code = f"""
    import os, signal
    import numpy as np
    from gage_embed import GAGE, evaluate
    from gage_embed.datasets import load_debian

    def work():
        packages = load_debian()
        model = GAGE(8, preset="balanced", n_jobs={n_jobs})
        model.fit((packages.links, packages.attributes), nodes=packages.ids)
        evaluate(model, packages.labels, train=0.5, shuffles=1, n_jobs={n_jobs})
        model.similar("gimp"), model.transform(links=[["new", "gimp"]])
        return model.embedding(0.5).tobytes()

    before = work()
    for _ in range(2):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if work() == before else 1)
        assert os.waitpid(child, 0)[1] == 0, "the forked process hangs or differs"
    assert work() == before
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_a_million_nodes_are_not_copied():
    code = run(
        """
        import resource
        from gage_embed import GAGE, _native
        from gage_embed._inputs import as_links
        size = links.indices.nbytes + links.data.nbytes

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

        before = peak()
        part = as_links("links", links)
        graph = _native.Graph.assemble([("links", part)], [], None, None, True)
        made = peak() - before
        assert graph.indices_address("links") == links.indices.ctypes.data, "copied"
        # Row pointers of 32 bits are widened, 8 bytes a row; beyond that a few megabytes for the
        # allocator.
        assert made < 8 * (links.shape[0] + 1) + (16 << 20) < size, (made, size)
        model = GAGE(2, preset="paper", directed="out").fit(links=links)
        print(len(model.embedding_))
        """,
        nodes=1_000_000,
        links=8_000_000,
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1000008"


def test_arrays_live_as_long_as_they_are_needed(planted):
    from gage_embed import _native

    links = planted.links.copy()
    part = _native.Links.from_csr(
        links.shape, links.indptr.astype(np.int64), links.indices, links.data
    )
    graph = _native.Graph.assemble([("links", part)], [])
    del links, part
    junk = [np.random.default_rng(at).integers(0, 100, 5000) for at in range(50)]
    found = graph.matrix("links")
    rebuilt = sp.csr_matrix((found[2], found[1], found[0]), shape=planted.links.shape)
    assert (rebuilt != planted.links).nnz == 0 and len(junk) == 50
