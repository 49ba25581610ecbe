//! Which columns of an edge list hold the ends of links, their weights, relations and times.

use gage_core::Hint;

use crate::error::{Origin, Place, ReadError};
use crate::note::Note;
use crate::reading::{
    ColumnOptions, ColumnReading, Examples, Names, Reading, Role, RowKind, listed,
};
use crate::table::cells::looks_like_time;
use crate::table::column_names::{
    ID_NAMES, RELATION_NAMES, SOURCE_NAMES, TARGET_NAMES, TIME_NAMES, WEIGHT_NAMES, known_name,
};
use crate::text::dialect::{RowNumbers, is_number, may_count_rows};

/// Columns of numbers from which on a list without names may be a matrix: links have two ends, and
/// perhaps a weight and a time.
const MATRIX_COLUMNS: usize = 5;

/// What each column is there for.
pub(crate) struct EdgeRoles {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) relation: Option<usize>,
    pub(crate) time: Option<usize>,
    /// why, by column
    whys: Vec<Option<String>>,
    /// what the cells of a column of directions say, if all links are directed
    pub(crate) arcs: bool,
    pub(crate) warnings: Vec<Note>,
}

/// The columns of an edge list, and some of its rows.
pub(crate) struct EdgeTable<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) names: &'a [String],
    /// whether the names stand in the file
    pub(crate) header: bool,
    /// rows without the header
    pub(crate) rows: &'a [Vec<String>],
}

