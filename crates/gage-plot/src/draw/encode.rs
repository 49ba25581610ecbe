//! Small encoders: PNG, base64, and text that is safe inside XML and scripts.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;

use crate::error::PlotError;

/// Writes an RGB image as PNG (8 bits a channel; every row as the difference to the pixel on its
/// left).
pub(crate) fn png(width: usize, height: usize, rgb: &[u8]) -> Result<Vec<u8>, PlotError> {
    let stride = 3 * width;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(7));
    let mut line = vec![0u8; stride + 1];
    for row in rgb.chunks_exact(stride).take(height) {
        // Filter type 1: mostly flat pictures compress far better as differences.
        line[0] = 1;
        for at in 0..stride {
            let left = if at < 3 { 0 } else { row[at - 3] };
            line[at + 1] = row[at].wrapping_sub(left);
        }
        encoder.write_all(&line)?;
    }
    let data = encoder.finish()?;
    let mut header = Vec::with_capacity(13);
    header.extend_from_slice(&(width as u32).to_be_bytes());
    header.extend_from_slice(&(height as u32).to_be_bytes());
    // Bit depth 8, colour type 2 (RGB), the only compression and filter methods, not interlaced.
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in [(b"IHDR", &header), (b"IDAT", &data), (b"IEND", &Vec::new())] {
        out.extend_from_slice(&(body.len() as u32).to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(body);
        out.extend_from_slice(kind);
        out.extend_from_slice(body);
        out.extend_from_slice(&crc.sum().to_be_bytes());
    }
    Ok(out)
}

/// Base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for letter in 0..4 {
            if letter <= chunk.len() {
                out.push(char::from(LETTERS[(word >> (18 - 6 * letter)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// Text that is only text inside XML and HTML, in elements and in attributes. Characters XML cannot
/// hold become `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// JSON that may stand inside a `script` element: nothing in it can end the element or start a
/// comment.
pub fn script_json(value: &impl Serialize) -> Result<String, PlotError> {
    let json = serde_json::to_string(value)?;
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            // These stand inside strings only, where the escape means the same.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", letter as u32));
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_known_texts() {
        // From RFC 4648.
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let name = "</script><script>alert(1)</script>\"'&\u{0}";
        assert!(!escape(name).contains(['<', '>', '"', '\'', '\u{0}']));
        let json = script_json(&[name]).unwrap();
        assert!(!json.contains('<') && !json.contains('&'));
        let back: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(back, [name]);
    }

    #[test]
    fn png_has_its_parts() {
        let image = png(3, 2, &[10; 18]).unwrap();
        assert_eq!(&image[1..4], b"PNG");
        assert_eq!(&image[12..16], b"IHDR");
        assert_eq!(&image[image.len() - 8..image.len() - 4], b"IEND");
    }
}
