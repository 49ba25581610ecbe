//! Single cells as numbers, dates and yes or no.

use std::borrow::Cow;

use gage_core::graph::{DateOrder, NumberFormat};

const SECONDS_PER_DAY: f64 = 86_400.0;
const DAYS_PER_YEAR: f64 = 365.2425;
/// Whole numbers that are years, if a column has no others.
const YEARS: std::ops::Range<f64> = 1900.0..2101.0;

/// The number a cell holds, if it is written that way.
pub(crate) fn parse_number(cell: &str, format: NumberFormat) -> Option<f64> {
    match format {
        NumberFormat::Plain => cell.parse().ok(),
        NumberFormat::Grouped => ungrouped(cell, ',', '.')?.parse().ok(),
        NumberFormat::DecimalComma => ungrouped(cell, '.', ',')?.parse().ok(),
    }
}

/// The number in plain form: groups of three digits joined, a point before the fraction.
fn ungrouped(cell: &str, group: char, point: char) -> Option<Cow<'_, str>> {
    let digits = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    let (whole, fraction) = match digits.split_once(point) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.is_some_and(|fraction| !all_digits(fraction)) || whole.is_empty() {
        return None;
    }
    let mut groups = whole.split(group);
    let first = groups.next().filter(|first| all_digits(first) && !first.is_empty())?;
    let grouped = first.len() < whole.len();
    // `0,123` has no thousands.
    if grouped && (first.len() > 3 || first.starts_with('0')) {
        return None;
    }
    if groups.any(|three| three.len() != 3 || !all_digits(three)) {
        return None;
    }
    let plain = |c: char| if c == point { Some('.') } else { (c != group).then_some(c) };
    Some(Cow::Owned(cell.chars().filter_map(plain).collect()))
}

/// Whether a cell says yes or no; letters alone and digits count, too.
pub(crate) fn parse_boolean(cell: &str) -> Option<bool> {
    const WORDS: [(&str, bool); 10] = [
        ("true", true),
        ("false", false),
        ("yes", true),
        ("no", false),
        ("t", true),
        ("f", false),
        ("y", true),
        ("n", false),
        ("1", true),
        ("0", false),
    ];
    if cell.len() > 5 {
        return None;
    }
    WORDS.iter().find(|word| cell.eq_ignore_ascii_case(word.0)).map(|word| word.1)
}

/// Days from the first of January 1970 to the day, and time of it, that a cell names.
pub(crate) fn parse_date(cell: &str, order: DateOrder) -> Option<f64> {
    let (date, time) = match cell.find(['T', ' ']) {
        Some(at) => (&cell[..at], Some(cell[at + 1..].trim())),
        None => (cell, None),
    };
    let separator =
        date.find(|c: char| !c.is_ascii_digit()).and_then(|at| date[at..].chars().next());
    let separator = separator.filter(|c| matches!(c, '-' | '/' | '.'))?;
    let mut parts = date.split(separator);
    let parts = [parts.next()?, parts.next()?, parts.next().filter(|_| true)?];
    if date.matches(separator).count() != 2 {
        return None;
    }
    let [year, month, day] = match order {
        DateOrder::YearFirst => parts,
        DateOrder::DayFirst => [parts[2], parts[1], parts[0]],
        DateOrder::MonthFirst => [parts[2], parts[0], parts[1]],
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
    let days = days_of_civil(number(year)?, number(month)?, number(day)?)?;
    let seconds = time.map_or(Some(0.0), seconds_of_time)?;
    Some(f64::from(days) + seconds / SECONDS_PER_DAY)
}

/// Days since 1970 of a date in the Gregorian calendar (Hinnant, `chrono`-compatible low-level date
/// algorithms: years begin in March, so that the day that is sometimes there is the last).
fn days_of_civil(year: u32, month: u32, day: u32) -> Option<i32> {
    const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = *LENGTHS.get(month.checked_sub(1)? as usize)?;
    if day == 0 || day > length + u32::from(leap && month == 2) {
        return None;
    }
    let year = i32::try_from(year).ok()? - i32::from(month <= 2);
    let (month, day) = (month as i32, day as i32);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Seconds of a time such as `14:05`, `14:05:09.25`, `14:05:09Z` or `14:05+02:00`.
fn seconds_of_time(text: &str) -> Option<f64> {
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text).trim_end();
    let zone = text.rfind(['+', '-']);
    let (clock, zone) = zone.map_or((text, None), |at| (&text[..at], Some(&text[at..])));
    let offset = match zone {
        None => 0.0,
        Some(zone) => {
            let (hours, minutes) = match zone[1..].split_once(':') {
                Some(parts) => parts,
                None => zone[1..].split_at_checked(2)?,
            };
            let minutes = if minutes.is_empty() { "0" } else { minutes };
            let size = 3600.0 * within(hours, 24.0)? + 60.0 * within(minutes, 60.0)?;
            if zone.starts_with('-') { -size } else { size }
        }
    };
    let mut parts = clock.trim_end().split(':');
    let hours = within(parts.next()?, 25.0)?;
    let minutes = within(parts.next()?, 60.0)?;
    let seconds = parts.next().map_or(Some(0.0), |seconds| within(seconds, 61.0))?;
    parts.next().is_none().then_some(3600.0 * hours + 60.0 * minutes + seconds - offset)
}

/// A number of digits, perhaps with a fraction, below a bound.
fn within(text: &str, bound: f64) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = text.parse().ok().filter(|_| plain)?;
    (value < bound).then_some(value)
}

