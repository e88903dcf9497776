//! Training all stages of a model on one treebank.
//!
//! The parser will read predicted tags and lemmas, so it is trained on such (`folds`), see [`Tags`]. A stage that the data do not support (no tags, no lemmas, no trees) is left out.

use std::borrow::Cow;

use spantree_learn::jackknife;
use spantree_treebank::Sentence;
use thiserror::Error;

use super::folds::{self, Tagged, Wanted};
use super::{Pipeline, Stages};
use crate::enhance::{self, EnhanceError, EnhancerConfig};
use crate::lemma::{LemmaError, LemmaOptions, Lemmatiser, LemmatiserConfig, LemmatiserTrainer};
use crate::model::ModelError;
use crate::neural::{
    self,
    train::{Data, RightTags, TaggerBeliefs},
};
use crate::parser::Parser;
use crate::segment::{self, Segmenter};
use crate::tag::{self, Beliefs, TagOptions, Tagger, TaggerConfig, TaggerTrainer};
use crate::train::{self, Kind, TrainConfig, Trainer};

/// Which tags and lemmas the parser learns from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tags {
    /// Those of the treebank: best when the input will have correct tags.
    Gold,
    /// Predicted ones: best for raw text.
    Predicted,
    /// Gold and predicted ones in turn: good for both.
    #[default]
    Both,
}

/// Which stages to train, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineConfig {
    /// Train a segmenter.
    pub segment: bool,
    /// Train a tagger.
    pub tag: bool,
    /// Train a lemmatiser.
    pub lemmatise: bool,
    /// Train a parser.
    pub parse: bool,
    /// Train an enhancer.
    pub enhance: bool,
    /// What the parser learns from, if there is a tagger.
    pub tags: Tags,
    /// Number of parts in jack-knifing.
    pub folds: usize,
    /// Settings of the tagger; the seed is that of the parser.
    pub tagger: TaggerConfig,
    /// Settings of the parser; its seed and sources serve all stages.
    pub parser: TrainConfig,
    /// Settings of the enhancer; the seed is that of the parser.
    pub enhancer: EnhancerConfig,
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            segment: true,
            tag: true,
            lemmatise: true,
            parse: true,
            enhance: false,
            tags: Tags::default(),
            folds: 5,
            tagger: TaggerConfig::default(),
            parser: TrainConfig::default(),
            enhancer: EnhancerConfig::default(),
        }
    }
}

/// What is going on; for progress bars and logs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// In the segmenter.
    Segmenter(segment::train::Progress),
    /// An epoch of the tagger is over.
    Tagger(tag::EpochDone),
    /// The lemmatiser is trained; its accuracy with predicted tags in per cent, if there is a development set.
    Lemmatiser(Option<f64>),
    /// The training data are being tagged and lemmatised in so many folds.
    JackKnife(usize),
    /// In the parser.
    Parser(train::Progress),
    /// The enhancer is trained; F1 of its labelled arcs on gold trees in per cent, if there is a development set.
    Enhancer(Option<f64>),
}

