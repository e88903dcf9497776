//! Where sentences go: a treebank format, or pictures.
//!
//! A [`Target`] says in which form. A [`Renderer`] turns sentences into [`Chunk`]s, each thread with its own; a [`Sink`] puts
//! chunks together in the order in which it gets them, so that the output does not depend on the number of threads.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result};
use spantree::treebank::draw::{Diagram, Page, Picture, SvgStyle, TextStyle, stack};
use spantree::treebank::file::Output;
use spantree::treebank::format::json::{self, RankedTree};
use spantree::treebank::{Format, Layout, Sentence, TreebankWriter};

use crate::io::{cannot_write, create};

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Treebank(Format),
    /// Trees drawn in the terminal.
    Tree,
    Svg,
    Html,
}

impl Target {
    /// Guesses from the name of the output file.
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Some(Target::Svg),
            Some("html" | "htm") => Some(Target::Html),
            _ => Format::from_path(path).map(Target::Treebank),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "tree" => Ok(Target::Tree),
            "svg" => Ok(Target::Svg),
            "html" => Ok(Target::Html),
            _ => text.parse().map(Target::Treebank).map_err(|message: String| {
                format!("{message}, tree, svg, html; the file to write is named by -o")
            }),
        }
    }
}

/// What the user may say about the output, the same for all verbs that write sentences.
#[derive(clap::Args)]
pub(crate) struct OutputOptions {
    /// Form of the output: a format (see --from), tree (drawn in the terminal), svg or html [default: by the name of the
    /// output file; else convert keeps the format, parse writes conllu]
    #[arg(long, visible_alias = "output", value_name = "FORMAT")]
    to: Option<Target>,
    /// Where to write; a file appears only when it is complete. .gz and .zst are compressed
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Longest line of a picture in pixels; longer sentences are wrapped
    #[arg(long, value_name = "PIXELS", default_value_t = 880, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    width: u32,
    /// Draw trees in the terminal with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Draw trees in the terminal with colours
    #[arg(long)]
    colour: bool,
}

impl OutputOptions {
    /// The file to write.
    pub(crate) fn path(&self) -> &Path {
        &self.out
    }

    /// The form of the output, for input of this format.
    pub(crate) fn target(&self, input: Format) -> Target {
        self.target_or(Target::Treebank(input))
    }

    /// The form of the output, if the user does not say otherwise.
    pub(crate) fn target_or(&self, usual: Target) -> Target {
        self.to.or_else(|| Target::from_path(&self.out)).unwrap_or(usual)
    }

    /// Renders sentences that come from a treebank of this format and with these columns.
    pub(crate) fn renderer(
        &self,
        target: Target,
        input: Format,
        columns: &Arc<Layout>,
    ) -> Renderer {
        let form = match target {
            Target::Treebank(format) if format == input => {
                Form::Treebank(TreebankWriter::with_layout(Vec::new(), format, columns.clone()))
            }
            Target::Treebank(Format::Json) => Form::Json,
            Target::Treebank(format) => Form::Treebank(TreebankWriter::new(Vec::new(), format)),
            Target::Tree => Form::Tree(TextStyle { ascii: self.ascii, colour: self.colour }),
            Target::Svg => Form::Svg(self.svg_style()),
            Target::Html => Form::Html(Page { style: self.svg_style(), compared: false }),
        };
        Renderer { form, chunk: Chunk::default() }
    }

    fn svg_style(&self) -> SvgStyle {
        SvgStyle { line_width: f64::from(self.width) }
    }

    /// Opens a file for what renderers make.
    pub(crate) fn sink(&self, path: &Path, target: Target) -> Result<Sink> {
        let output = create(path)?;
        let page = Page { style: self.svg_style(), compared: false };
        let mut sink = Sink { output, path: path.to_owned(), target, page, pictures: Vec::new() };
        if target == Target::Html {
            sink.write_bytes(page.start("Trees").as_bytes())?;
        }
        Ok(sink)
    }
}

/// What a [`Renderer`] does.
enum Form {
    Treebank(TreebankWriter<Vec<u8>>),
    Json,
    Tree(TextStyle),
    Svg(SvgStyle),
    Html(Page),
}

/// Turns sentences into chunks of the output.
pub(crate) struct Renderer {
    form: Form,
    chunk: Chunk,
}

/// Some sentences in the form of the output.
#[derive(Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    pictures: Vec<Picture>,
}

impl Renderer {
    /// Adds a sentence.
    pub(crate) fn add(&mut self, sent: &Sentence) -> Result<()> {
        let Chunk { bytes, pictures } = &mut self.chunk;
        match &mut self.form {
            Form::Treebank(writer) => {
                writer.write(sent)?;
                bytes.append(writer.get_mut());
            }
            Form::Json => json::write(sent, &[], bytes),
            Form::Tree(style) => {
                bytes.extend(heading(sent).as_bytes());
                bytes.extend(Diagram::new(sent).to_text(*style).as_bytes());
                bytes.push(b'\n');
            }
            Form::Svg(style) => pictures.push(Diagram::new(sent).to_svg(style)),
            Form::Html(page) => {
                bytes.extend(page.sentence(sent, &[("", Diagram::new(sent))]).as_bytes());
            }
        }
        Ok(())
    }

    /// Adds a sentence and its best trees in one piece; `false` when the form has no place for several trees.
    pub(crate) fn add_ranked(&mut self, sent: &Sentence, trees: &[RankedTree]) -> bool {
        let is_json = matches!(self.form, Form::Json);
        if is_json {
            json::write(sent, trees, &mut self.chunk.bytes);
        }
        is_json
    }

    /// Whether it is time to [take](Renderer::take) what was added.
    pub(crate) fn is_full(&self) -> bool {
        self.chunk.bytes.len() >= 1 << 16
    }

    /// What was added since the last time.
    pub(crate) fn take(&mut self) -> Chunk {
        std::mem::take(&mut self.chunk)
    }
}

/// The line above a tree in the terminal: `sent_id: text`.
pub(crate) fn heading(sent: &Sentence) -> String {
    let parts: Vec<_> = [sent.sent_id(), sent.text()].into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    parts.join(": ").chars().map(visible).chain(['\n']).collect()
}

/// An output that gets chunks one after another.
pub(crate) struct Sink {
    output: Output,
    path: PathBuf,
    target: Target,
    page: Page,
    /// The size of an SVG file is known only at its end.
    pictures: Vec<Picture>,
}

impl Sink {
    /// Writes what a renderer made.
    pub(crate) fn write(&mut self, mut chunk: Chunk) -> Result<()> {
        self.pictures.append(&mut chunk.pictures);
        self.write_bytes(&chunk.bytes)
    }

    /// Writes the end, if the form has one; the file appears when the output is [finished](Output::finish).
    pub(crate) fn end(mut self) -> Result<Output> {
        match self.target {
            Target::Svg => self.write_bytes(stack(&self.pictures).as_bytes())?,
            Target::Html => self.write_bytes(self.page.end().as_bytes())?,
            Target::Treebank(_) | Target::Tree => {}
        }
        Ok(self.output)
    }

    /// Writes the end and gives the file its name.
    pub(crate) fn finish(self) -> Result<()> {
        let path = self.path.clone();
        self.end()?.finish().with_context(|| cannot_write(&path))
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.output.write_all(bytes).with_context(|| cannot_write(&self.path))
    }
}
