//! `--max-memory`: the limit, and the part of it that is left for a fit.

use std::path::{Path, PathBuf};

use gage_embed::{Graph, Plan};
use gage_linalg::Workspace;

use crate::errors::Failure;

/// What the program takes besides data and tall blocks: code, stacks, small matrices, buffers.
const BESIDES: u64 = 64 << 20;

/// A workspace with a limit, and what was in memory when it was made.
pub(crate) struct MemoryLimit {
    limit: u64,
    held: u64,
    folder: PathBuf,
    workspace: Workspace,
}

impl MemoryLimit {
    /// Limits tall blocks until the views are known. A preset that tries fits builds views of its
    /// own, which may hold a transpose of every block.
    pub(crate) fn new(
        limit: u64,
        scratch: Option<&Path>,
        graph: &Graph,
    ) -> anyhow::Result<MemoryLimit> {
        let folder = scratch.map_or_else(std::env::temp_dir, Path::to_path_buf);
        if !folder.is_dir() {
            let message =
                format!("{}: found no folder, expected one for --scratch", folder.display());
            return Err(Failure::usage(message).help("make it, or name another").into());
        }
        let blocks: usize = graph.blocks().iter().map(|block| block.matrix.bytes()).sum();
        let held = anonymous_bytes().unwrap_or((blocks + graph.nodes().bytes()) as u64);
        let left = usize::try_from(limit.saturating_sub(held + blocks as u64 + BESIDES))?;
        let workspace = Workspace::with_limit(left, &folder);
        Ok(MemoryLimit { limit, held, folder, workspace })
    }

    /// Limits tall blocks to what is left beside the data and the views of a fit.
    pub(crate) fn apply(&self, plan: &Plan) -> anyhow::Result<()> {
        let needed = self.held + plan.view_bytes as u64 + BESIDES;
        let Some(left) = self.limit.checked_sub(needed) else {
            let message = format!(
                "--max-memory: {} are not enough, the data and what is kept beside them take {}",
                mebibytes(self.limit),
                mebibytes(needed)
            );
            let help = "allow more, or map the data: gage convert DATA FOLDER --mapped";
            return Err(Failure::misfit(message).help(help).into());
        };
        self.workspace.set_limit(usize::try_from(left)?, &self.folder);
        Ok(())
    }

    /// What lies in files, where the fit takes more than the limit.
    pub(crate) fn note(&self, plan: &Plan) -> Option<String> {
        let whole = self.held + (plan.view_bytes + plan.work_bytes) as u64 + BESIDES;
        let beyond = whole.checked_sub(self.limit).filter(|&beyond| beyond > 0)?;
        Some(format!(
            "about {} of the fit lie in files in {}; while memory is free the system keeps their \
             pages there and counts them as resident, up to {} in all",
            mebibytes(beyond),
            self.folder.display(),
            mebibytes(whole)
        ))
    }

    /// The workspace of the fit.
    pub(crate) fn workspace(&self) -> Workspace {
        self.workspace.clone()
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// Memory of this process that is not a mapped file, where the system tells.
fn anonymous_bytes() -> Option<u64> {
    field_bytes(&std::fs::read_to_string("/proc/self/status").ok()?, "RssAnon:")
}

/// Memory that can be had without swapping, where the system tells.
pub(crate) fn available_bytes() -> Option<u64> {
    field_bytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A line such as `MemAvailable:  2048 kB` in bytes.
fn field_bytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_names() {
        let text = "MemTotal:       4096 kB\nMemAvailable:    2048 kB\nOdd: 3\n";
        assert_eq!(field_bytes(text, "MemAvailable:"), Some(2 << 20));
        assert_eq!(field_bytes(text, "MemFree:"), None);
        assert_eq!(field_bytes(text, "Odd:"), None);
    }
}
