//! The tensors of a `.safetensors` file.
//!
//! ```text
//! u64     length of the header, little-endian
//! header  JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__": {…}}
//! data    offsets are from here
//! ```
//! Nothing is allocated by a number that the file claims.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use super::{EncoderError, Named};

/// See the [module](self).
pub(super) struct Tensors<'a> {
    file: Named<'a>,
    data: &'a [u8],
    entries: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl<'a> Tensors<'a> {
    pub(super) fn new(name: &'a str, bytes: &'a [u8]) -> Result<Self, EncoderError> {
        let file = Named { name };
        let cut = || file.invalid("it is cut short, or no safetensors file");
        let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let entries = serde_json::from_slice(header)
            .map_err(|error| file.invalid(format!("its header is broken: {error}")))?;
        Ok(Self { file, data, entries })
    }

    /// The numbers of the tensor with one of these names, which must have this shape.
    pub(super) fn get(&self, names: &[String], shape: &[usize]) -> Result<Vec<f32>, EncoderError> {
        let wrong = |problem: String| self.file.invalid(format!("tensor {}: {problem}", names[0]));
        let found = names.iter().find_map(|name| self.entries.get(name));
        let found = found.ok_or_else(|| wrong("there is none; is the model like BERT?".into()))?;
        let entry = Entry::deserialize(found).map_err(|error| wrong(error.to_string()))?;
        if entry.shape != shape {
            return Err(wrong(format!("its shape is {:?}, not {shape:?}", entry.shape)));
        }
        let (width, decode): (usize, fn(&[u8]) -> f32) = match entry.dtype.as_str() {
            "F32" => (4, |bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            "F16" => (2, |bytes| half(u16::from_le_bytes([bytes[0], bytes[1]]))),
            "BF16" => (2, |bytes| f32::from_le_bytes([0, 0, bytes[0], bytes[1]])),
            other => return Err(wrong(format!("its type is {other}, not F32, F16 or BF16"))),
        };
        let [start, end] = entry.data_offsets;
        let bytes = self.data.get(Range { start, end });
        let bytes = bytes.ok_or_else(|| wrong("it ends after the file".into()))?;
        let count = shape.iter().try_fold(width, |product, &size| product.checked_mul(size));
        if count != Some(bytes.len()) {
            return Err(wrong(format!("it has {} bytes", bytes.len())));
        }
        Ok(bytes.chunks_exact(width).map(decode).collect())
    }
}

/// A number of 16 bits: one of sign, five of exponent, ten of fraction (IEEE 754).
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u64).to_le_bytes();
        [&length, header.as_bytes(), data].concat()
    }

    fn get(bytes: &[u8], shape: &[usize]) -> Result<Vec<f32>, String> {
        let tensors = Tensors::new("m", bytes).map_err(|error| error.to_string())?;
        let names = ["b".to_owned(), "a".to_owned()];
        tensors.get(&names, shape).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_of_all_types_are_read() {
        for (kind, data) in [
            ("F32", [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat()),
            ("F16", vec![0x00, 0x3e, 0x00, 0xc0]),
            ("BF16", vec![0xc0, 0x3f, 0x00, 0xc0]),
        ] {
            let end = data.len();
            let header = format!(
                r#"{{"a": {{"dtype": "{kind}", "shape": [2, 1], "data_offsets": [0, {end}]}}}}"#
            );
            assert_eq!(get(&file(&header, &data), &[2, 1]), Ok(vec![1.5, -2.0]), "{kind}");
        }
        assert_eq!([half(1), half(0x7bff), half(0x8000)], [2f32.powi(-24), 65504.0, -0.0]);
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }

    #[test]
    fn hostile_files_are_refused() {
        let one = |entry: &str| file(&format!(r#"{{"a": {entry}}}"#), &[0; 8]);
        for bytes in [
            Vec::new(),
            vec![1, 2, 3],
            vec![255; 20],
            file("", &[]),
            file("[]", &[]),
            file("{}", &[]),
            one("7"),
            one(r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 9]}"#),
            one(r#"{"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}"#),
            one(r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}"#),
            one(r#"{"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}"#),
            one(r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 18446744073709551615]}"#),
            one(r#"{"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}"#),
            one(r#"{"dtype": "I64", "shape": [2], "data_offsets": [0, 8]}"#),
        ] {
            assert!(get(&bytes, &[2]).is_err(), "{bytes:?}");
        }
        let huge = one(&format!(
            r#"{{"dtype": "F32", "shape": [{0}, {0}], "data_offsets": [0, 8]}}"#,
            u64::MAX
        ));
        assert!(get(&huge, &[usize::MAX, usize::MAX]).is_err());
    }
}
