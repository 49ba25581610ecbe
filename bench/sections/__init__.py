"""The parts of the benchmark; each module has `run(settings) -> Outcome`."""
