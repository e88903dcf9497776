//! A BERT-like model: from sentences to pieces, through the transformer, and back to words.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use spantree_neural::transformer::{
    Transformer, TransformerScratch, TransformerShape, TransformerWeights,
};
use spantree_treebank::Sentence;

use super::pieces::Pieces;
use super::tensors::Tensors;
use super::{EncoderError, Named, read};
use crate::feature::hash;
use crate::neural::{EncoderInfo, WordVectors};

/// So many of the last layers make the vector of a word; the middle ones know most about syntax.
const LAST_LAYERS: usize = 4;
/// Rows that the transformer sees at once, if texts are not longer.
const ROWS_AT_ONCE: usize = 256;
/// Larger models are not built, whatever a file says.
const LIMIT: usize = 1 << 16;

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Bert {
    info: EncoderInfo,
    pieces: Pieces,
    shape: TransformerShape,
    transformer: Transformer,
    weights: TransformerWeights,
    /// The embeddings of pieces.
    table: Vec<f32>,
    /// What is added to them at each place of a text.
    places: Vec<f32>,
}

/// What `config.json` says.
#[derive(Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    type_vocab_size: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f64,
    #[serde(default = "usual_activation")]
    hidden_act: String,
    #[serde(default = "usual_places")]
    position_embedding_type: String,
}

fn usual_epsilon() -> f64 {
    1e-12
}

fn usual_activation() -> String {
    "gelu".to_owned()
}

fn usual_places() -> String {
    "absolute".to_owned()
}

impl Config {
    fn check(&self, file: &Named<'_>) -> Result<TransformerShape, EncoderError> {
        for (name, size) in [
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("type_vocab_size", self.type_vocab_size),
        ] {
            if !(1..=LIMIT).contains(&size) {
                return Err(file.invalid(format!("{name} is {size}")));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(file.invalid("hidden_size is no multiple of num_attention_heads"));
        }
        if self.max_position_embeddings <= FRAME {
            return Err(file.invalid("max_position_embeddings leaves no place for words"));
        }
        for (name, found, known) in [
            ("hidden_act", &self.hidden_act, "gelu"),
            ("position_embedding_type", &self.position_embedding_type, "absolute"),
        ] {
            if found != known {
                return Err(file.invalid(format!("{name} is {found}; only {known} is known")));
            }
        }
        Ok(TransformerShape {
            width: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            inner: self.intermediate_size,
            epsilon: self.layer_norm_eps,
        })
    }
}

/// The numbers in the layers that are multiplied; each takes more than a byte of a file.
fn multiplications(shape: TransformerShape) -> u128 {
    let [width, inner, layers] = [shape.width, shape.inner, shape.layers].map(|size| size as u128);
    layers * width * (4 * width + 2 * inner)
}

/// Pieces around a text.
const FRAME: usize = 2;

impl Bert {
    pub(super) fn load(folder: &Path) -> Result<Self, EncoderError> {
        let path = folder.join("config.json");
        let (name, settings) = (path.display().to_string(), read(&path)?);
        let file = Named { name: &name };
        let config: Config =
            serde_json::from_slice(&settings).map_err(|error| file.invalid(error.to_string()))?;
        let shape = config.check(&file)?;
        let (pieces, vocabulary) = Pieces::load(folder)?;
        if pieces.largest() as usize >= config.vocab_size {
            return Err(file.invalid("vocab_size is smaller than the vocabulary"));
        }
        let path = folder.join("model.safetensors");
        let (name, model) = (path.display().to_string(), read(&path)?);
        let source = Source { tensors: Tensors::new(&name, &model)? };
        if multiplications(shape) > model.len() as u128 {
            let file = Named { name: &name };
            return Err(file.invalid("it is smaller than config.json says"));
        }
        let (table, places) = source.embeddings(&config)?;
        let parts = [&model, &settings, &vocabulary];
        let checksum = parts.into_iter().fold(0, |sum, part| hash::mix(sum, hash::bytes(part)));
        let width = shape.width * LAST_LAYERS.min(shape.layers);
        let transformer = Transformer::new(shape);
        let weights = transformer.prepare(source.layers(&transformer, shape)?);
        let info = EncoderInfo { width, checksum };
        Ok(Self { info, pieces, shape, transformer, weights, table, places })
    }

    /// The sentences as texts that are short enough.
    fn texts(&self, sentences: &[Sentence]) -> Vec<Text> {
        let longest = self.places.len() / self.shape.width;
        let (mut texts, mut own, mut row) = (Vec::new(), Vec::new(), 0);
        for sent in sentences {
            let mut text = Text::new(self.pieces.start);
            text.words.push((row, 0..1));
            for word in sent.words() {
                row += 1;
                own.clear();
                self.pieces.cut(word.form(), &mut own);
                own.truncate(longest - FRAME);
                if text.ids.len() + own.len() + 1 > longest {
                    text.ids.push(self.pieces.end);
                    texts.push(std::mem::replace(&mut text, Text::new(self.pieces.start)));
                }
                text.words.push((row, text.ids.len()..text.ids.len() + own.len()));
                text.ids.extend_from_slice(&own);
            }
            text.ids.push(self.pieces.end);
            texts.push(text);
            row += 1;
        }
        texts
    }

