//! Colours and marks of classes.
//!
//! Colours of middle lightness that hold on white and on black, neighbours in the list far apart in
//! hue *and* lightness. Every dozen of classes has another mark, and the second dozen of colours
//! lies between the first, so that 24 classes differ in colour and 48 in colour or mark. Ranges of
//! numbers have colours of their own, in the order of the rainbow.

/// A colour, red green blue.
pub(crate) type Rgb = [u8; 3];

/// Colours on a light background.
pub(crate) const COLOURS: [Rgb; 24] = [
    [0x2f, 0x6f, 0xd0],
    [0xd9, 0x76, 0x1a],
    [0x1f, 0x91, 0x5f],
    [0xc4, 0x32, 0x5a],
    [0x7d, 0x54, 0xc4],
    [0x8f, 0x8a, 0x12],
    [0x14, 0x93, 0xb0],
    [0xd4, 0x5f, 0xa8],
    [0x86, 0x5a, 0x35],
    [0x6f, 0xa8, 0x2c],
    [0x4e, 0x5a, 0x8c],
    [0xd0, 0x9a, 0x00],
    [0x5b, 0x9b, 0xe0],
    [0x9a, 0x3a, 0x4a],
    [0x3f, 0xae, 0x84],
    [0xe0, 0x7a, 0x62],
    [0x5b, 0x4f, 0xb4],
    [0xb3, 0xa0, 0x4e],
    [0x0f, 0x6f, 0x6d],
    [0xb0, 0x3f, 0xc0],
    [0x3f, 0x7a, 0x2a],
    [0xa0, 0x6a, 0x92],
    [0x5f, 0x8a, 0x94],
    [0xd1, 0x3b, 0x2e],
];

/// Classes that share a mark.
pub(crate) const CLASSES_PER_MARK: usize = 12;

/// Classes that look different from each other.
pub const DISTINCT_CLASSES: usize = CLASSES_PER_MARK * MARKS.len();

/// Colours of ranges of numbers, from the least to the largest.
pub(crate) const SCALE: [Rgb; 8] = [
    [0x4a, 0x4f, 0xc4],
    [0x2f, 0x6f, 0xd0],
    [0x14, 0x88, 0xb4],
    [0x1f, 0x91, 0x5f],
    [0x6f, 0x9a, 0x2c],
    [0xb0, 0x8a, 0x10],
    [0xd9, 0x76, 0x1a],
    [0xd0, 0x40, 0x4a],
];

/// Colour of nodes without a class.
pub(crate) const NO_CLASS: Rgb = [0x8a, 0x8f, 0x98];

/// Shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// Marks in the order classes take them.
pub(crate) const MARKS: [Mark; 4] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond];

/// Colour and mark of a class; `None` for nodes without one.
pub(crate) fn look(class: Option<u32>) -> (Rgb, Mark) {
    match class {
        None => (NO_CLASS, Mark::Circle),
        Some(class) => {
            let class = class as usize;
            (COLOURS[class % COLOURS.len()], MARKS[class / CLASSES_PER_MARK % MARKS.len()])
        }
    }
}

/// Colour as CSS writes it and mark of a class, for other programs that draw: `circle`, `square`,
/// `triangle` or `diamond`; `None` for nodes without a class.
pub fn class_look(class: Option<u32>) -> (String, &'static str) {
    let (colour, mark) = look(class);
    let mark = match mark {
        Mark::Circle => "circle",
        Mark::Square => "square",
        Mark::Triangle => "triangle",
        Mark::Diamond => "diamond",
    };
    (css(colour), mark)
}

/// As CSS writes it.
pub(crate) fn css([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG defines it.
    fn luminance(colour: Rgb) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2])
    }

    #[test]
    fn colours_stand_out_from_white_and_black() {
        for colour in COLOURS.iter().chain(&SCALE).chain([&NO_CLASS]) {
            let light = 1.05 / (luminance(*colour) + 0.05);
            let dark = (luminance(*colour) + 0.05) / (luminance([0x11, 0x15, 0x1c]) + 0.05);
            assert!(light > 2.3 && dark > 2.3, "{}: {light:.2} and {dark:.2}", css(*colour));
        }
    }

    #[test]
    fn forty_eight_classes_look_different() {
        let looks: Vec<(Rgb, Mark)> =
            (0..DISTINCT_CLASSES as u32).map(|class| look(Some(class))).collect();
        assert_eq!(looks.len(), 48);
        for (at, one) in looks.iter().enumerate() {
            assert!(!looks[..at].contains(one));
            // By colour alone up to the 24th.
            assert!(at >= 24 || looks[..at].iter().all(|other| other.0 != one.0));
        }
    }
}
