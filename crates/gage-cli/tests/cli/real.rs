//! The whole way on real data.

use crate::support::{Place, assert_same, dataset};

#[test]
fn a_smaller_tolerance_takes_more_passes_and_leaves_less() {
    let Some(cora) = dataset("planetoid_cora") else { return };
    let place = Place::empty();
    let with = |more: &[&str]| {
        let base = ["embed", &cora, "-o", "c.npy", "--dim", "32", "--preset", "paper"];
        let report = place.json(&[&base[..], more].concat());
        (report["passes"].as_u64().unwrap(), report["relative_loss"].as_f64().unwrap())
    };
    let (usual, exact) = (with(&[]), with(&["--tolerance", "1e-6"]));
    assert!(exact.0 > usual.0 && exact.1 < usual.1, "{usual:?} {exact:?}");
    let (error, _) =
        place.fails(2, &["embed", &cora, "-o", "c.npy", "--dim", "32", "--tolerance=-1"]);
    assert!(error.contains("tolerance"), "{error}");
}

#[test]
fn webkb_from_folder_to_certificate() {
    let Some(webkb) = dataset("webkb") else { return };
    let place = Place::empty();
    let report = place.json(&[
        "embed",
        &webkb,
        "-o",
        "w.npy",
        "--dim",
        "32",
        "--model",
        "w.gage",
        "--certify",
    ]);
    assert_eq!((report["nodes"].as_u64(), report["columns"].as_u64()), (Some(877), Some(32)));
    assert!(report["relative_loss"].as_f64().unwrap() < 0.5);
    let info = place.json(&["info", &webkb]);
    // Pages are linked to pages of other kinds, so their own words tell more.
    let score = |by: &str| info["facts"]["prediction"][by].as_f64().unwrap();
    assert!(score("own") > score("far") + 0.05 && score("far") > 0.55, "{info}");
    assert_eq!(
        place.json(&["similar", "w.gage", "5", "-k", "3"])["nodes"][0]["neighbours"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let (_, help) = place.fails(4, &["similar", "w.gage", "877"]);
    assert!(help.contains("0 to 876"), "{help}");
    place.ok(&["certify", "w.gage", &webkb]);
    place.ok(&["convert", &webkb, "copy"]);
    place.ok(&["embed", "copy", "-o", "c.npy", "--dim", "32"]);
    assert_same(&place, "w.npy", "c.npy");
}

#[test]
fn a_mat_file_equals_the_folder() {
    let (Some(webkb), Some(mat)) = (dataset("webkb"), dataset("mat/webkb.mat")) else { return };
    let place = Place::empty();
    place.ok(&["embed", &webkb, "-o", "a.npy", "--dim", "16"]);
    place.ok(&["embed", &mat, "-o", "b.npy", "--dim", "16"]);
    assert_same(&place, "a.npy", "b.npy");
}
