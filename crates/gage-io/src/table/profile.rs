//! What the cells of a column look like, and how it is to be encoded.

use std::collections::BTreeSet;

use gage_core::Hint;
use gage_core::graph::NumberFormat::{DecimalComma, Grouped, Plain};
use gage_core::graph::{ColumnKind, DateOrder, NumberFormat};

use crate::error::{Origin, Place, ReadError, excerpt};
use crate::note::{Note, first_few};
use crate::reading::CellKind;
use crate::table::cells::{has_leading_zero, parse_boolean, parse_date, parse_number};
use crate::table::column_names::is_code;
use crate::table::vocabulary::WordCounts;
use crate::text::dialect::{RowNumbers, is_missing, may_count_rows};

/// Categories a column may have.
const MAX_CATEGORIES: usize = 1000;
/// Whole numbers that are so few may be codes.
const FEW: usize = 20;
const ORDERS: [DateOrder; 3] = [DateOrder::YearFirst, DateOrder::DayFirst, DateOrder::MonthFirst];

/// A reading of cells as numbers that all of them have allowed so far, with mean and spread.
#[derive(Clone, Copy)]
struct Moments {
    possible: bool,
    count: usize,
    mean: f64,
    spread: f64,
}

impl Moments {
    const NEW: Moments = Moments { possible: true, count: 0, mean: 0.0, spread: 0.0 };

    fn add(&mut self, number: Option<f64>) {
        let Some(number) = number else {
            self.possible = false;
            return;
        };
        self.count += 1;
        let off = number - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (number - self.mean);
    }

    fn deviation(&self) -> f64 {
        (self.spread / self.count as f64).sqrt()
    }
}

/// What the cells of one column look like, so far.
pub(crate) struct Profile {
    pub(crate) name: String,
    /// what somebody said that its cells are
    said: Option<CellKind>,
    present: usize,
    /// cells such as `NA`, which are missing unless the column is text
    not_available: usize,
    /// plain numbers, or ones in which commas group thousands
    numbers: Moments,
    grouped: bool,
    /// numbers with a comma before the fraction
    comma: Moments,
    dates: [Moments; 3],
    /// the number of the next row, while the cells of a column without a name count them
    row_numbers: Option<RowNumbers>,
    /// the unit of the first number that has one, and how many have it
    unit: Option<(String, usize)>,
    /// cells that are plain numbers, among them those before the first that is none
    plain: usize,
    plain_before: usize,
    whole: bool,
    codes: bool,
    boolean: bool,
    not_finite: Option<(u64, String)>,
    /// the first cell that is no plain number
    first_other: Option<(u64, String)>,
    /// distinct values, up to one more than a category column may have
    distinct: BTreeSet<String>,
    words: WordCounts,
}

/// What a cell has before or behind a number: a sign for money, `%`, or up to three letters.
fn unit_of(cell: &str) -> Option<&str> {
    let is_plain =
        |text: &str| text.parse::<f64>().is_ok() || parse_number(text, Grouped).is_some();
    let money = ['$', '\u{20ac}', '\u{a3}', '\u{a5}'];
    if let Some(number) = cell.strip_prefix(money) {
        return is_plain(number.trim()).then(|| &cell[..cell.len() - number.len()]);
    }
    let behind =
        cell.trim_end_matches(|c: char| c.is_alphabetic() || c == '%' || money.contains(&c));
    let unit = &cell[behind.len()..];
    let short = (1..=3).contains(&unit.chars().count());
    (short && is_plain(behind.trim())).then_some(unit)
}

/// Few different whole numbers in a column.
pub(crate) struct MaybeCodes {
    pub(crate) column: String,
    /// how many, and the first of them
    count: usize,
    values: String,
}