    /// Adds the vectors of some texts to the rows of their words.
    fn encode(&self, texts: &[Text], scratch: &mut Scratch, vectors: &mut [f32]) {
        let Scratch { starts, sums, transformer } = scratch;
        let width = self.shape.width;
        starts.clear();
        sums.clear();
        for text in texts {
            starts.push(sums.len() / width);
            for (&id, place) in text.ids.iter().zip(self.places.chunks_exact(width)) {
                let piece = &self.table[id as usize * width..][..width];
                sums.extend(piece.iter().zip(place).map(|(piece, place)| piece + place));
            }
        }
        starts.push(sums.len() / width);
        let skipped = self.shape.layers - self.info.width / width;
        self.transformer.forward(&self.weights, (starts, sums), transformer, |layer, rows| {
            let Some(column) = layer.checked_sub(skipped) else { return };
            for (text, start) in texts.iter().zip(&*starts) {
                for (row, pieces) in &text.words {
                    let target = row * self.info.width + column * width;
                    let target = &mut vectors[target..][..width];
                    let share = 1.0 / pieces.len() as f32;
                    let rows = &rows[(start + pieces.start) * width..(start + pieces.end) * width];
                    for piece in rows.chunks_exact(width) {
                        target.iter_mut().zip(piece).for_each(|(sum, value)| *sum += share * value);
                    }
                }
            }
        });
    }
}

/// A text of pieces, framed, and where its words are.
struct Text {
    ids: Vec<u32>,
    /// Rows of the output with their pieces; that of the root has the start of its first text.
    words: Vec<(usize, Range<usize>)>,
}

impl Text {
    fn new(start: u32) -> Self {
        Self { ids: vec![start], words: Vec::new() }
    }
}

#[derive(Default)]
struct Scratch {
    starts: Vec<usize>,
    sums: Vec<f32>,
    transformer: TransformerScratch,
}

impl WordVectors for Bert {
    fn info(&self) -> EncoderInfo {
        self.info
    }

    fn add_vectors(&self, sentences: &[Sentence], vectors: &mut Vec<f32>) {
        let before = vectors.len();
        let rows: usize = sentences.iter().map(|sent| sent.len() + 1).sum();
        vectors.resize(before + rows * self.info.width, 0.0);
        let mut scratch = Scratch::default();
        let texts = self.texts(sentences);
        let mut rest = texts.as_slice();
        while !rest.is_empty() {
            let mut rows = 0;
            let fits = |text: &&Text| {
                rows += text.ids.len();
                rows <= ROWS_AT_ONCE
            };
            let count = rest.iter().take_while(fits).count().max(1);
            self.encode(&rest[..count], &mut scratch, &mut vectors[before..]);
            rest = &rest[count..];
        }
    }
}

/// The tensors by the names that they have in BERT.
struct Source<'a> {
    tensors: Tensors<'a>,
}

impl Source<'_> {
    /// A tensor whose last part has one of these names; some models have names that begin with `bert.`.
    fn get(&self, name: &str, last: &[&str], shape: &[usize]) -> Result<Vec<f32>, EncoderError> {
        let names =
            last.iter().flat_map(|last| ["", "bert."].map(|first| format!("{first}{name}.{last}")));
        self.tensors.get(&names.collect::<Vec<_>>(), shape)
    }

    /// The embeddings of pieces, and of places together with the first kind of text.
    fn embeddings(&self, config: &Config) -> Result<(Vec<f32>, Vec<f32>), EncoderError> {
        let width = config.hidden_size;
        let get = |name: &str, rows: usize| {
            self.get(&format!("embeddings.{name}_embeddings"), &["weight"], &[rows, width])
        };
        let mut places = get("position", config.max_position_embeddings)?;
        let kinds = get("token_type", config.type_vocab_size)?;
        for place in places.chunks_exact_mut(width) {
            place.iter_mut().zip(&kinds).for_each(|(sum, kind)| *sum += kind);
        }
        Ok((get("word", config.vocab_size)?, places))
    }

    /// The parameters of the layers.
    fn layers(
        &self,
        transformer: &Transformer,
        shape: TransformerShape,
    ) -> Result<Vec<f32>, EncoderError> {
        let mut parameters = vec![0.0; transformer.parameters()];
        let TransformerShape { width, inner, .. } = shape;
        let norm = |name: &str| -> Result<_, EncoderError> {
            let name = format!("{name}.LayerNorm");
            let scale = self.get(&name, &["weight", "gamma"], &[width])?;
            Ok((scale, self.get(&name, &["bias", "beta"], &[width])?))
        };
        let linear = |name: &str, inputs: usize, outputs: usize| -> Result<_, EncoderError> {
            let weight = self.get(name, &["weight"], &[outputs, inputs])?;
            Ok((weight, self.get(name, &["bias"], &[outputs])?))
        };
        let (scale, shift) = norm("embeddings")?;
        transformer.norm.set(&mut parameters, &scale, &shift);
        for (number, layer) in transformer.layers.iter().enumerate() {
            let name = |part: &str| format!("encoder.layer.{number}.{part}");
            for (kind, part) in ["query", "key", "value"].into_iter().enumerate() {
                let part = name(&format!("attention.self.{part}"));
                let (rows, biases) = linear(&part, width, width)?;
                layer.attend.set(&mut parameters, kind * width, &rows, &biases);
            }
            for (target, part, inputs, outputs) in [
                (&layer.mix, "attention.output.dense", width, width),
                (&layer.widen, "intermediate.dense", width, inner),
                (&layer.narrow, "output.dense", inner, width),
            ] {
                let (rows, biases) = linear(&name(part), inputs, outputs)?;
                target.set(&mut parameters, 0, &rows, &biases);
            }
            for (target, part) in [(&layer.mix_norm, "attention.output"), (&layer.norm, "output")] {
                let (scale, shift) = norm(&name(part))?;
                target.set(&mut parameters, &scale, &shift);
            }
        }
        Ok(parameters)
    }
}
