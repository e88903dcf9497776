//! The bytes of a model file.
//!
//! ```text
//! 0   8 bytes   "SPANTREE"
//! 8   u32       version of the layout, little-endian as everything else
//! 12  u32       length of the header
//! 16  u64       checksum of the header
//! 24  header    JSON: {"model": …, "sections": [{"name", "offset", "bytes", "checksum"}, …]}
//!     sections  each at a multiple of 64 bytes, zeros between
//! ```
//! Every length, offset and checksum is checked on loading, before anything is used, and nothing is allocated by a number that
//! the file claims.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use memmap2::{Mmap, MmapMut};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use spantree_treebank::file::Output;
use thiserror::Error;

use crate::feature::hash;

const MAGIC: &[u8; 8] = b"SPANTREE";
/// The layout written by this version.
pub const VERSION: u32 = 1;
const PREFIX: usize = 24;
const ALIGNMENT: usize = 64;

/// Why a model file was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("{name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// The cause.
        source: io::Error,
    },
    /// The file does not start like a model.
    #[error("{name} is not a Spantree model; train one with `spantree train`")]
    NotAModel {
        /// The file.
        name: String,
    },
    /// A layout of another version.
    #[error(
        "{name} has model format {found}, but this program reads {VERSION}; use the version of Spantree that wrote it, or train again"
    )]
    Version {
        /// The file.
        name: String,
        /// Its version.
        found: u32,
    },
    /// The file is shorter than it says.
    #[error("{name} is cut short: it has {found} bytes and needs {needed}; copy it again")]
    Truncated {
        /// The file.
        name: String,
        /// Its length.
        found: usize,
        /// The length that its header implies.
        needed: usize,
    },
    /// A part whose checksum is wrong.
    #[error("{name} is damaged: the checksum of {part} is wrong; copy it again")]
    Checksum {
        /// The file.
        name: String,
        /// The part.
        part: String,
    },
    /// A header or section that makes no sense.
    #[error("{name} is not a usable model: {problem}")]
    Invalid {
        /// The file.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Section {
    name: String,
    offset: usize,
    bytes: usize,
    checksum: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Envelope<H> {
    model: H,
    sections: Vec<Section>,
}

/// A checked model file in memory.
#[derive(Debug)]
pub struct Container {
    name: String,
    bytes: Mmap,
    sections: Vec<Section>,
}

/// The sections of a file to be written.
#[derive(Debug, Default)]
pub struct Sections {
    list: Vec<(String, Vec<u8>)>,
}

impl Sections {
    /// Adds a section of numbers.
    pub fn push<T: bytemuck::NoUninit>(&mut self, name: &str, values: &[T]) {
        self.list.push((name.to_owned(), bytemuck::cast_slice(values).to_vec()));
    }

    /// The bytes of a file with this header.
    ///
    /// # Errors
    /// When the header cannot be written as JSON.
    pub fn into_container<H: Serialize>(
        self,
        name: &str,
        header: &H,
    ) -> Result<Container, ModelError> {
        let invalid = |problem: String| ModelError::Invalid { name: name.to_owned(), problem };
        let checksums: Vec<u64> = self.list.iter().map(|(_, bytes)| hash::bytes(bytes)).collect();
        let json = |base: usize| {
            let mut offset = base;
            let mut sections = Vec::new();
            for ((section, bytes), &checksum) in self.list.iter().zip(&checksums) {
                sections.push(Section {
                    name: section.clone(),
                    offset,
                    bytes: bytes.len(),
                    checksum,
                });
                offset = align(offset + bytes.len());
            }
            serde_json::to_string(&Envelope { model: header, sections })
                .map_err(|error| invalid(error.to_string()))
        };
        // Offsets are numbers in the header, whose length they change: leave room, then place the sections.
        let base = align(PREFIX + json(usize::MAX / 2)?.len());
        let header = json(base)?;
        let mut file = Vec::new();
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&(header.len() as u32).to_le_bytes());
        file.extend_from_slice(&hash::bytes(header.as_bytes()).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.resize(base, 0);
        for (_, bytes) in &self.list {
            file.resize(align(file.len()), 0);
            file.extend_from_slice(bytes);
        }
        let (container, _) = Container::from_bytes::<serde_json::Value>(name, &file)?;
        Ok(container)
    }
}

/// So many bytes of `source` in memory of their own.
///
/// Weights are looked up at random in many megabytes, where large pages save most of the misses of address translation: a
/// greedy parser is a quarter as fast again as with the pages of a mapped file.
fn load(mut source: impl Read, length: usize) -> io::Result<Mmap> {
    let mut memory = MmapMut::map_anon(length)?;
    // Where the system has no large pages, small ones do.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    source.read_exact(&mut memory)?;
    memory.make_read_only()
}

fn align(offset: usize) -> usize {
    offset.div_ceil(ALIGNMENT) * ALIGNMENT
}

impl Container {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not a sound model of this version.
    pub fn open<H: DeserializeOwned>(path: &Path) -> Result<(Self, H), ModelError> {
        let name = path.display().to_string();
        let io = |source| ModelError::Io { name: name.clone(), source };
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        // A long file that is no model is not read to its end.
        let mut start = Vec::new();
        let begin = (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start);
        begin.map_err(io)?;
        if start != MAGIC {
            return Err(ModelError::NotAModel { name });
        }
        file.rewind().map_err(io)?;
        let bytes = load(file, length as usize).map_err(io)?;
        Self::check(&name, bytes)
    }

    /// Checks a file that is in memory.
    ///
    /// # Errors
    /// When it is not a sound model of this version.
    pub fn from_bytes<H: DeserializeOwned>(
        name: &str,
        bytes: &[u8],
    ) -> Result<(Self, H), ModelError> {
        let io = |source| ModelError::Io { name: name.to_owned(), source };
        Self::check(name, load(bytes, bytes.len()).map_err(io)?)
    }

    fn check<H: DeserializeOwned>(name: &str, bytes: Mmap) -> Result<(Self, H), ModelError> {
        let name = name.to_owned();
        let all = &bytes[..];
        if !all.starts_with(MAGIC) {
            return Err(ModelError::NotAModel { name });
        }
        let truncated =
            |needed| ModelError::Truncated { name: name.clone(), found: all.len(), needed };
        let field = |at: usize| {
            all.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
        };
        let version = field(8).ok_or_else(|| truncated(PREFIX))?;
        if version != VERSION {
            return Err(ModelError::Version { name, found: version });
        }
        let length = field(12).ok_or_else(|| truncated(PREFIX))? as usize;
        let header = all
            .get(PREFIX..PREFIX.saturating_add(length))
            .ok_or_else(|| truncated(PREFIX + length))?;
        if all[16..PREFIX] != hash::bytes(header).to_le_bytes() {
            return Err(ModelError::Checksum { name, part: "the header".to_owned() });
        }
        let envelope: Envelope<H> = serde_json::from_slice(header).map_err(|error| {
            ModelError::Invalid { name: name.clone(), problem: format!("header: {error}") }
        })?;
        for section in &envelope.sections {
            let end = section.offset.saturating_add(section.bytes);
            let bytes = all.get(section.offset..end).ok_or_else(|| truncated(end))?;
            if section.offset % ALIGNMENT != 0 {
                let problem = format!("section {} starts at {}", section.name, section.offset);
                return Err(ModelError::Invalid { name, problem });
            }
            if hash::bytes(bytes) != section.checksum {
                return Err(ModelError::Checksum {
                    name,
                    part: format!("section {}", section.name),
                });
            }
        }
        Ok((Self { name, bytes, sections: envelope.sections }, envelope.model))
    }

    /// The name used in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// A section as numbers.
    ///
    /// # Errors
    /// When there is no such section, or its length does not fit the type.
    pub fn section<T: bytemuck::AnyBitPattern>(&self, name: &str) -> Result<&[T], ModelError> {
        let invalid = |problem: String| ModelError::Invalid { name: self.name.clone(), problem };
        let section = self.sections.iter().find(|section| section.name == name);
        let section = section.ok_or_else(|| invalid(format!("it has no section {name}")))?;
        let bytes = &self.bytes[section.offset..section.offset + section.bytes];
        bytemuck::try_cast_slice(bytes).map_err(|error| invalid(format!("section {name}: {error}")))
    }

    /// Writes the file; it appears under its name when it is complete.
    ///
    /// # Errors
    /// When writing fails.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let save = || {
            let mut output = Output::create(path)?;
            output.write_all(&self.bytes)?;
            output.finish()
        };
        save().map_err(|source| ModelError::Io { name: path.display().to_string(), source })
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("model files hold little-endian numbers; big-endian machines are not supported");

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Container {
        let mut sections = Sections::default();
        sections.push("numbers", &[1i16, -2, 3]);
        sections.push("empty", &[0u64; 0]);
        sections.push("floats", &[0.5f32; 40]);
        sections.into_container("sample", &"hello").unwrap()
    }

    fn load(bytes: &[u8]) -> Result<(Container, String), ModelError> {
        Container::from_bytes("sample", bytes)
    }

    #[test]
    fn sections_come_back_aligned() {
        let bytes = sample().bytes.to_vec();
        let (container, header) = load(&bytes).unwrap();
        assert_eq!(header, "hello");
        assert_eq!(container.section::<i16>("numbers").unwrap(), [1, -2, 3]);
        assert!(container.section::<u64>("empty").unwrap().is_empty());
        assert_eq!(container.section::<f32>("floats").unwrap(), [0.5; 40]);
        assert!(container.sections.iter().all(|section| section.offset % 64 == 0));
        assert!(container.section::<f32>("numbers").is_err(), "six bytes are no f32");
        assert!(
            container
                .section::<u8>("nothing")
                .unwrap_err()
                .to_string()
                .contains("no section nothing")
        );
    }

    #[test]
    fn files_are_read_and_saved_whole() {
        let path = std::env::temp_dir().join(format!("spantree-container-{}", std::process::id()));
        sample().save(&path).unwrap();
        let (container, header): (_, String) = Container::open(&path).unwrap();
        assert_eq!(header, "hello");
        assert_eq!(container.section::<i16>("numbers").unwrap(), [1, -2, 3]);
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Container::open::<String>(&path), Err(ModelError::Io { .. })));
    }

    #[test]
    fn a_huge_file_that_is_no_model_is_not_read() {
        let path = std::env::temp_dir().join(format!("spantree-huge-{}", std::process::id()));
        let sparse = File::create(&path).unwrap();
        let made = sparse.set_len(1 << 36);
        let opened = Container::open::<String>(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(opened, Err(ModelError::NotAModel { .. })), "{made:?} {opened:?}");
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = sample().bytes.to_vec();
        for length in 0..bytes.len() {
            assert!(load(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn every_flipped_byte_outside_the_padding_is_refused() {
        let good = sample();
        let bytes = &good.bytes[..];
        let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let in_section =
            |at: usize| good.sections.iter().any(|s| (s.offset..s.offset + s.bytes).contains(&at));
        for at in (0..bytes.len()).filter(|&at| at < PREFIX + header || in_section(at)) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x10;
            assert!(load(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn hostile_sizes_are_refused_without_allocation() {
        let header = format!(
            "{{\"model\":\"x\",\"sections\":[{{\"name\":\"a\",\"offset\":64,\"bytes\":{},\"checksum\":0}}]}}",
            usize::MAX
        );
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&hash::bytes(header.as_bytes()).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        assert!(matches!(load(&bytes), Err(ModelError::Truncated { .. })));
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(load(&bytes), Err(ModelError::Truncated { .. })));
        assert!(matches!(load(b"1\tHello\t"), Err(ModelError::NotAModel { .. })));
        bytes[8] = 99;
        assert!(load(&bytes).unwrap_err().to_string().contains("model format 99"));
    }
}
