//! Where `parse` gets its sentences: text in several forms, or a treebank.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use spantree::segment::{Input, Options, Segmentation, Segmenter};
use spantree::treebank::{Format, Sentence, TreebankReader, file};

use crate::io::print_warnings;

/// The form of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Running text.
    Text,
    /// A sentence a line.
    Lines,
    /// A sentence a line, tokens separated by spaces.
    Tokens,
    /// A treebank, with whatever its columns have.
    Treebank(Format),
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Form::Text),
            "lines" => Ok(Form::Lines),
            "tokens" => Ok(Form::Tokens),
            _ => text
                .parse()
                .map(Form::Treebank)
                .map_err(|message: String| format!("{message}, text, lines, tokens")),
        }
    }
}

/// What the user said about the input.
#[derive(clap::Args)]
pub(crate) struct Source {
    /// Files to read, or text itself: an argument with a space that names no file. - or nothing is standard input. .gz and
    /// .zst are read directly
    #[arg(value_name = "FILE|TEXT")]
    inputs: Vec<PathBuf>,
    /// Form of the input: text, lines (a sentence each), tokens (separated by spaces, a sentence a line), or a treebank format
    /// such as conllu [default: by the name of the file, else by its first lines]
    #[arg(long, visible_alias = "from", value_name = "FORMAT")]
    input: Option<Form>,
    /// Write TokenRange=start:end to MISC: the characters of the document that a token covers
    #[arg(long)]
    ranges: bool,
}

/// One input, opened.
struct Opened {
    name: String,
    form: Form,
    reader: Box<dyn Read + Send>,
}

impl Source {
    /// Files of text.
    pub(crate) fn text(inputs: Vec<PathBuf>) -> Self {
        Self { inputs, input: None, ranges: false }
    }

    /// Whether all that is to be read stands on the command line as text.
    pub(crate) fn is_sentence(&self) -> bool {
        !self.inputs.is_empty() && self.inputs.iter().all(|input| is_text(input))
    }

    /// Calls `visit` with every sentence of every input and prints the warnings of each.
    pub(crate) fn for_each(
        &self,
        segmenter: Option<&Segmenter>,
        mut visit: impl FnMut(&Sentence) -> Result<()>,
    ) -> Result<()> {
        let standard_input = [PathBuf::from("-")];
        let inputs = if self.inputs.is_empty() { &standard_input[..] } else { &self.inputs };
        let mut segmentations: Vec<(Input, Segmentation<'_>)> = Vec::new();
        for input in inputs {
            let opened = self.open(input)?;
            let form = match opened.form {
                Form::Treebank(format) => {
                    read_treebank(opened, format, &mut visit)?;
                    continue;
                }
                Form::Text => Input::Text,
                Form::Lines => Input::Lines,
                Form::Tokens => Input::Tokens,
            };
            let Some(segmenter) = segmenter else {
                bail!(
                    "{}: the model has no segmenter, so it cannot read text; give it CoNLL-U, or train with --stages segment,tag,lemma,parse",
                    opened.name
                );
            };
            let place = segmentations.iter().position(|(known, _)| *known == form);
            let place = place.unwrap_or_else(|| {
                let options = Options { input: form, ranges: self.ranges, ..Options::default() };
                segmentations.push((form, segmenter.segmentation(options)));
                segmentations.len() - 1
            });
            read_text(opened, &mut segmentations[place].1, &mut visit)?;
        }
        Ok(())
    }

    fn open(&self, input: &Path) -> Result<Opened> {
        if is_text(input) {
            let text = input.to_string_lossy().into_owned();
            let form = self.input.unwrap_or(Form::Text);
            let reader = Box::new(Cursor::new(text.into_bytes()));
            return Ok(Opened { name: "the text given".to_owned(), form, reader });
        }
        let name = file::display_name(input);
        let mut reader = file::open(input)
            .with_context(|| format!("{name}: cannot read; is the name right?"))?;
        let form = match self.input.or_else(|| form_by_name(input)) {
            Some(form) => form,
            None => {
                let start =
                    read_start(&mut reader).with_context(|| format!("{name}: cannot read"))?;
                let form = form_by_start(&start);
                reader = Box::new(Cursor::new(start).chain(reader));
                form
            }
        };
        Ok(Opened { name, form, reader })
    }
}

fn is_text(input: &Path) -> bool {
    let text = input.to_string_lossy();
    text.contains(char::is_whitespace) && !input.exists()
}

fn form_by_name(path: &Path) -> Option<Form> {
    let plain = path.to_string_lossy();
    let plain = plain.trim_end_matches(".gz").trim_end_matches(".zst");
    if Path::new(plain).extension().is_some_and(|extension| extension == "txt") {
        return Some(Form::Text);
    }
    Format::from_path(path).map(Form::Treebank)
}

/// As many bytes as show what kind of input it is: what there is at first, but at least a line.
fn read_start(reader: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut buffer = [0; 1 << 13];
    while !start.contains(&b'\n') && start.len() < buffer.len() {
        let length = reader.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        start.extend_from_slice(&buffer[..length]);
    }
    Ok(start)
}

/// CoNLL-U when a line has nine tabs, else text.
fn form_by_start(start: &[u8]) -> Form {
    let is_row = |line: &[u8]| line.iter().filter(|&&byte| byte == b'\t').count() == 9;
    if start.split(|&byte| byte == b'\n').any(is_row) {
        Form::Treebank(Format::Conllu)
    } else {
        Form::Text
    }
}

fn read_treebank(
    opened: Opened,
    format: Format,
    visit: &mut impl FnMut(&Sentence) -> Result<()>,
) -> Result<()> {
    let mut reader = TreebankReader::new(opened.reader, &opened.name, format);
    let mut sent = Sentence::new();
    while reader.read(&mut sent)? {
        visit(&sent)?;
    }
    print_warnings(&reader);
    Ok(())
}

/// Feeds a document to the segmenter piece by piece.
fn read_text(
    mut opened: Opened,
    segmentation: &mut Segmentation<'_>,
    visit: &mut impl FnMut(&Sentence) -> Result<()>,
) -> Result<()> {
    segmentation.start_document(None);
    let mut buffer = vec![0; 1 << 16];
    let mut sent = Sentence::new();
    loop {
        let length = opened
            .reader
            .read(&mut buffer)
            .with_context(|| format!("{}: cannot read", opened.name))?;
        if length == 0 {
            segmentation.finish();
        } else {
            segmentation.feed(&buffer[..length]);
        }
        while segmentation.next(&mut sent) {
            visit(&sent)?;
        }
        if length == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_seen_from_name_or_first_lines() {
        assert_eq!(form_by_name(Path::new("a.txt")), Some(Form::Text));
        assert_eq!(form_by_name(Path::new("a.txt.gz")), Some(Form::Text));
        assert_eq!(form_by_name(Path::new("a.conllu")), Some(Form::Treebank(Format::Conllu)));
        assert_eq!(form_by_name(Path::new("a")), None);
        assert_eq!(form_by_start(b"# a title\nand text\n"), Form::Text);
        let row = b"# text = a\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n";
        assert_eq!(form_by_start(row), Form::Treebank(Format::Conllu));
        assert_eq!(form_by_start(b""), Form::Text);
    }
}
