"""The driver measures what it says, and its report shows it. Standard library only."""

import json
import resource
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import limit, measure, plot, report, rounds, scale
from harness.anonymous import without_places
from harness.outcome import Outcome
from harness.settings import Settings
import python_overhead
from sections import python as package


def python(text):
    return [sys.executable, "-c", text]


def ended(seconds, status="ok", peak=1):
    return measure.Measurement(
        status, seconds, seconds, peak, 0 if status == "ok" else 1, {"seconds": {"fit": seconds}}
    )


class Measuring(unittest.TestCase):
    def test_time_memory_and_report_of_a_process(self):
        m = measure.run(
            python(
                "import time; x = b'1' * (200 << 20); time.sleep(.2); print('noise'); "
                "print('{\"a\": 1}')"
            )
        )
        self.assertTrue(m.ok)
        self.assertEqual(m.report, {"a": 1})
        self.assertGreater(m.seconds, 0.2)
        self.assertLess(m.cpu_seconds, m.seconds + 1)
        self.assertGreater(m.peak_bytes, 200 << 20)
        self.assertLess(m.peak_bytes, 400 << 20)

    def test_each_process_has_its_own_peak(self):
        measure.run(python("x = b'1' * (200 << 20)"))
        self.assertLess(measure.run(python("pass")).peak_bytes, 150 << 20)

    def test_timeouts_and_failures_are_told_apart(self):
        late = measure.run(python("import time; time.sleep(30)"), timeout=0.3)
        self.assertEqual(late.status, "timeout")
        self.assertLess(late.seconds, 10)
        broken = measure.run(python("raise SystemExit('what went wrong')"))
        self.assertEqual((broken.status, broken.error.strip()), ("failed", "what went wrong"))

    def test_threads_are_told_to_the_process(self):
        m = measure.run(python("import os, json; print(json.dumps(dict(os.environ)))"), threads=3)
        self.assertTrue(all(m.report[name] == "3" for name in measure.THREAD_VARIABLES))
        one = rounds.one_blas_thread(python("import os, json; print(json.dumps(dict(os.environ)))"))
        seen = measure.run(one, threads=3).report
        self.assertEqual((seen["OPENBLAS_NUM_THREADS"], seen["RAYON_NUM_THREADS"]), ("1", "3"))

    def test_memory_is_touched_by_somebody_else(self):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertTrue(measure.touch_memory(300 << 20))
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 100 << 10)
        self.assertGreater(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 300 << 10)
        self.assertTrue(measure.touch_memory(1))
        self.assertFalse(measure.touch_memory(1 << 60))

    def test_processes_run_together(self):
        both, results = measure.run_together([python("import time; time.sleep(.5)")] * 2)
        self.assertLess(both, sum(m.seconds for m in results))


class Ratios(unittest.TestCase):
    def test_the_median_of_the_ratios_of_the_rounds(self):
        slow, fast = [ended(10), ended(40), ended(30)], [ended(1), ended(2), ended(10)]
        self.assertEqual(rounds.ratio(slow, fast), 10)

    def test_failures_give_no_ratio_and_timeouts_a_bound(self):
        self.assertIsNone(rounds.ratio([ended(1, "failed")], [ended(1)]))
        self.assertIsNone(rounds.ratio([ended(1)], [ended(1, "timeout")]))
        self.assertEqual(rounds.ratio([ended(9, "timeout")], [ended(3)]), 3)

    def test_the_better_of_two_ways(self):
        chosen = rounds.better([ended(3), ended(1)], [ended(2), ended(5)])
        self.assertEqual([m.seconds for m in chosen], [2, 1])
        self.assertEqual(rounds.better([ended(1, "failed")], [ended(2), ended(3)])[0].seconds, 2)

    def test_nothing_follows_the_same_command_in_two_rounds_running(self):
        for names in (["a", "b", "c"], list("abcdefgh")):
            rows = [rounds.order(names, number) for number in range(6)]
            for row in rows:
                self.assertEqual(sorted(row), sorted(names))
            for one, next_one in zip(rows, rows[1:]):
                followers = set(zip(one, one[1:])) & set(zip(next_one, next_one[1:]))
                self.assertEqual(followers, set())
            self.assertEqual(len({row[0] for row in rows[:2]}), 2)

    def test_round_robin_drops_what_failed(self):
        results = rounds.interleave(
            {"good": python("pass"), "bad": python("raise SystemExit(1)")}, 3, say=lambda text: None
        )
        self.assertEqual((len(results["good"]), len(results["bad"])), (3, 1))


class Overhead(unittest.TestCase):
    def test_ratios_are_taken_inside_a_round(self):
        pairs = [(1.0, 1.02), (2.0, 2.0), (4.0, 4.2)]
        found = python_overhead.summary([{"command": a, "python": b} for a, b in pairs], True)
        self.assertAlmostEqual(found["overhead"], 0.02)
        self.assertEqual(found["seconds"], {"command": 2.0, "python": 2.0})

    def test_what_was_measured_is_judged(self):
        found = python_overhead.summary([{"command": 1.0, "python": 1.05}], False)
        outcome = Outcome()
        measured = measure.run(python(f"print({json.dumps(json.dumps(found))})"))
        self.assertEqual(package.judge("debian", measured, outcome)[:2], ["debian", 1])
        self.assertEqual([check["passed"] for check in outcome.checks], [False, False])
        self.assertEqual(
            (outcome.checks[0]["measured"], outcome.checks[0]["target"]), ("5%", "at most 3%")
        )

    def test_a_program_that_failed_is_no_verdict(self):
        outcome = Outcome()
        package.judge("debian", measure.run(python("raise SystemExit('no such file')")), outcome)
        self.assertEqual([check["passed"] for check in outcome.checks], [None, None])
        self.assertIn("no such file", outcome.checks[0]["note"])


