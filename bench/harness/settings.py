"""Settings of a run."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Settings:
    """Read by every section, changed by none."""

    root: Path  # the repository
    cache: Path  # environments, generated graphs, scratch files; git ignores it
    gage: Path
    datasets: Path  # or None
    scratch: Path
    cgroup: Path = None  # a parent group in which groups may be made, or None
    threads: int = 2
    dim: int = 128
    rounds: int = 5
    timeout: float = 1800.0
    quick: bool = False
    data: tuple = ()  # names of data sets to keep to; empty: all
    say: object = print

    def choose(self, full, quick):
        """The data sets of a section: the small ones in a quick run, and only those that were asked
        for.
        """
        names = quick if self.quick else full
        return [name for name in names if not self.data or str(name) in self.data]

    def embed(self, data, output, *more, threads=None):
        """Command line of `gage embed` on a folder or on a list of input flags."""
        inputs = list(data) if isinstance(data, (list, tuple)) else [data]
        command = [self.gage, "embed", *inputs, "-o", output, "--dim", self.dim]
        return [*command, "--threads", threads or self.threads, "--json", "--quiet", *more]

    def peer(self, python, program, folder, output, *more):
        """Command line of a peer program."""
        return [
            python,
            self.root / "bench" / "peers" / program,
            folder,
            output,
            "--dim",
            self.dim,
            *more,
        ]
