//! Exit codes and messages; outputs that cannot be written leave nothing behind.

use std::fs;
use std::process::Command;

use crate::support::{Place, list};

#[test]
fn every_kind_of_failure_has_its_code() {
    let place = Place::with_model();
    place.write("empty.csv", "");
    place.write("noise.gage", "this is no model");
    let cases: &[(i32, &[&str], &str)] = &[
        (3, &["embed", "nowhere", "-o", "x.npy"], "nowhere"),
        (3, &["embed", "--graph", "empty.csv", "-o", "x.npy"], "empty.csv"),
        (3, &["reweight", "noise.gage", "-o", "x.npy"], "noise.gage"),
        (3, &["reweight", "nowhere.gage", "-o", "x.npy"], "nowhere.gage"),
        (3, &["similar", "data", "n1"], "data"),
        (4, &["embed", "data", "--dim", "500", "-o", "x.npy"], "500"),
        (2, &["embed", "-o", "x.npy"], "no data set"),
        (2, &["embed", "data", "-o", "x.xyz"], "x.xyz"),
        (2, &["embed", "data", "--directed", "no", "--weights", "1,2", "-o", "x.npy"], "2 weights"),
        (2, &["reweight", "m.gage", "--lambda", "7", "-o", "x.npy"], "lambda"),
        (2, &["reweight", "m.gage", "--shares", "1", "-o", "x.npy"], "1 shares"),
        (2, &["reweight", "m.gage", "--shares", "0,0,0", "-o", "x.npy"], "shares"),
        (5, &["embed", "data", "-o", "nowhere/x.npy"], "nowhere/x.npy"),
        (5, &["embed", "data", "-o", "data", "--format", "npy"], "data"),
        (5, &["embed", "data", "-o", "data/edges.csv"], "data/edges.csv"),
        (5, &["embed", "data", "-o", "data/features.npy"], "data/features.npy"),
        (5, &["embed", "data", "-o", "x.npz", "--model", "x.npz"], "x.npz"),
        (5, &["reweight", "m.gage", "-o", "m.gage", "--format", "npz"], "m.gage"),
        (5, &["certify", "m.gage", "data", "-o", "./m.gage"], "m.gage"),
    ];
    let before = place.bytes("m.gage");
    for (code, args, part) in cases {
        let (error, help) = place.fails(*code, args);
        assert!(error.contains(part), "{args:?}: {error}");
        assert!(!help.is_empty() && !error.contains('\n'));
    }
    assert_eq!(place.bytes("m.gage"), before);
    assert_eq!(list(&place.path("data")), ["attributes.csv", "edges.csv"]);
    let left = ["data", "e.ids.txt", "e.npy", "empty.csv", "m.gage", "noise.gage"];
    assert_eq!(place.names(), left);
}

#[test]
fn usage_errors_are_claps_and_two() {
    let place = Place::empty();
    for args in [
        &["embed", "--nonsense"][..],
        &["unheard-of"],
        &[],
        &["embed", "d", "-o", "x.npy", "--dim", "none"],
    ] {
        assert_eq!(place.run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn errors_are_json_when_asked() {
    let place = Place::empty();
    let output = place.run(&["embed", "nowhere", "-o", "x.npy", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["exit_code"], 3);
    assert!(error["error"].as_str().unwrap().contains("nowhere") && error["help"].is_string());
    assert!(output.stdout.is_empty());
}

#[test]
fn a_hard_link_to_an_input_is_the_input() {
    let place = Place::with_model();
    fs::hard_link(place.path("m.gage"), place.path("same.npz")).unwrap();
    place.fails(5, &["reweight", "m.gage", "-o", "same.npz"]);
}

#[test]
#[cfg(unix)]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::with_model();
    fs::create_dir(place.path("real")).unwrap();
    place.write("real/x.csv", "old");
    fs::set_permissions(place.path("real/x.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real/x.csv", place.path("link.csv")).unwrap();
    place.ok(&["reweight", "m.gage", "-o", "link.csv"]);
    assert!(fs::symlink_metadata(place.path("link.csv")).unwrap().is_symlink());
    assert!(place.text("real/x.csv").starts_with("id,e0"));
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("real/x.csv"), 0o640);
    // A new model has the permissions of any new file, not those of a private temporary one.
    place.write("plain", "");
    assert_eq!(mode("m.gage"), mode("plain"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_and_unwritable_places() {
    let place = Place::with_model();
    let (error, _) = place.fails(5, &["reweight", "m.gage", "-o", "/dev/full", "--format", "csv"]);
    assert!(error.contains("/dev/full: cannot write"), "{error}");
    let (error, _) = place.fails(5, &["reweight", "m.gage", "-o", "/proc/x.csv"]);
    assert!(error.contains("/proc/x.csv: cannot write"), "{error}");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["info", "m.gage"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_found_out_before_the_work() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_model();
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.path("locked/probe"), "").is_ok() {
        fs::remove_file(place.path("locked/probe")).unwrap();
        // Not in CI either: what root may do is no defect.
        let text = b"\nSKIPPED: running as root, who may write to read-only folders\n";
        std::io::Write::write_all(&mut std::io::stderr(), text).unwrap();
        return;
    }
    let (error, help) = place.fails(5, &["embed", "data", "-o", "locked/x.npy"]);
    assert!(error.contains("locked/x.npy: cannot write"), "{error}");
    assert!(help.contains("permissions"), "{help}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_nothing_behind() {
    let place = Place::new();
    fs::create_dir(place.path("disk")).unwrap();
    let disk = place.path("disk");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
        .arg(&disk)
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        let text = b"\nSKIPPED: this account may not mount a small disk to fill\n";
        std::io::Write::write_all(&mut std::io::stderr(), text).unwrap();
        return;
    }
    let runs = ["disk/x.npy", "disk/x.npz", "disk/x.csv", "disk/x.safetensors"].map(|out| {
        let output = place.run(&["embed", "data", "--directed", "no", "--dim", "70", "-o", out]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned(), list(&disk))
    });
    let model =
        place.run(&["embed", "data", "--directed", "no", "-o", "y.npy", "--model", "disk/m.gage"]);
    let left = list(&disk);
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    for (code, text, left) in runs {
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains("cannot write") && text.contains("help: free some space"), "{text}");
        assert!(left.is_empty(), "{left:?}");
    }
    assert_eq!(model.status.code(), Some(5));
    assert!(left.is_empty(), "{left:?}");
    // All outputs appear together or not at all.
    assert!(!place.path("y.npy").exists());
}
