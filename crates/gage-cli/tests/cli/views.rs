//! Views by hand: recipes, fits on one part, and what lambda means.

use crate::support::{Place, assert_same};

/// A place with a further relation and a further table.
fn further() -> Place {
    let place = Place::new();
    let mut likes = "source,target\n".to_owned();
    let mut shops = "id,height,width\n".to_owned();
    for node in 0..80usize {
        likes.push_str(&format!("n{node},n{}\n", (node * 3 + 1) % 80));
        shops.push_str(&format!("n{node},{},{}\n", node * node % 13, node % 6));
    }
    place.write("likes.csv", &likes);
    place.write("shops.csv", &shops);
    place
}

const FURTHER: [&str; 4] = ["--view", "likes=likes.csv", "--view", "shops=shops.csv"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

fn views(place: &Place, args: &[&str]) -> Vec<String> {
    let found = place.json(args);
    let views = found["views"].as_array().unwrap();
    views.iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_paper_takes_any_set_of_tables() {
    let place = further();
    let paper = with(&FURTHER, &["--preset", "paper", "--dim", "4", "-o", "e.npy"]);
    let all = views(&place, &with(&["embed", "data"], &paper));
    assert_eq!(all, ["links", "attributes", "likes", "shops"]);
    assert_eq!(views(&place, &with(&["embed"], &paper)), ["likes", "shops"]);
    let links = with(&FURTHER, &["--preset", "links", "--dim", "4", "-o", "e.npy"]);
    let output = place.run(&with(&["embed", "data"], &links));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("warning: `likes` is in none of the views"), "{text}");
}

#[test]
fn a_recipe_is_printed_edited_and_given_back() {
    let place = further();
    for preset in ["auto", "paper", "balanced", "links"] {
        let data = with(&["data"], &FURTHER);
        let dim = ["--dim", "6"];
        let info = with(&with(&["info"], &data), &["--recipe", "--preset", preset, "--dim", "6"]);
        let recipe = place.ok(&info);
        assert!(recipe.starts_with(&format!("# preset {preset} for data")), "{recipe}");
        place.write("recipe.toml", &recipe);
        let json = place.json(&info);
        place.write("recipe.json", &json["recipe"].to_string());
        let embed = with(&with(&["embed"], &data), &dim);
        place.ok(&with(&embed, &["--preset", preset, "-o", "preset.npy"]));
        for file in ["recipe.toml", "recipe.json"] {
            place.ok(&with(&embed, &["--views", file, "-o", "recipe.npy", "--model", "m.gage"]));
            assert_same(&place, "preset.npy", "recipe.npy");
        }
        assert_eq!(place.json(&["info", "m.gage"])["preset"], "recipe");
        // What is edited counts.
        let edited =
            recipe.replace("weight = ", "weight = 1").replace("weight = 10.", "weight = 1.");
        place.write("recipe.toml", &edited);
        place.ok(&with(&embed, &["--views", "recipe.toml", "-o", "recipe.npy"]));
    }
    let both = ["embed", "data", "--views", "recipe.toml", "--preset", "auto", "-o", "e.npy"];
    let output = place.run(&both);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be used with"));
}

#[test]
fn errors_of_a_recipe_name_file_line_key_and_values() {
    let place = further();
    let good = place.ok(&["info", "data", "--recipe", "--preset", "balanced"]);
    let cases = [
        ("transform = \"raw\"", "transform = \"roh\"", "transform", "`row_l2`"),
        ("weight = 0.6", "weigth = 0.6", "views[0]", "`weight`"),
        ("block = \"links\" }\n", "blok = \"links\" }\n", "views[0].source", "`block`"),
        ("weight = 0.6", "weight = -0.6", "`links`", "1e-12"),
        ("block = \"links\" }\n", "block = \"nothing\" }\n", "`nothing`", "links, attributes"),
    ];
    for (from, to, key, allowed) in cases {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        place.write("bad.toml", &text);
        let output = place.run(&["embed", "data", "--views", "bad.toml", "-o", "e.npy"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        for part in [key, allowed] {
            assert!(error.contains(part), "no {part} in {error}\n{text}");
        }
        if allowed.starts_with('`') {
            let line = text.lines().position(|line| line.contains(to.trim_end())).unwrap() + 1;
            assert!(
                error.contains("bad.toml") && error.contains(&format!("line {line}")),
                "{error}"
            );
        }
    }
    let (message, _) = place.fails(3, &["embed", "data", "--views", "none.toml", "-o", "e.npy"]);
    assert!(message.contains("none.toml"), "{message}");
}

#[test]
fn a_fit_on_one_part_is_that_of_the_part() {
    let place = further();
    for (only, file) in [("attributes", "data/attributes.csv"), ("links", "data/edges.csv")] {
        let flag = if only == "links" { "--graph" } else { "--attributes" };
        for preset in ["auto", "balanced", "paper"] {
            let more = ["--preset", preset, "--dim", "4"];
            let part = ["embed", "data", "--only", only, "-o", "part.npy"];
            place.ok(&with(&part, &more));
            place.ok(&with(&["embed", flag, file, "-o", "alone.csv"], &more));
            place.ok(&["convert", "part.npy", "part.csv"]);
            let sorted = |name: &str| {
                let mut lines: Vec<String> =
                    place.text(name).lines().skip(1).map(str::to_owned).collect();
                lines.sort();
                lines
            };
            let (part, alone) = (sorted("part.csv"), sorted("alone.csv"));
            // Of links alone, nodes without any are not there, and the others in another order.
            match only {
                "attributes" => assert_eq!(part, alone, "{preset}"),
                _ => assert_eq!((part.len(), alone.len()), (80, 79), "{preset}"),
            }
        }
    }
    let (message, _) = place
        .fails(4, &["embed", "--graph", "data/edges.csv", "--only", "attributes", "-o", "e.npy"]);
    assert!(message.contains("only attributes were requested"), "{message}");
    place.fails(2, &["embed", "data", "--method", "tadw", "--only", "links", "-o", "e.npy"]);
}

#[test]
fn lambda_says_which_views_it_weighs_and_refuses_an_empty_end() {
    let place = Place::with_model();
    let text = place.ok(&["info", "m.gage"]);
    assert!(text.contains("1 - lambda"), "{text}");
    place.write("links/edges.csv", &crate::support::edges(80));
    place.write("links/labels.csv", &{
        let line = |node: usize| format!("n{node},{}\n", node % 2);
        format!("id,label\n{}", (0..80).map(line).collect::<String>())
    });
    place.ok(&["embed", "links", "--dim", "4", "-o", "e.npy", "--model", "l.gage"]);
    for lambda in ["0", "0.5"] {
        let (message, help) =
            place.fails(4, &["reweight", "l.gage", "--lambda", lambda, "-o", "r.npy"]);
        assert!(message.contains("views that use no links"), "{message}");
        assert!(help.contains("--lambda 1"), "{help}");
    }
    place.ok(&["reweight", "l.gage", "--lambda", "1", "-o", "r.npy"]);
    let (message, _) =
        place.fails(4, &["evaluate", "sweep", "links", "--dim", "4", "--steps", "3"]);
    assert!(message.contains("views that use no links"), "{message}");
    place.write("data/labels.csv", &place.text("links/labels.csv"));
    let sweep = ["evaluate", "sweep", "data", "--dim", "4", "--steps", "3", "--shuffles", "1"];
    let found = place.json(&with(&sweep, &["-o", "s.svg", "--preset", "balanced"]));
    assert_eq!(found["ends"]["links"], serde_json::json!(["links", "smoothed"]));
    assert_eq!(found["ends"]["others"], serde_json::json!(["attributes"]));
    let axis = "lambda to links, smoothed, the rest to attributes";
    assert!(place.text("s.svg").contains(axis));
}

#[test]
fn weights_that_cannot_be_are_refused() {
    let place = Place::new();
    let cases = [
        ("0,0,0", "above 0"),
        ("1,1e308,1", "from 1e-12 to 1e12"),
        ("1,5e-324,1", "from 1e-12 to 1e12"),
        ("1,-1,1", "from 1e-12 to 1e12"),
        ("1,nan,1", "from 1e-12 to 1e12"),
        ("1,1", "2 weights given for 3 views"),
    ];
    for (weights, part) in cases {
        let given = format!("--weights={weights}");
        let embed = ["embed", "data", "--preset", "balanced", "--dim", "4", "-o", "e.npy", &given];
        let (message, _) = place.fails(2, &embed);
        assert!(message.contains(part), "{weights}: {message}");
    }
    assert!(!place.path("e.npy").exists());
}
