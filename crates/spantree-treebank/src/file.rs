//! Files as treebanks use them: `-` for the standard streams, gzip and Zstandard, and writing that never leaves half a file.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How `path` is named in messages: `<stdin>` for `-`.
#[must_use]
pub fn display_name(path: &Path) -> String {
    if is_dash(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file, or standard input for `-`; compressed input is recognised by its first bytes.
///
/// # Errors
/// When the file cannot be opened or read.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if is_dash(path) {
        return decompress(BufReader::new(io::stdin()));
    }
    decompress(BufReader::new(File::open(path)?))
}

fn decompress<R: BufRead + Send + 'static>(mut input: R) -> io::Result<Box<dyn Read + Send>> {
    let start = input.fill_buf()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        Ok(Box::new(MultiGzDecoder::new(input)))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Ok(Box::new(zstd::Decoder::with_buffer(input)?))
    } else {
        Ok(Box::new(input))
    }
}

type Stream = Box<dyn Write + Send>;

enum Sink {
    Plain(BufWriter<Stream>),
    Gzip(Box<GzEncoder<BufWriter<Stream>>>),
    Zstandard(Box<zstd::Encoder<'static, BufWriter<Stream>>>),
}

/// A temporary file and the name it will get.
struct Pending {
    temporary: PathBuf,
    target: PathBuf,
}

/// An output file that appears under its name only when [`Output::finish`] is called.
///
/// Until then the bytes go to a temporary file beside it, `NAME.PID.tmp`, which is removed when the `Output` is dropped (a
/// process that is killed leaves it behind). A file that is replaced keeps its permissions, and a symbolic link keeps pointing
/// to the file that is replaced. What is not a regular file, such as a pipe or a device, is written to at once, and so is `-`,
/// standard output. The suffixes `.gz` and `.zst` ask for compression.
pub struct Output {
    sink: Option<Sink>,
    /// `None` when the target is written to at once.
    pending: Option<Pending>,
}

impl Output {
    /// Starts writing to `path`.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (file, pending) = Self::open_target(path)?;
        let mut output = Self { sink: None, pending };
        let file = BufWriter::with_capacity(1 << 16, file);
        output.sink = Some(match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Sink::Gzip(Box::new(GzEncoder::new(file, Compression::default()))),
            Some("zst") => Sink::Zstandard(Box::new(zstd::Encoder::new(file, 0)?)),
            _ => Sink::Plain(file),
        });
        Ok(output)
    }

    fn open_target(path: &Path) -> io::Result<(Stream, Option<Pending>)> {
        if is_dash(path) {
            return Ok((Box::new(io::stdout()), None));
        }
        let existing = fs::metadata(path).ok();
        match &existing {
            Some(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(metadata) if !metadata.is_file() => {
                return Ok((Box::new(File::options().write(true).open(path)?), None));
            }
            _ => {}
        }
        // Through a link, the file behind it is replaced.
        let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let mut name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_os_string();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(name);
        let file = File::create(&temporary)?;
        if let Some(metadata) = existing {
            file.set_permissions(metadata.permissions())?;
        }
        Ok((Box::new(file), Some(Pending { temporary, target })))
    }

    /// Writes what is buffered and gives the file its name.
    ///
    /// # Errors
    /// When writing or renaming fails; the target is untouched then.
    pub fn finish(mut self) -> io::Result<()> {
        let mut plain = match self.sink.take() {
            Some(Sink::Plain(file)) => file,
            Some(Sink::Gzip(encoder)) => encoder.finish()?,
            Some(Sink::Zstandard(encoder)) => encoder.finish()?,
            None => return Ok(()),
        };
        plain.flush()?;
        drop(plain);
        if let Some(Pending { temporary, target }) = &self.pending {
            fs::rename(temporary, target)?;
            self.pending = None;
        }
        Ok(())
    }

    fn sink(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.sink {
            Some(Sink::Plain(file)) => Ok(file),
            Some(Sink::Gzip(encoder)) => Ok(encoder),
            Some(Sink::Zstandard(encoder)) => Ok(encoder),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink()?.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(Pending { temporary, .. }) = &self.pending {
            // Nothing sensible can be done when the removal fails.
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("spantree-file-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn compressed_files_come_back() {
        let folder = scratch("round");
        for suffix in ["txt", "gz", "zst"] {
            let path = folder.join(format!("x.{suffix}"));
            let mut output = Output::create(&path).unwrap();
            output.write_all(b"hello hello hello").unwrap();
            assert!(!path.exists(), "nothing appears before finish");
            output.finish().unwrap();
            let mut text = String::new();
            open(&path).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello hello hello", "{suffix}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no temporary file is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_pipes_survive() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = scratch("special");
        let (real, link) = (folder.join("real"), folder.join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.finish().unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Output::create(&folder).is_err(), "a folder is no target");

        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        let mut output = Output::create(&pipe).unwrap();
        output.write_all(b"through").unwrap();
        output.finish().unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_abandoned_output_leaves_the_old_file() {
        let folder = scratch("abandon");
        let path = folder.join("x");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        drop(output);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