/// Why training failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PipelineTrainError {
    /// The segmenter.
    #[error(transparent)]
    Segmenter(#[from] segment::TrainError),
    /// The tagger.
    #[error(transparent)]
    Tagger(#[from] tag::TrainError),
    /// The lemmatiser.
    #[error(transparent)]
    Lemmatiser(#[from] LemmaError),
    /// The parser.
    #[error(transparent)]
    Parser(#[from] train::TrainError),
    /// The enhancer.
    #[error(transparent)]
    Enhancer(#[from] EnhanceError),
    /// The file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Nothing was asked for.
    #[error("no stage was asked for; choose at least one")]
    NoStage,
}

/// Trains the stages one after the other. Without `dev` all epochs are run and probabilities are not calibrated.
///
/// # Errors
/// When the data cannot be trained on, or a checkpoint fails.
pub fn train(
    config: &PipelineConfig,
    train: &[Sentence],
    dev: &[Sentence],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Pipeline, PipelineTrainError> {
    distill(config, (train, &[]), dev, progress)
}

/// The same with silver: sentences with tags and trees by another model, a better one. The tagger learns from gold and as many
/// words of silver, the parser from gold and the rest, which the tagger did not see: as for gold, its tags there are such as
/// the parser will get. All other stages learn from gold alone.
///
/// # Errors
/// When the data cannot be trained on, or a checkpoint fails.
pub fn distill(
    config: &PipelineConfig,
    (train, silver): (&[Sentence], &[Sentence]),
    dev: &[Sentence],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Pipeline, PipelineTrainError> {
    if !(config.segment || config.tag || config.lemmatise || config.parse || config.enhance) {
        return Err(PipelineTrainError::NoStage);
    }
    let mut stages = Stages::default();
    let for_tags = if config.tag && has_tags(train) { as_many_words(silver, train) } else { 0 };
    let (for_tags, silver) = silver.split_at(for_tags);
    if config.segment {
        stages.segmenter = Some(train_segmenter(config, train, dev, progress)?);
    }
    if config.tag && has_tags(train) {
        let trainer = tagger_trainer(config);
        let report = &mut |done| progress(Progress::Tagger(done));
        stages.tagger = Some(trainer.train(&joined(train, for_tags), dev, report)?);
    }
    if config.lemmatise && train.iter().flat_map(Sentence::words).any(|word| word.lemma() != "_") {
        let lemmatiser = train_lemmatiser(config, stages.tagger.as_ref(), train, dev)?;
        progress(Progress::Lemmatiser(lemmatiser.header().dev));
        stages.lemmatiser = Some(lemmatiser);
    }
    if config.parse {
        let data = Parts { train, for_tags, silver, dev };
        stages.parser = Some(train_parser(config, &stages, data, progress)?);
    }
    if config.enhance {
        let settings = EnhancerConfig { seed: config.parser.seed, ..config.enhancer };
        let enhancer = enhance::train(&settings, train, dev)?;
        progress(Progress::Enhancer(enhancer.header().dev));
        stages.enhancer = Some(enhancer);
    }
    Ok(Pipeline::new(&stages, config.parser.sources.clone())?)
}

/// How many sentences of silver have as many words as gold, or half of its words if there are not so many.
fn as_many_words(silver: &[Sentence], gold: &[Sentence]) -> usize {
    let words = |sentences: &[Sentence]| sentences.iter().map(Sentence::len).sum::<usize>();
    let most = words(gold).min(words(silver) / 2);
    let mut sum = 0;
    let fits = |sent: &&Sentence| {
        sum += sent.len();
        sum <= most
    };
    silver.iter().take_while(fits).count()
}

fn has_tags(train: &[Sentence]) -> bool {
    train.iter().flat_map(Sentence::words).any(|word| word.upos() != "_")
}

fn tagger_trainer(config: &PipelineConfig) -> TaggerTrainer {
    TaggerTrainer::new(TaggerConfig { seed: config.parser.seed, ..config.tagger.clone() })
}

fn train_segmenter(
    config: &PipelineConfig,
    train: &[Sentence],
    dev: &[Sentence],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Segmenter, PipelineTrainError> {
    let settings = segment::TrainConfig {
        seed: config.parser.seed,
        sources: config.parser.sources.clone(),
        ..segment::TrainConfig::default()
    };
    let mut report = |step| progress(Progress::Segmenter(step));
    Ok(segment::train(&settings, train, dev, &mut report)?)
}

/// The lemmatiser, scored with predicted tags.
fn train_lemmatiser(
    config: &PipelineConfig,
    tagger: Option<&Tagger>,
    train: &[Sentence],
    dev: &[Sentence],
) -> Result<Lemmatiser, PipelineTrainError> {
    let mut dev = dev.to_vec();
    if let Some(tagger) = tagger {
        let mut worker = tagger.worker();
        dev.iter_mut().for_each(|sent| {
            worker.tag(sent, &TagOptions::default());
        });
    }
    Ok(lemmatiser_trainer(config).train(train, &dev, &mut |_, _| ())?)
}

pub(super) fn lemmatiser_trainer(config: &PipelineConfig) -> LemmatiserTrainer {
    let seed = config.parser.seed;
    LemmatiserTrainer::new(LemmatiserConfig { seed, ..LemmatiserConfig::default() })
}

/// What a parser and the taggers before it learn from.
#[derive(Clone, Copy)]
struct Parts<'a> {
    train: &'a [Sentence],
    /// Silver that the tagger saw.
    for_tags: &'a [Sentence],
    /// Silver for the parser.
    silver: &'a [Sentence],
    dev: &'a [Sentence],
}

fn train_parser(
    config: &PipelineConfig,
    stages: &Stages,
    Parts { train, for_tags, silver, dev }: Parts<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Parser, PipelineTrainError> {
    // One sentence cannot be tagged by a tagger that did not see it.
    let folds = jackknife(train.len(), config.folds.max(2).min(train.len()));
    let folds = folds.filter(|_| config.tags != Tags::Gold);
    let (Some(tagger), Some(folds)) = (&stages.tagger, folds) else {
        return train_kind(config, Data { silver, ..Data::new(train, dev) }, progress);
    };
    progress(Progress::JackKnife(folds.len()));
    let (tagset, lemmatiser) = (tagger.tagset(), stages.lemmatiser.as_ref());
    let wanted = Wanted { tagset, calibrated: !dev.is_empty(), lemmas: lemmatiser.is_some() };
    let mut tagged = folds::predict(config, &folds, (train, for_tags), wanted)?;
    let [tagged_silver, tagged_dev] =
        [silver, dev].map(|sentences| annotated(tagger, lemmatiser, sentences));
    let versions = if config.tags == Tags::Both { 2 } else { 1 };
    if versions == 2 {
        tagged.sentences.extend_from_slice(train);
    }
    let beliefs = TaggerBeliefs {
        train: &tagged.beliefs,
        silver: &tagged_silver.beliefs,
        dev: &tagged_dev.beliefs,
    };
    let data = Data {
        train: &tagged.sentences,
        versions,
        silver: &tagged_silver.sentences,
        dev: &tagged_dev.sentences,
        right_tags: Some(RightTags { tagset, train, silver, dev, beliefs }),
    };
    train_kind(config, data, progress)
}

/// Sentences with the tags and lemmas of these stages, which did not learn from them.
fn annotated(tagger: &Tagger, lemmatiser: Option<&Lemmatiser>, sentences: &[Sentence]) -> Tagged {
    let (mut tagger, mut lemmatiser) = (tagger.worker(), lemmatiser.map(Lemmatiser::worker));
    let annotate = |sent: &Sentence| {
        let (mut sent, mut beliefs) = (sent.clone(), Beliefs::default());
        tagger.tag(&mut sent, &TagOptions::default());
        tagger.write_beliefs(&mut beliefs);
        if let Some(lemmatiser) = &mut lemmatiser {
            lemmatiser.lemmatise(&mut sent, &LemmaOptions { keep: false });
        }
        (sent, beliefs)
    };
    sentences.iter().map(annotate).collect()
}

/// Trains a parser of the kind that is asked for.
fn train_kind(
    config: &PipelineConfig,
    data: Data<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Parser, PipelineTrainError> {
    let mut report = |step| progress(Progress::Parser(step));
    let Data { versions, dev, .. } = data;
    match config.parser.kind() {
        Kind::Graph => {
            let trainer = Trainer::new(config.parser.clone());
            let train = all_versions(data);
            Ok(trainer.train_versions(&train, versions, dev, &mut report)?.into())
        }
        Kind::Neural => Ok(neural::train::train(&config.parser, data, &mut report)?.into()),
        Kind::Transition => {
            let data = (&*all_versions(data), versions);
            Ok(train::train_transition(&config.parser, data, dev, &mut report)?.into())
        }
    }
}

/// All versions of gold with silver in each.
fn all_versions(data: Data<'_>) -> Cow<'_, [Sentence]> {
    let Data { train, versions, silver, .. } = data;
    if silver.is_empty() {
        return Cow::Borrowed(train);
    }
    let versions = train.chunks((train.len() / versions.max(1)).max(1));
    versions.flat_map(|gold| joined(gold, silver).into_owned()).collect()
}

fn joined<'a>(gold: &'a [Sentence], silver: &'a [Sentence]) -> Cow<'a, [Sentence]> {
    if silver.is_empty() { Cow::Borrowed(gold) } else { Cow::Owned([gold, silver].concat()) }
}
