//! The tasks of `docs/cookbook.md`, run as they stand.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// One task: its heading and its commands.
struct Task {
    title: String,
    commands: String,
}

/// The `sh` blocks of a page, each with the heading above it.
fn tasks(page: &str) -> Vec<Task> {
    let (mut tasks, mut title) = (Vec::new(), String::new());
    let mut block: Option<(bool, String)> = None;
    for line in page.lines() {
        match &mut block {
            Some((shell, commands)) if line == "```" => {
                if *shell {
                    tasks.push(Task { title: title.clone(), commands: commands.clone() });
                }
                block = None;
            }
            Some((_, commands)) => {
                commands.push_str(line);
                commands.push('\n');
            }
            None if line.starts_with("```") => block = Some((line == "```sh", String::new())),
            None => {
                if let Some(heading) = line.strip_prefix("## ") {
                    heading.clone_into(&mut title);
                }
            }
        }
    }
    assert!(block.is_none(), "a block under `{title}` does not end");
    tasks
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The search path with the folder of the command before everything else.
fn search_path() -> OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_gage")).parent().unwrap().to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&inherited));
    std::env::join_paths(folders).unwrap()
}

/// Runs a task in a folder of its own; says what went wrong.
fn run(task: &Task, data: &Path) -> Result<(), String> {
    let lines = task.commands.lines().map_while(|line| line.strip_prefix("# makes: "));
    let promised: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    if promised.is_empty() {
        return Err("the first line is not `# makes: FILE ...`".to_owned());
    }
    let folder = tempfile::tempdir().unwrap();
    copy(data, &folder.path().join("debian")).unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &task.commands])
        .current_dir(folder.path())
        .env("PATH", search_path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("bash cannot be run: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}\n{stderr}", output.status));
    }
    for name in promised {
        match fs::metadata(folder.path().join(name)) {
            Ok(file) if file.is_file() && file.len() > 0 => {}
            Ok(_) => return Err(format!("{name} is empty or no file")),
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
    Ok(())
}

#[test]
fn every_task_of_the_cookbook_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/cookbook.md")).unwrap();
    let tasks = tasks(&page);
    assert!(tasks.len() >= 10, "only {} blocks of commands", tasks.len());
    let data = root.join("../gage-debian/data/debian");
    let failures: Vec<String> = tasks
        .iter()
        .filter_map(|task| Some(format!("{}: {}", task.title, run(task, &data).err()?)))
        .collect();
    assert!(failures.is_empty(), "{} tasks failed\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_task_has_one_block_and_an_entry_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/cookbook.md")).unwrap();
    let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let titles: Vec<String> = tasks(&page).into_iter().map(|task| task.title).collect();
    assert_eq!(titles, headings);
    for heading in headings {
        let entry = heading.replacen(". ", ". [", 1) + "](#";
        assert!(page.contains(&entry), "the list does not have `{heading}`");
    }
}