impl EdgeTable<'_> {
    /// Finds them: first those that were named, then those called like what they are, then by
    /// position if there is no header.
    pub(crate) fn roles(&self, options: &ColumnOptions) -> Result<EdgeRoles, ReadError> {
        let (origin, names) = (self.origin, self.names);
        let named = Names { origin, names, several_files: options.several_files };
        let mut taken = vec![false; names.len()];
        let mut given = |wanted: Option<&String>, what: &str| {
            let found = named.find_given(wanted, what)?;
            if let Some(at) = found {
                taken[at] = true;
            }
            Ok(found)
        };
        let source = given(options.source.as_ref(), "where links begin")?;
        let target = given(options.target.as_ref(), "where links end")?;
        let weight = given(options.weight.as_ref(), "with weights")?;
        let relation = given(options.relation.as_ref(), "with relations")?;
        let time = given(options.time.as_ref(), "with times")?;
        let mut whys: Vec<Option<String>> = vec![None; names.len()];
        for name in &options.ignore {
            // Columns of the attribute table may be named here as well.
            if let Some(at) = names.iter().position(|own| own == name) {
                taken[at] = true;
                whys[at] = Some("as said".to_owned());
            }
        }
        let mut roles = EdgeRoles {
            source: 0,
            target: 1,
            weight,
            relation,
            time,
            whys,
            arcs: false,
            warnings: Vec::new(),
        };
        for at in (0..names.len()).filter(|_| self.header) {
            let mut cells = self.rows.iter().filter_map(|row| row.get(at));
            let counted = cells.try_fold(RowNumbers::default(), |all, cell| all.followed_by(cell));
            if !taken[at] && may_count_rows(&names[at]) && counted.is_some() {
                taken[at] = true;
                roles.whys[at] = Some("row numbers".to_owned());
            }
        }
        self.by_name(&mut roles, &mut taken);
        self.refuse_matrix(source, target)?;
        (roles.source, roles.target) = self.ends(source, target, &mut roles, &mut taken)?;
        if roles.source == roles.target {
            let found = format!("column `{}` for both ends", names[roles.source]);
            return Err(self.error(found, "two columns of ends", Hint::LinkEnds));
        }
        self.by_content(&mut roles, options, &taken);
        self.directions(&mut roles);
        Ok(roles)
    }

    fn error(&self, found: String, expected: &str, hint: impl Into<Hint>) -> ReadError {
        ReadError::malformed(self.origin, Place::File, found, expected, hint)
    }

    /// Refuses many columns of numbers that nothing names: they may be a matrix as well as links.
    fn refuse_matrix(&self, source: Option<usize>, target: Option<usize>) -> Result<(), ReadError> {
        let width = self.names.len();
        let numbers = || self.rows.iter().flatten().all(|cell| is_number(cell));
        let said = self.header || source.is_some() || target.is_some();
        if said || width < MATRIX_COLUMNS || self.rows.len() < 2 || !numbers() {
            return Ok(());
        }
        let found = format!("{width} columns of numbers without names, and two readings are");
        let found = format!("{found} plausible: a matrix, or links in the first two columns");
        let expected = "an edge list, or a matrix in a file of its own format (.npy, .npz, .mtx)";
        Err(self.error(found, expected, Hint::LinkEnds))
    }

    /// Weight, relation and time by their names.
    fn by_name(&self, roles: &mut EdgeRoles, taken: &mut [bool]) {
        if !self.header {
            return;
        }
        let mut find = |role: &mut Option<usize>, known: &[&str]| {
            if role.is_some() {
                return;
            }
            let found = known.iter().find_map(|wanted| {
                (0..self.names.len())
                    .find(|&at| !taken[at] && known_name(&self.names[at]) == *wanted)
            });
            if let Some(at) = found {
                taken[at] = true;
                *role = Some(at);
            }
        };
        find(&mut roles.weight, &WEIGHT_NAMES);
        find(&mut roles.relation, &RELATION_NAMES);
        find(&mut roles.time, &TIME_NAMES);
    }

    /// The two ends: said, called like ends, or the only two columns there are.
    fn ends(
        &self,
        source: Option<usize>,
        target: Option<usize>,
        roles: &mut EdgeRoles,
        taken: &mut [bool],
    ) -> Result<(usize, usize), ReadError> {
        let find = |known: &[&str], taken: &[bool]| {
            (0..self.names.len()).find(|&at| {
                self.header && !taken[at] && known.contains(&known_name(&self.names[at]).as_str())
            })
        };
        let source = source.or_else(|| find(&SOURCE_NAMES, taken));
        source.into_iter().for_each(|at| taken[at] = true);
        let target = target.or_else(|| find(&TARGET_NAMES, taken));
        target.into_iter().for_each(|at| taken[at] = true);
        if let (Some(source), Some(target)) = (source, target) {
            return Ok((source, target));
        }
        let is_id =
            |at: usize| self.header && ID_NAMES.contains(&known_name(&self.names[at]).as_str());
        let mut left: Vec<usize> = (0..self.names.len()).filter(|&at| !taken[at]).collect();
        if left.len() > 2 && source.is_none() && target.is_none() {
            left.retain(|&at| !is_id(at));
        }
        let ends = match (source, target, &left[..]) {
            (Some(source), None, [target]) => (source, *target),
            (None, Some(target), [source]) => (*source, target),
            (None, None, [source, target]) => (*source, *target),
            (None, None, [first, second, third, ..]) if !self.header => {
                match self.third_is_an_end(*first, *second, *third)? {
                    true => {
                        roles.relation = roles.relation.or(Some(*second));
                        roles.whys[*second] = Some("between the ends".to_owned());
                        (*first, *third)
                    }
                    false => (*first, *second),
                }
            }
            _ => {
                let found = format!("the columns {}", listed(self.names));
                let expected = "columns called `source` and `target`, or only two columns";
                return Err(self.error(found, expected, Hint::LinkEnds));
            }
        };
        taken[ends.0] = true;
        taken[ends.1] = true;
        Ok(ends)
    }

    /// Whether the middle one of three columns of names tells the relation, as in triples: its
    /// values are no ids of the first column, but those of the third are. Refuses if both or
    /// neither are.
    fn third_is_an_end(
        &self,
        first: usize,
        second: usize,
        third: usize,
    ) -> Result<bool, ReadError> {
        let cells = |at: usize| self.rows.iter().filter_map(move |row| row.get(at));
        let text = |at: usize| {
            cells(at).any(|cell| !is_number(cell) && !looks_like_time(cell) && !cell.is_empty())
        };
        if !text(second) || !text(third) {
            return Ok(false);
        }
        let ids: std::collections::HashSet<&String> = cells(first).collect();
        let [middle, last] = [second, third].map(|at| cells(at).any(|cell| ids.contains(cell)));
        match (middle, last) {
            (true, false) => Ok(false),
            (false, true) => Ok(true),
            _ => {
                let row = self.rows.first().cloned().unwrap_or_default();
                let found = format!("three columns of names such as {}, and", listed(&row));
                let found = format!("{found} two readings are plausible: the second column is");
                let found = format!("{found} the other end, or the third is");
                Err(self.error(found, "two columns of ends", Hint::LinkEnds))
            }
        }
    }

    /// Weight and time of a list without header, by their cells.
    fn by_content(&self, roles: &mut EdgeRoles, options: &ColumnOptions, taken: &[bool]) {
        if self.header {
            return;
        }
        let present = |at: usize| {
            let cells = self.rows.iter().filter_map(move |row| row.get(at));
            cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        for at in (0..self.names.len()).filter(|&at| !taken[at]) {
            if at == roles.source || at == roles.target || Some(at) == roles.relation {
                continue;
            }
            let cells = present(at);
            // A line without its weight is said further on, not a reason to ignore all weights.
            let usual = 2 * cells.len() > self.rows.len();
            if !usual || roles.weight == Some(at) {
                continue;
            }
            if cells.iter().all(|cell| looks_like_time(cell)) {
                if roles.time.is_none() {
                    roles.time = Some(at);
                    roles.whys[at] = Some("looks like times".to_owned());
                }
            } else if at == 2 && roles.weight.is_none() && cells.iter().all(|cell| is_number(cell))
            {
                roles.weight = Some(at);
            }
        }
        if let (Some(time), None, None) = (roles.time, roles.weight, options.half_life) {
            let column = self.names[time].clone();
            let text = format!("{}: `{column}` looks like times, not weights", self.origin);
            roles.warnings.push(Note { text, hint: Some(Hint::WeightColumn(column)) });
        }
    }

    /// Gephi writes `Directed` or `Undirected` in a column `Type`, which is no relation.
    fn directions(&self, roles: &mut EdgeRoles) {
        let Some(at) = roles.relation.filter(|_| !self.rows.is_empty()) else { return };
        let cells = || self.rows.iter().filter_map(|row| row.get(at));
        let all = |word: &str| cells().all(|cell| cell.eq_ignore_ascii_case(word));
        let known = |cell: &String| {
            ["directed", "undirected", "mutual"].iter().any(|word| cell.eq_ignore_ascii_case(word))
        };
        if cells().all(known) {
            roles.arcs = all("directed");
            roles.relation = None;
            roles.whys[at] = Some("says whether links have a direction".to_owned());
        }
    }
}

