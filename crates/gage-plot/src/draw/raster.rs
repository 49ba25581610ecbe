//! Drawing points and text into pixels.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use rayon::prelude::*;

use super::palette::{Mark, Rgb};

/// An opaque picture.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<[f32; 3]>,
}

/// A point to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dot {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) radius: f32,
    pub(crate) colour: Rgb,
    pub(crate) mark: Mark,
    pub(crate) opacity: f32,
}

/// Rows of pixels that one thread draws.
const BAND: usize = 32;

impl Canvas {
    pub(crate) fn new(width: usize, height: usize, background: Rgb) -> Canvas {
        Canvas { width, height, pixels: vec![background.map(f32::from); width * height] }
    }

    /// Draws dots in their order. Bands of rows are drawn at once, each with all the dots that
    /// touch it.
    pub(crate) fn dots(&mut self, dots: &[Dot]) {
        let bands = self.height.div_ceil(BAND);
        let mut of_band: Vec<Vec<u32>> = vec![Vec::new(); bands];
        for (at, dot) in dots.iter().enumerate() {
            let reach = dot.radius + 2.0;
            let first = ((dot.y - reach).max(0.0) as usize / BAND).min(bands.saturating_sub(1));
            let last = ((dot.y + reach).max(0.0) as usize / BAND).min(bands.saturating_sub(1));
            (first..=last).for_each(|band| of_band[band].push(at as u32));
        }
        let width = self.width;
        self.pixels.par_chunks_mut(BAND * width).zip(of_band).enumerate().for_each(
            |(band, (pixels, list))| {
                for at in list {
                    draw(&dots[at as usize], pixels, width, band * BAND);
                }
            },
        );
    }

    /// Draws text with its left edge at `x` and its middle at `y`; returns its width. With a halo
    /// it stays readable on top of points.
    pub(crate) fn text(
        &mut self,
        x: f32,
        y: f32,
        text: &str,
        colour: Rgb,
        halo: Option<Rgb>,
        large: bool,
    ) {
        let height = if large { RasterHeight::Size20 } else { RasterHeight::Size16 };
        // On top of points letters need more strength.
        let weight = if halo.is_some() { FontWeight::Bold } else { FontWeight::Regular };
        let step = get_raster_width(weight, height);
        let top = y as isize - height.val() as isize / 2;
        for (pass, colour) in halo.into_iter().map(|h| (true, h)).chain([(false, colour)]) {
            for (at, letter) in text.chars().enumerate() {
                let glyph =
                    get_raster(letter, weight, height).or_else(|| get_raster('?', weight, height));
                let Some(glyph) = glyph else { continue };
                let left = x as isize + (at * step) as isize;
                for (row, line) in glyph.raster().iter().enumerate() {
                    for (col, &strength) in line.iter().enumerate() {
                        let place = (left + col as isize, top + row as isize);
                        self.letter_pixel(place, f32::from(strength) / 255.0, colour, pass);
                    }
                }
            }
        }
    }

    fn letter_pixel(&mut self, (x, y): (isize, isize), strength: f32, colour: Rgb, halo: bool) {
        if strength <= 0.0 {
            return;
        }
        if !halo {
            return self.blend(x, y, strength, colour);
        }
        for (dx, dy) in (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
            if dx * dx + dy * dy <= 5 {
                self.blend(x + dx, y + dy, 0.8 * strength, colour);
            }
        }
    }

    fn blend(&mut self, x: isize, y: isize, strength: f32, colour: Rgb) {
        if x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height {
            mix(&mut self.pixels[y as usize * self.width + x as usize], strength, colour);
        }
    }

    /// The picture as bytes, red green blue.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pixels.iter().flatten().map(|&value| value.round().clamp(0.0, 255.0) as u8).collect()
    }
}

/// Width of a text in pixels.
pub(crate) fn text_width(text: &str, large: bool) -> f32 {
    let height = if large { RasterHeight::Size20 } else { RasterHeight::Size16 };
    (text.chars().count() * get_raster_width(FontWeight::Regular, height)) as f32
}

fn mix(pixel: &mut [f32; 3], strength: f32, colour: Rgb) {
    for (value, to) in pixel.iter_mut().zip(colour) {
        *value += strength * (f32::from(to) - *value);
    }
}

/// Draws the part of a dot that lies in rows of pixels starting at `top`.
fn draw(dot: &Dot, pixels: &mut [[f32; 3]], width: usize, top: usize) {
    let rows = pixels.len() / width;
    let reach = dot.radius * 1.5 + 1.0;
    let low = |value: f32, most: usize| (value.floor().max(0.0) as usize).min(most);
    let (left, right) = (low(dot.x - reach, width), low(dot.x + reach + 1.0, width));
    let first = low(dot.y - reach - top as f32, rows);
    let last = low(dot.y + reach + 1.0 - top as f32, rows);
    for row in first..last {
        for col in left..right {
            let (dx, dy) = (col as f32 + 0.5 - dot.x, (row + top) as f32 + 0.5 - dot.y);
            let cover = (0.5 - outside(dot.mark, dx, dy, dot.radius)).clamp(0.0, 1.0);
            if cover > 0.0 {
                mix(&mut pixels[row * width + col], cover * dot.opacity, dot.colour);
            }
        }
    }
}

/// How far a place lies outside a mark, in pixels; the marks have about equal areas.
fn outside(mark: Mark, x: f32, y: f32, radius: f32) -> f32 {
    match mark {
        Mark::Circle => (x * x + y * y).sqrt() - radius,
        Mark::Square => x.abs().max(y.abs()) - 0.886 * radius,
        Mark::Diamond => (x.abs() + y.abs()) * std::f32::consts::FRAC_1_SQRT_2 - 0.886 * radius,
        // Point upwards: inside three lines at equal distance from the middle.
        Mark::Triangle => y.max(0.866 * x.abs() - 0.5 * y) - 0.777 * radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(x: f32, y: f32, mark: Mark) -> Dot {
        Dot { x, y, radius: 5.0, colour: [0, 0, 0], mark, opacity: 1.0 }
    }

    #[test]
    fn marks_have_about_equal_areas() {
        for mark in [Mark::Circle, Mark::Square, Mark::Diamond, Mark::Triangle] {
            let mut canvas = Canvas::new(40, 80, [255; 3]);
            // Across the edge of two bands.
            canvas.dots(&[dot(20.0, 32.0, mark)]);
            let ink: f32 =
                canvas.bytes().iter().map(|&b| 1.0 - f32::from(b) / 255.0).sum::<f32>() / 3.0;
            assert!((ink / 78.54 - 1.0).abs() < 0.06, "{mark:?} {ink}");
        }
    }

    #[test]
    fn drawing_off_the_edge_is_harmless() {
        let mut canvas = Canvas::new(10, 10, [255; 3]);
        canvas.dots(&[dot(-50.0, 3.0, Mark::Circle), dot(3.0, 1e9, Mark::Square)]);
        canvas.text(-5.0, 2.0, "wide \u{1F600} text beyond the edge", [0; 3], Some([255; 3]), true);
        assert_eq!(canvas.bytes().len(), 300);
    }
}
