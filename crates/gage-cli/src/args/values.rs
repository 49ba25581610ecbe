//! Values as they are typed: columns, sizes of memory, times.

use std::time::Duration;

use gage_embed::{Columns, Dimension};

/// `64`, `auto` or `auto:0.95`: a number of columns, or how to choose it.
pub(crate) fn columns(text: &str) -> Result<Columns, String> {
    let expected = "expected a number, `auto`, or `auto:SHARE` with a share between 0 and 1";
    if text == "auto" {
        return Ok(Columns::Energy(Dimension::DEFAULT_ENERGY));
    }
    if let Some(share) = text.strip_prefix("auto:") {
        let share: Option<f64> = share.parse().ok().filter(|s| *s > 0.0 && *s < 1.0);
        return share.map(Columns::Energy).ok_or_else(|| expected.to_owned());
    }
    let columns = text.parse().ok().filter(|&columns: &usize| columns > 0);
    columns.map(Columns::Fixed).ok_or_else(|| expected.to_owned())
}

/// `512MiB`, `4G`, `2000000000`: bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "k" | "kib" => 1024.0,
        "m" | "mib" => f64::from(1 << 20),
        "g" | "gib" => f64::from(1 << 30),
        _ => return Err(format!("`{unit}` is no unit of memory; use KiB, MiB, GiB, KB, MB or GB")),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * factor) as u64),
        _ => Err("give a number and a unit, for example 4GiB".to_owned()),
    }
}

/// A time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds, at least 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_a_number_or_a_rule() {
        assert_eq!(columns("64"), Ok(Columns::Fixed(64)));
        assert_eq!(columns("auto"), Ok(Columns::Energy(0.9)));
        assert_eq!(columns("auto:0.5"), Ok(Columns::Energy(0.5)));
        for bad in ["0", "-3", "auto:1", "auto:x", "many"] {
            assert!(columns(bad).is_err(), "{bad}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(["-1", "nan", "x"].iter().all(|bad| seconds(bad).is_err()));
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("512MiB"), Ok(512 << 20));
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("1.5kb"), Ok(1500));
        assert!(["", "x", "0", "-1", "4XB"].iter().all(|bad| size(bad).is_err()));
    }
}