impl EdgeRoles {
    /// What was taken as what.
    pub(crate) fn reading(
        &self,
        table: &EdgeTable<'_>,
        separator: Option<&'static str>,
        half_life: Option<f64>,
    ) -> Reading {
        let column = |at: usize| {
            let role = match at {
                _ if at == self.source => Role::Source,
                _ if at == self.target => Role::Target,
                _ if Some(at) == self.weight => Role::Weight,
                _ if Some(at) == self.relation => Role::Relation,
                _ if Some(at) == self.time => Role::Time,
                _ => Role::Ignored,
            };
            let why = match (role, half_life) {
                (Role::Time, Some(days)) => Some(format!("half-life {days} days")),
                (Role::Time, None) => Some(match &self.whys[at] {
                    Some(why) => format!("{why}, ignored"),
                    None => "ignored".to_owned(),
                }),
                (Role::Relation, _) => Some("a view for each".to_owned()),
                _ => self.whys[at].clone(),
            };
            let examples = Examples::of(table.rows, at);
            ColumnReading {
                name: table.names[at].clone(),
                role,
                examples,
                why,
                ..Default::default()
            }
        };
        Reading {
            origin: table.origin.to_string(),
            rows: RowKind::Links,
            header: table.header,
            separator,
            columns: (0..table.names.len()).map(column).collect(),
        }
    }
}