class Limits(unittest.TestCase):
    def settings(self, cgroup=None):
        return Settings(Path(), Path(), Path(), None, Path(), cgroup=cgroup)

    def test_a_process_is_held_to_its_limit(self):
        with limit.limited(200 << 20, self.settings()) as (prefix, apply):
            self.assertTrue(
                measure.run([*prefix, *python("x = b'1' * (50 << 20)")], limits=apply).ok
            )
            self.assertFalse(
                measure.run([*prefix, *python("x = b'1' * (400 << 20)")], limits=apply).ok
            )


class Pages(unittest.TestCase):
    def results(self):
        outcome = Outcome()
        outcome.at_least("faster", 2.0, 3)
        outcome.at_most("growth", 2.0, 2.2)
        outcome.at_least("absent", None, 3, note="not here")
        outcome.table("Times", ["data", "seconds"], [["a|b", 1.23456], ["c", None]])
        points = [
            {"nodes": n, "seconds": n * 1e-4, "fit_seconds": n * 1e-4, "peak_bytes": n * 5000}
            for n in (10**5, 2 * 10**5, 4 * 10**5)
        ]
        outcome.raw = {"points": {"paper": points}}
        section = {**outcome.record(), "error": "", "load_before": 0.1, "load_after": 0.2}
        facts = dict(
            cpu="a CPU",
            cores=2,
            threads_per_core=1,
            memory_bytes=2**34,
            kernel="6",
            system="Linux",
            python="3",
            commit="0" * 40,
            source_changed=False,
        )
        return {
            "name": "test",
            "quick": False,
            "gage_version": "gage 0",
            "machine": facts,
            "sections": {"slope": section},
            "settings": {"threads": 2, "dim": 128, "rounds": 5},
        }

    def test_the_report_shows_failures_as_such(self):
        results = json.loads(json.dumps(self.results()))
        results["scale"] = scale.page(results)
        page = report.render(results, {"slope": "Growth", "svd": "SVD"})
        self.assertIn("| faster | at least 3x | 2x | **FAIL** |", page)
        self.assertIn("| growth | at most 2.2x | 2x | pass |", page)
        self.assertIn("not measured (not here)", page.replace("measured  (", "measured ("))
        self.assertIn("a\\|b", page)
        self.assertIn("Not run: svd", page)

    def test_what_is_linear_stays_linear(self):
        rows, time, memory = scale.extrapolate(
            self.results()["sections"]["slope"]["raw"]["points"]["paper"]
        )
        self.assertAlmostEqual(time, 1.0)
        links, nodes, seconds, size = rows[-1]
        self.assertEqual((links, nodes), (10**9, 10**8))
        self.assertAlmostEqual(seconds, 1e4, places=3)
        self.assertAlmostEqual(size / 5e11, 1.0)
        self.assertIn("1,000,000,000", scale.page(self.results()))

    def test_the_page_is_replaced_not_repeated(self):
        once = scale.insert("# Performance\n", "old")
        twice = scale.insert(once + "more\n", "new")
        self.assertEqual(twice.count(scale.HEADING), 1)
        self.assertNotIn("old", twice)
        self.assertTrue(twice.endswith("more\n"))

    def test_charts_are_well_formed(self):
        series = [
            plot.Series("a & b", [(1e3, 0.5), (1e6, 20)], line=True),
            plot.Series("one", [(10, 0.7)]),
            plot.Series("none", []),
        ]
        for svg in (
            plot.chart("t < u", "x", "y", series),
            plot.chart("t", "x", "y", series[1:2], log_y=False),
            plot.chart("t", "x", "y", []),
        ):
            xml.fromstring(svg)

    def test_results_name_no_places(self):
        settings = Settings(
            Path("/a/repo"),
            Path("/a/repo/cache"),
            Path("gage"),
            Path("/data sets"),
            Path("/a/repo/cache/tmp1"),
        )
        kept = without_places(
            {
                "x": [
                    "/a/repo/cache/tmp1/o.npy",
                    "/data sets/wiki",
                    "see https://host.example/simple now",
                ]
            },
            settings,
        )
        self.assertEqual(kept["x"], ["SCRATCH/o.npy", "DATASETS/wiki", "see ADDRESS now"])

    def test_no_paths_of_this_machine_in_facts(self):
        from harness import machine

        text = json.dumps(machine.facts(Path(__file__).parents[2]))
        self.assertNotIn(str(Path.home()) + "/", text)
        self.assertNotIn(tempfile.gettempdir() + "/", text)


if __name__ == "__main__":
    unittest.main()