/// One warning for all columns of a table that may hold codes, however many they are.
pub(crate) fn codes_warning(origin: &Origin, columns: &[MaybeCodes]) -> Option<Note> {
    let first = columns.first()?;
    let MaybeCodes { column, count, values } = first;
    let text = if columns.len() == 1 {
        let text = format!("{origin}: column `{column}` holds {count} whole numbers ({values}), ");
        text + "which may be codes; read as a number"
    } else {
        let names: Vec<&str> = columns.iter().map(|one| one.column.as_str()).collect();
        let (number, names) = (columns.len(), first_few(&names));
        let text = format!("{origin}: {number} columns hold few different whole numbers, which ");
        text + &format!("may be codes; read as numbers: {names} (`{column}`: {values})")
    };
    let hint = Hint::ColumnKind { column: column.clone(), kinds: "category" };
    Some(Note { text, hint: Some(hint) })
}

/// How a column is to be encoded, and why.
pub(crate) struct Decision {
    /// nothing for columns that are left out
    pub(crate) kind: Option<ColumnKind>,
    pub(crate) why: Option<String>,
    pub(crate) warning: Option<Note>,
    /// the values of a column of numbers that may be codes
    pub(crate) maybe_codes: Option<MaybeCodes>,
    /// whether the words of all its cells still have to be counted
    pub(crate) recount: bool,
}

impl Decision {
    fn kind(kind: ColumnKind) -> Decision {
        Decision { kind: Some(kind), why: None, warning: None, maybe_codes: None, recount: false }
    }

    fn left_out(why: impl Into<String>) -> Decision {
        let why = Some(why.into());
        Decision { kind: None, why, warning: None, maybe_codes: None, recount: false }
    }

    fn because(self, why: impl Into<String>) -> Decision {
        Decision { why: Some(why.into()), ..self }
    }

    fn warning(self, text: String, hint: Hint) -> Decision {
        Decision { warning: Some(Note { text, hint: Some(hint) }), ..self }
    }
}

/// The name by which a reading calls the encoding of a column.
pub(crate) fn cell_kind(kind: &ColumnKind) -> CellKind {
    match kind {
        ColumnKind::Number { .. } => CellKind::Number,
        ColumnKind::Date { .. } => CellKind::Date,
        ColumnKind::Boolean => CellKind::Boolean,
        ColumnKind::Category { .. } => CellKind::Category,
        ColumnKind::Text { .. } => CellKind::Words,
    }
}

impl Profile {
    pub(crate) fn new(name: String, said: Option<CellKind>) -> Profile {
        Profile {
            row_numbers: may_count_rows(&name).then_some(RowNumbers::default()),
            name,
            said,
            present: 0,
            not_available: 0,
            numbers: Moments::NEW,
            grouped: false,
            comma: Moments::NEW,
            dates: [Moments::NEW; 3],
            unit: None,
            plain: 0,
            plain_before: 0,
            whole: true,
            codes: false,
            boolean: true,
            not_finite: None,
            first_other: None,
            distinct: BTreeSet::new(),
            words: WordCounts::default(),
        }
    }

