"""Parts of the benchmark that every section uses; standard library only."""
