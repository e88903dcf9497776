//! What the verbs share: treebank inputs with their warnings, outputs that appear only when complete.

use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use spantree::treebank::file::{self, Output};
use spantree::treebank::{Format, Sentence, TreebankReader};

/// The files that a verb reads.
#[derive(clap::Args)]
pub(crate) struct Files {
    /// Files to read; - or nothing is standard input. .gz and .zst are read directly
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Files {
    /// The files, `-` when none was named.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        if self.files.is_empty() { vec![PathBuf::from("-")] } else { self.files.clone() }
    }
}

/// The treebank files that a verb reads, and their format.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    #[command(flatten)]
    files: Files,
    /// Format of the input: conllu, conllup, conllx, conll2008, conll2009, mst, tagged, tagged-slash or json [default: by file name, else conllu]
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
}

impl Inputs {
    /// Opens one of the files.
    pub(crate) fn open(&self, path: &Path) -> Result<TreebankReader> {
        Ok(TreebankReader::open(path, self.from)?)
    }

    /// Calls `visit` with every sentence of every file and prints the warnings of each file.
    pub(crate) fn for_each(
        &self,
        mut visit: impl FnMut(&mut Sentence, &TreebankReader) -> Result<()>,
    ) -> Result<()> {
        let mut sent = Sentence::new();
        for path in self.files.paths() {
            let mut reader = self.open(&path)?;
            while reader.read(&mut sent)? {
                visit(&mut sent, &reader)?;
            }
            print_warnings(&reader);
        }
        Ok(())
    }
}

/// Prints what was odd about an input to standard error.
pub(crate) fn print_warnings(reader: &TreebankReader) {
    for line in reader.warnings().describe(reader.name()) {
        eprintln!("{line}");
    }
}

/// Prints to standard output; unlike `print!` it survives a reader that went away.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .with_context(|| cannot_write(Path::new("-")))
}

/// Reads a file whole; `.gz` and `.zst` are read directly.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    file::open(path)
        .and_then(|mut reader| reader.read_to_string(&mut text))
        .with_context(|| format!("{}: cannot read", file::display_name(path)))?;
    Ok(text)
}

/// Opens an output file, standard output for `-`.
pub(crate) fn create(path: &Path) -> Result<Output> {
    Output::create(path).with_context(|| cannot_write(path))
}

/// What to say when writing to `path` fails.
pub(crate) fn cannot_write(path: &Path) -> String {
    let name = if path.as_os_str() == "-" {
        "to standard output".to_owned()
    } else {
        path.display().to_string()
    };
    format!("cannot write {name}")
}

/// Whether the reader of our output went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
