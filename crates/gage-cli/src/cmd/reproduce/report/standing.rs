//! Our presets compared with the best published results.

use serde::Serialize;

use super::setting::Setting;
use super::table::{Row, Source, Table, ours, rounded};

/// One preset in one task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The preset.
    pub preset: String,
    /// What was compared.
    pub task: &'static str,
    /// Cells with a published number.
    pub cells: usize,
    /// Cells at or above the best published number.
    pub at_or_above: usize,
    /// Cells below the preset `paper` by more than one standard deviation of it.
    pub below_paper_preset: usize,
    /// The cells below the best published number.
    pub below: Vec<String>,
}

impl Standing {
    /// One line for people.
    pub fn line(&self) -> String {
        let mut text = format!(
            "{}, preset {}: at or above the best published number in {} of {} cells",
            self.task, self.preset, self.at_or_above, self.cells
        );
        if self.preset != "paper" {
            let below = self.below_paper_preset;
            text.push_str(&format!(
                "; below preset paper by more than one standard deviation in {below}"
            ));
        }
        text
    }
}

pub(super) fn standings(tables: &[Table], setting: &Setting) -> Vec<Standing> {
    let tasks = [
        ("classification", "classify-", &setting.presets),
        ("link prediction", "links", &setting.link_presets),
    ];
    let mut standings = Vec::new();
    for (task, prefix, presets) in tasks {
        let of_task: Vec<&Table> = tables.iter().filter(|t| t.id.starts_with(prefix)).collect();
        for preset in presets {
            let mut standing = Standing {
                preset: preset.clone(),
                task,
                cells: 0,
                at_or_above: 0,
                below_paper_preset: 0,
                below: Vec::new(),
            };
            of_task.iter().for_each(|table| add(table, &mut standing));
            if standing.cells > 0 {
                standings.push(standing);
            }
        }
    }
    standings
}

fn add(table: &Table, standing: &mut Standing) {
    let named = |name: &str| {
        table.rows.iter().find(|row| row.source == Source::Ours && row.name == ours(name))
    };
    let Some(row) = named(&standing.preset) else { return };
    let at = |row: &Row, column: usize| row.cells.get(column).copied().flatten();
    for (column, name) in table.columns.iter().enumerate() {
        let published = table.rows.iter().filter(|row| row.source == Source::Published);
        let best = published.filter_map(|row| at(row, column)).map(|c| c.value).reduce(f64::max);
        let (Some(best), Some(cell)) = (best, at(row, column)) else { continue };
        standing.cells += 1;
        if cell.at_or_above_published {
            standing.at_or_above += 1;
        } else {
            let text = format!("{}, {name}: {:.4} < {best:.4}", table.title, cell.value);
            standing.below.push(text);
        }
        let paper = named("paper").and_then(|row| at(row, column));
        let lower = paper.is_some_and(|paper| {
            rounded(cell.value) < rounded(paper.value - paper.deviation.unwrap_or(0.0))
        });
        standing.below_paper_preset += usize::from(lower);
    }
}