    pub(crate) fn add(&mut self, line: u64, cell: &str) {
        self.row_numbers = self.row_numbers.take().and_then(|numbers| numbers.followed_by(cell));
        if cell.is_empty() {
            return;
        }
        if is_missing(cell) {
            self.not_available += 1;
            return;
        }
        self.present += 1;
        if self.distinct.len() <= MAX_CATEGORIES && !self.distinct.contains(cell) {
            self.distinct.insert(cell.to_owned());
        }
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => self.add_number(cell, number),
            Ok(number) => {
                self.not_finite.get_or_insert((line, number.to_string()));
            }
            Err(_) => self.add_other(line, cell),
        }
        if self.first_other.is_some() {
            self.words.add(cell);
        }
    }

    fn add_number(&mut self, cell: &str, number: f64) {
        self.plain += 1;
        self.plain_before += usize::from(self.first_other.is_none());
        self.numbers.add(Some(number));
        if self.comma.possible {
            // `1.234` has no fraction if the comma stands before one.
            let points = cell.contains('.');
            let number = if points { parse_number(cell, DecimalComma) } else { Some(number) };
            self.comma.add(number);
        }
        self.dates.iter_mut().for_each(|date| date.possible = false);
        self.whole &= number.fract() == 0.0;
        self.codes |= has_leading_zero(cell);
        self.boolean &= matches!(cell, "0" | "1");
    }

    fn add_other(&mut self, line: u64, cell: &str) {
        if let Some(unit) = unit_of(cell) {
            match &mut self.unit {
                Some((known, count)) => *count += usize::from(known == unit),
                none => *none = Some((unit.to_owned(), 1)),
            }
        }
        self.first_other.get_or_insert_with(|| (line, cell.to_owned()));
        if self.numbers.possible {
            self.numbers.add(parse_number(cell, Grouped));
            self.grouped = true;
        }
        if self.comma.possible {
            self.comma.add(parse_number(cell, DecimalComma));
        }
        for (moments, order) in self.dates.iter_mut().zip(ORDERS) {
            if moments.possible {
                moments.add(parse_date(cell, order));
            }
        }
        self.boolean &= parse_boolean(cell).is_some();
    }

    /// How the column is to be encoded; an error if two readings of it are plausible.
    pub(crate) fn decide(self, origin: &Origin, semicolons: bool) -> Result<Decision, ReadError> {
        if self.present == 0 && !(self.not_available > 0 && self.said == Some(CellKind::Words)) {
            return Ok(Decision::left_out("empty"));
        }
        if let Some(said) = self.said {
            return self.decide_as(origin, said);
        }
        if self.distinct.len() == 1 {
            return Ok(Decision::left_out("the same value everywhere"));
        }
        if self.row_numbers.is_some() {
            return Ok(Decision::left_out("row numbers"));
        }
        if self.first_other.is_none() {
            return self.numeric(origin);
        }
        if self.grouped && self.numbers.possible {
            if self.comma.possible && semicolons {
                return Err(self.ambiguous(
                    origin,
                    "thousands, or a fraction after the comma",
                    [CellKind::Number, CellKind::DecimalComma],
                ));
            }
            return Ok(self.number(Grouped).because("commas group thousands"));
        }
        if self.comma.possible {
            return Ok(self.number(DecimalComma).because("a comma before the fraction"));
        }
        if self.boolean && self.one_family() {
            return Ok(Decision::kind(ColumnKind::Boolean));
        }
        if let Some(order) = self.date_order(origin)? {
            return Ok(self.date(order));
        }
        Ok(self.category_or_words())
    }

    /// What somebody said it is.
    fn decide_as(self, origin: &Origin, said: CellKind) -> Result<Decision, ReadError> {
        let constant = self.distinct.len() == 1;
        let expected = match said {
            CellKind::Ignored => return Ok(Decision::left_out("as said")),
            CellKind::Words => return Ok(Decision { recount: true, ..self.text() }),
            CellKind::Category if self.distinct.len() > MAX_CATEGORIES => {
                let found = format!("more than {MAX_CATEGORIES} values in column `{}`", self.name);
                let remedy = "leave the column out, or read it as words";
                let expected = format!("at most {MAX_CATEGORIES} categories");
                return Err(ReadError::too_large(origin, Place::File, found, expected, remedy));
            }
            _ if constant => return Ok(Decision::left_out("the same value everywhere")),
            CellKind::Category => return Ok(self.category()),
            CellKind::Boolean if self.boolean => return Ok(Decision::kind(ColumnKind::Boolean)),
            CellKind::Number if self.first_other.is_none() => return self.decide_number(origin),
            CellKind::Number if self.numbers.possible => return Ok(self.number(Grouped)),
            CellKind::DecimalComma if self.comma.possible => return Ok(self.number(DecimalComma)),
            CellKind::DateDmy if self.dates[1].possible => return Ok(self.date(ORDERS[1])),
            CellKind::DateMdy if self.dates[2].possible => return Ok(self.date(ORDERS[2])),
            CellKind::Date => match self.date_order(origin)? {
                Some(order) => return Ok(self.date(order)),
                None => "dates, such as 2024-12-31",
            },
            CellKind::Number => "numbers, as was said",
            CellKind::DecimalComma => "numbers such as 1.234,5, as was said",
            CellKind::Boolean => "yes or no, true or false, as was said",
            CellKind::DateDmy => "dates such as 31/12/2024, as was said",
            CellKind::DateMdy => "dates such as 12/31/2024, as was said",
        };
        let (place, found) = match &self.first_other {
            Some((line, cell)) => {
                let cell = excerpt(cell.as_bytes());
                (Place::Cell(*line, self.name.as_str().into()), cell)
            }
            None => (Place::entry(format!("column `{}`", self.name)), "plain numbers".to_owned()),
        };
        let remedy = "correct the cell, or say another kind";
        Err(ReadError::malformed(origin, place, found, expected, remedy))
    }

    /// A column in which all cells are plain numbers, of which some are none really.
    fn numeric(self, origin: &Origin) -> Result<Decision, ReadError> {
        let code = is_code(&self.name);
        if self.whole && (self.codes || code) && self.not_finite.is_none() {
            let why = if self.codes { "digits after a leading zero" } else { "called like a code" };
            if self.distinct.len() > MAX_CATEGORIES || self.distinct.len() == self.present {
                let text = format!("column `{}` holds codes ({why}) that tell no", self.name);
                let text = format!("{text} groups of rows, and is left out");
                let hint = Hint::ColumnKind { column: self.name, kinds: "number" };
                return Ok(Decision::left_out(format!("codes, {why}")).warning(text, hint));
            }
            return Ok(self.category().because(why));
        }
        let (few, present) = (self.distinct.len(), self.present);
        let binary = self.distinct.iter().all(|value| matches!(value.as_str(), "0" | "1"));
        if self.whole && few <= FEW && 3 * few <= present && !binary && present >= 10 {
            let values: Vec<&str> = self.distinct.iter().map(String::as_str).take(6).collect();
            let (column, values) = (self.name.clone(), values.join(", "));
            let maybe_codes = Some(MaybeCodes { column, count: few, values });
            return Ok(Decision { maybe_codes, ..self.decide_number(origin)? });
        }
        self.decide_number(origin)
    }

    fn decide_number(self, origin: &Origin) -> Result<Decision, ReadError> {
        if let Some((line, found)) = self.not_finite {
            let place = Place::Cell(line, self.name.into());
            let remedy = "replace it by a number, or leave the cell empty if it is missing";
            return Err(ReadError::not_finite(origin, place, found, remedy));
        }
        Ok(self.number(Plain))
    }

    fn number(&self, format: NumberFormat) -> Decision {
        let moments = if format == DecimalComma { &self.comma } else { &self.numbers };
        let (mean, deviation) = (moments.mean, moments.deviation());
        if deviation <= 0.0 {
            return Decision::left_out("the same value everywhere");
        }
        Decision::kind(ColumnKind::Number { mean, deviation, format })
    }

    fn date(&self, order: DateOrder) -> Decision {
        let at = ORDERS.iter().position(|known| *known == order).unwrap_or(0);
        let (mean, deviation) = (self.dates[at].mean, self.dates[at].deviation());
        if deviation <= 0.0 {
            return Decision::left_out("the same value everywhere");
        }
        let because = match order {
            DateOrder::YearFirst => {
                return Decision::kind(ColumnKind::Date { mean, deviation, order });
            }
            DateOrder::DayFirst => "day before month",
            DateOrder::MonthFirst => "month before day",
        };
        Decision::kind(ColumnKind::Date { mean, deviation, order }).because(because)
    }

    /// The order of the parts of dates, if all cells are dates; an error if two orders fit.
    fn date_order(&self, origin: &Origin) -> Result<Option<DateOrder>, ReadError> {
        let fits = |at: usize| self.dates[at].possible && self.dates[at].count > 0;
        match (fits(0), fits(1), fits(2)) {
            (true, _, _) => Ok(Some(ORDERS[0])),
            (_, true, true) => {
                let kinds = [CellKind::DateDmy, CellKind::DateMdy];
                Err(self.ambiguous(origin, "day or month first", kinds))
            }
            (_, true, _) => Ok(Some(ORDERS[1])),
            (_, _, true) => Ok(Some(ORDERS[2])),
            _ => Ok(None),
        }
    }

    fn ambiguous(&self, origin: &Origin, readings: &str, kinds: [CellKind; 2]) -> ReadError {
        let (line, cell) = self.first_other.clone().unwrap_or_default();
        let found = format!("{}, and two readings are plausible", excerpt(cell.as_bytes()));
        let place = Place::Cell(line, self.name.as_str().into());
        let column = self.name.clone();
        let kinds = match kinds {
            [CellKind::DateDmy, _] => "date-dmy or date-mdy",
            _ => "number or decimal-comma",
        };
        let hint = Hint::ColumnKind { column, kinds };
        ReadError::malformed(origin, place, found, format!("one of them: {readings}"), hint)
    }

    /// Whether the words for yes and no are of one kind, and say both.
    fn one_family(&self) -> bool {
        let said = |wanted: &[&str]| {
            self.distinct.iter().any(|v| wanted.iter().any(|word| v.eq_ignore_ascii_case(word)))
        };
        let both = [true, false]
            .map(|wanted| self.distinct.iter().any(|value| parse_boolean(value) == Some(wanted)));
        // Single letters of both families are letters.
        both == [true, true] && !(said(&["t", "f"]) && said(&["y", "n"]))
    }

    fn category(self) -> Decision {
        let values = self.distinct.into_iter().collect();
        Decision::kind(ColumnKind::Category { values })
    }

    fn text(self) -> Decision {
        let (texts, words) = self.words.vocabulary();
        Decision::kind(ColumnKind::Text { texts, words })
    }

    fn category_or_words(self) -> Decision {
        let (count, present) = (self.distinct.len(), self.present);
        // Each number has one word.
        let words = self.words.total() + self.plain_before;
        let single = 2 * words < 3 * present;
        let repeats = count < present && (single || 2 * count <= present + 2);
        let doubt = self.doubt();
        let decision = if count <= MAX_CATEGORIES && repeats {
            self.category()
        } else {
            // `NA` is a word of a text, and numbers before the first word are, too.
            let recount = self.plain_before > 0 || self.not_available > 0;
            Decision { recount, ..self.text() }
        };
        Decision { warning: doubt, ..decision }
    }

    /// Whether the cells look like ids: texts of a word or so, each of which stands once.
    pub(crate) fn tells_rows_apart(&self) -> bool {
        let numbers = self.plain > 0 || self.numbers.possible || self.comma.possible;
        let dates = self.dates.iter().any(|date| date.possible);
        let words = 2 * self.words.total() <= 3 * self.present;
        self.said.is_none()
            && self.present > 2
            && self.distinct.len() == self.present.min(MAX_CATEGORIES + 1)
            && !numbers
            && !dates
            && words
    }

    /// A column of numbers but for a few cells, or of numbers with a unit.
    fn doubt(&self) -> Option<Note> {
        let column = self.name.clone();
        if let Some((unit, count)) = self.unit.as_ref().filter(|u| 10 * u.1 >= 9 * self.present) {
            let text = format!("column `{column}` is read as text, though {count} of");
            let text = format!("{text} {} cells are numbers with `{unit}`", self.present);
            return Some(Note { text, hint: Some("write numbers alone if they are meant".into()) });
        }
        if 2 * self.plain >= self.present {
            let (line, cell) = self.first_other.clone()?;
            let (plain, present, cell) = (self.plain, self.present, excerpt(cell.as_bytes()));
            let text = format!("column `{column}` is read as text, though {plain} of {present}");
            let text =
                format!("{text} cells are numbers; the first that is none is {cell} on line");
            let hint = Some(Hint::ColumnKind { column, kinds: "number" });
            return Some(Note { text: format!("{text} {line}"), hint });
        }
        None
    }
}