/// Days since 1970 of a time: a date, a year, or seconds or thousandths of them from there on.
pub(crate) fn days_of_time(cell: &str) -> Option<f64> {
    let Ok(number) = cell.parse::<f64>() else { return parse_date(cell, DateOrder::YearFirst) };
    Some(match number {
        _ if !number.is_finite() => return None,
        _ if YEARS.contains(&number) && number.fract() == 0.0 => (number - 1970.0) * DAYS_PER_YEAR,
        _ if number.abs() >= 1e11 => number / 1000.0 / SECONDS_PER_DAY,
        _ => number / SECONDS_PER_DAY,
    })
}

/// Whether a number looks like the time of a clock: whole seconds or thousandths of them between
/// 1990 and 2100, or a year.
pub(crate) fn looks_like_time(cell: &str) -> bool {
    let Ok(number) = cell.parse::<f64>() else {
        return parse_date(cell, DateOrder::YearFirst).is_some();
    };
    const SECONDS: std::ops::Range<f64> = 6.3e8..4.2e9;
    let is_clock = SECONDS.contains(&number) || SECONDS.contains(&(number / 1000.0));
    is_clock || (number.fract() == 0.0 && YEARS.contains(&number))
}

/// Whether a number is a code rather than a quantity: digits after a leading zero.
pub(crate) fn has_leading_zero(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.len() > 1 && bytes[0] == b'0' && bytes.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_three_ways() {
        let grouped = |cell| parse_number(cell, NumberFormat::Grouped);
        assert_eq!(grouped("32,131"), Some(32131.0));
        assert_eq!(grouped("-1,234,567.5"), Some(-1_234_567.5));
        assert_eq!(grouped("12"), Some(12.0));
        for bad in ["3,5", "0,123", "1234,567", "1,23,456", "", "-", "1,234x", "1.2,345"] {
            assert_eq!(grouped(bad), None, "{bad}");
        }
        let comma = |cell| parse_number(cell, NumberFormat::DecimalComma);
        assert_eq!(comma("1.234,5"), Some(1234.5));
        assert_eq!(comma("3,25"), Some(3.25));
        assert_eq!(comma("3.14"), None);
    }

    #[test]
    fn dates_are_days_since_1970() {
        let iso = |cell| parse_date(cell, DateOrder::YearFirst);
        // Python: (date(...) - date(1970, 1, 1)).days
        assert_eq!(iso("1970-01-01"), Some(0.0));
        assert_eq!(iso("2024-02-29"), Some(19782.0));
        assert_eq!(iso("1969/12/31"), Some(-1.0));
        assert_eq!(iso("1900-03-01"), Some(-25508.0));
        assert_eq!(iso("1970-01-02T12:00:00Z"), Some(1.5));
        assert_eq!(iso("1970-01-01 06:00+06:00"), Some(0.0));
        for bad in ["2023-02-29", "2024-13-01", "24-01-01", "2024-01", "2024-01-01 25", "x"] {
            assert_eq!(iso(bad), None, "{bad}");
        }
        assert_eq!(parse_date("31.12.1970", DateOrder::DayFirst), Some(364.0));
        assert_eq!(parse_date("12/31/1970", DateOrder::MonthFirst), Some(364.0));
        assert_eq!(parse_date("31/12/1970", DateOrder::MonthFirst), None);
    }

    #[test]
    fn times_of_clocks_are_told_from_weights() {
        for time in ["1600000000", "1600000000000", "2019", "2019-05-01"] {
            assert!(looks_like_time(time), "{time}");
        }
        for weight in ["1", "0.5", "12345", "1e300", "abc"] {
            assert!(!looks_like_time(weight), "{weight}");
        }
        assert_eq!(days_of_time("1728000000"), Some(2e4));
        assert_eq!(days_of_time("1728000000000"), Some(2e4));
        assert_eq!(days_of_time("2024-10-04"), Some(2e4));
        assert_eq!(days_of_time("soon"), None);
        assert!(has_leading_zero("02134") && !has_leading_zero("0") && !has_leading_zero("0.5"));
    }
}
