//! One training run: epochs of batches, each judged on the development set, then calibration.

use std::time::Instant;

use spantree_learn::epoch_order;
use spantree_neural::{Network, Rng};
use spantree_treebank::{Sentence, Token};

use super::batch::Example;
use super::checkpoint::Checkpoint;
use super::step::Step;
use super::{Data, RightTags};
use crate::feature::{Columns, hash};
use crate::graph::{Decoder, LabelSet, MAX_LABELS};
use crate::model::{Calibration, DevScores, TrainingInfo};
use crate::neural::input::{Inputs, default_atoms};
use crate::neural::rounded::Rounded;
use crate::neural::{Header, NeuralConfig, Parser, tags};
use crate::parser::ParseOptions;
use crate::tag::{JointChoice, Mixture, TagSet};
use crate::train::calibrate::calibrate;
use crate::train::checkpoint::{Identity, identity};
use crate::train::data::{compare, inspect};
use crate::train::evaluate::attachment_of_groups;
use crate::train::run::scored;
use crate::train::{Observer, Progress, TrainConfig, TrainError, choose_decoder};

/// See the [module](self).
pub(super) struct Run<'a> {
    config: &'a TrainConfig,
    dev: &'a [Sentence],
    progress: Observer<'a>,
    start: Instant,
    info: TrainingInfo,
    inputs: Inputs,
    header: Header,
    network: Network,
    /// All versions of the sentences, one version after the other.
    examples: Vec<Example>,
    versions: usize,
    tagset: TagSet,
    right_tags: Option<RightTags<'a>>,
    checkpoint: Checkpoint,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        config: &'a TrainConfig,
        data: Data<'a>,
        progress: Observer<'a>,
    ) -> Result<Self, TrainError> {
        let start = Instant::now();
        config.check()?;
        let Data { train, dev, right_tags, .. } = data;
        let versions = data.versions.max(1);
        let mut warn = |warning| progress(Progress::Warning(warning));
        let info = inspect(config, &train[..train.len() / versions], &mut warn)?;
        compare(train, dev, &mut warn);
        let dev = scored(dev, &mut warn);
        let labels = LabelSet::from_treebank(train);
        let is_arc =
            |word: Token<'_>| word.head().is_some() && labels.number(word.deprel()).is_some();
        if !train.iter().flat_map(Sentence::words).any(is_arc) {
            return Err(TrainError::NoArc);
        }
        if labels.len() > MAX_LABELS {
            return Err(TrainError::TooManyLabels { found: labels.len() });
        }
        let atoms = default_atoms(Columns::of(train));
        let mut inputs = Inputs::from_treebank(&atoms, train, config.neural.minimum * versions);
        if right_tags.is_some() {
            // Where all tags are predicted, there is nothing to tell apart.
            let predicted = if versions > 1 { &train[..train.len() / versions] } else { &[] };
            inputs = inputs.with_predicted_tags(predicted);
        }
        let tagset = right_tags.and_then(|tags| TagSet::from_treebank(tags.train));
        let tagset = tagset.unwrap_or_default();
        let NeuralConfig { cell, sizes, .. } = config.neural;
        let shape = sizes.shape(cell, inputs.rows(), labels.len(), tagset.part_count());
        let network = Network::new(shape);
        let run = match &config.checkpoint {
            Some(_) => identity(config, (train, dev)),
            None => Identity::new(),
        };
        let checkpoint = Checkpoint::new(config, run, network.initial(config.seed))?;
        let decoder = config.decoder.unwrap_or_else(|| choose_decoder(info.non_projective));
        let weights = inputs.rows() * config.neural.sizes.width + network.parameters();
        let memory = weights * MEMORY_PER_WEIGHT;
        let non_projective = info.non_projective;
        progress(Progress::Start { memory, decoder: decoder.to_string(), non_projective });
        Ok(Self {
            config,
            dev,
            progress,
            start,
            header: header(config, &info, &labels, &inputs, &tagset, decoder.to_string()),
            info,
            examples: examples(data, &inputs, &labels, &tagset),
            inputs,
            network,
            versions,
            tagset,
            right_tags,
            checkpoint,
        })
    }

    pub(super) fn learn(&mut self) -> Result<(), TrainError> {
        let epochs = self.config.neural.epochs(self.info.words, self.versions);
        while self.checkpoint.epochs < epochs {
            let epoch = self.checkpoint.epochs + 1;
            let sentences = self.examples.len() / self.versions;
            (self.progress)(Progress::EpochStart { epoch, sentences });
            let loss = self.epoch(epoch - 1, epochs);
            self.checkpoint.epochs = epoch;
            let dev = self.judge();
            self.checkpoint.save()?;
            (self.progress)(Progress::TreeEpoch {
                epoch,
                loss: loss / self.info.words as f64,
                dev: dev.map(|scores| (scores.uas, scores.las)),
                seconds: self.start.elapsed().as_secs_f64(),
            });
        }
        Ok(())
    }

    /// Learns from each sentence once, in one of its versions, and returns the sum of losses.
    fn epoch(&mut self, number: u64, epochs: u64) -> f64 {
        let count = self.examples.len() / self.versions;
        let order = epoch_order(count, self.config.seed, number);
        let size = self.config.neural.batch(self.info.words);
        let rng = Rng::new(hash::mix(self.config.seed, number));
        let mut step = Step::new((&self.network, &self.tagset), self.config, rng);
        let (mut batch, mut words, mut done, mut loss) = (Vec::new(), 0, 0, 0.0);
        for (place, index) in order.iter().enumerate() {
            let index = *index as usize;
            let version = (index + number as usize) % self.versions;
            batch.push(&self.examples[version * count + index]);
            words += self.examples[index].len();
            if words >= size || place + 1 == order.len() {
                let share = done as f64 / self.info.words as f64;
                let left = 1.0 - (number as f64 + share) / epochs as f64;
                loss += step.take(&batch, left, &mut self.checkpoint);
                batch.drain(..).for_each(|_| (self.progress)(Progress::Sentence));
                done += words;
                words = 0;
            }
        }
        loss
    }

    /// Parses the development set with the averaged weights and keeps them if they are the best so far.
    fn judge(&mut self) -> Option<DevScores> {
        let average = self.checkpoint.adam.averaged(&self.checkpoint.weights);
        let rounded = Rounded::new(&average, self.config.neural.sizes.width);
        let scores = (!self.dev.is_empty()).then(|| {
            let header = self.header.clone();
            let (inputs, tagset) = (self.inputs.clone(), self.tagset.clone());
            let parser = Parser::assemble(header, inputs, tagset, rounded.clone());
            self.scores(&parser)
        });
        self.checkpoint.record(scores, rounded);
        scores
    }

    /// The scores of a parser on the development set.
    fn scores(&self, parser: &Parser) -> DevScores {
        let predicted_tags = self.right_tags.is_some();
        let options = ParseOptions { predicted_tags, ..ParseOptions::default() };
        attachment_of_groups(self.dev, self.config.dev_threads(), |sentences| {
            parser.worker().parse_all(sentences, &options, |_, _| ());
        })
    }

    /// Chooses the decoder that does best on the development set: what crossing arcs are worth depends on how well they are
    /// found. The one that was used so far wins a tie.
    fn choose_decoder(&mut self, parser: &Parser) -> Parser {
        for decoder in [Decoder::Eisner, Decoder::Mst] {
            let decoder = decoder.to_string();
            let header = Header { decoder, ..self.header.clone() };
            let scores = self.scores(&parser.with_header(header.clone()));
            if self.header.dev.is_none_or(|dev| scores.las > dev.las) {
                self.header = Header { dev: Some(scores), ..header };
            }
        }
        if let Some(dev) = self.header.dev {
            let decoder = self.header.decoder.clone();
            (self.progress)(Progress::Decoder { decoder, dev: (dev.uas, dev.las) });
        }
        parser.with_header(self.header.clone())
    }

    pub(super) fn finish(mut self) -> Result<Parser, TrainError> {
        let Some(best) = self.checkpoint.best.take() else { return Err(TrainError::NoEpoch) };
        self.header.training.epochs = self.checkpoint.epochs;
        self.header.training.best_epoch = best.epoch;
        self.header.dev = best.scores;
        self.header.retags = self.right_tags.is_some();
        let (inputs, tagset) = (self.inputs.clone(), self.tagset.clone());
        let mut parser = Parser::assemble(self.header.clone(), inputs, tagset, best.weights);
        if self.config.decoder.is_none() && !self.dev.is_empty() {
            parser = self.choose_decoder(&parser);
        }
        if let Some(right) = self.right_tags.filter(|right| right.dev.len() == self.dev.len()) {
            let read = tags::accuracy(self.dev, right.dev);
            let (mixture, corrected) = choose_mixture(&parser, &self.tagset, self.dev, right);
            self.header.mixture = mixture;
            self.header.retags = corrected.iter().sum::<f64>() > read.iter().sum();
            parser = parser.with_header(self.header.clone());
            (self.progress)(Progress::Retagged { read, corrected });
        }
        if !self.dev.is_empty() {
            (self.progress)(Progress::Calibrate);
            let header = self.header;
            let with = |calibration| parser.with_header(Header { calibration, ..header.clone() });
            let threads = self.config.dev_threads();
            let calibration = calibrate(self.dev, threads, |tried| Ok(with(tried).into()))?;
            parser = with(calibration);
        }
        self.checkpoint.remove();
        Ok(parser)
    }
}

/// The best way to choose tags together with the tagger, and the accuracy of tags on the development set with it.
fn choose_mixture(
    parser: &Parser,
    tagset: &TagSet,
    dev: &[Sentence],
    right: RightTags<'_>,
) -> (Mixture, [f64; 3]) {
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    let mut scores = Vec::with_capacity(dev.len());
    parser.worker().parse_all(&mut dev.to_vec(), &options, |_, found| {
        scores.push(found.map(|analysis| analysis.tag_scores.clone()).unwrap_or_default());
    });
    let mut best = (Mixture::default(), [0.0; 3]);
    for mixture in Mixture::choices() {
        let mut choice = JointChoice::new(tagset, mixture);
        let mut corrected = dev.to_vec();
        for (sent, opinions) in corrected.iter_mut().zip(right.beliefs.iter().zip(&scores)) {
            choice.write(sent, (opinions.0, opinions.1), None);
        }
        let found = tags::accuracy(&corrected, right.dev);
        if found.iter().sum::<f64>() > best.1.iter().sum() {
            best = (mixture, found);
        }
    }
    best
}

/// The examples of all versions; those of the first one have the right tags, if these are known.
fn examples(data: Data<'_>, inputs: &Inputs, labels: &LabelSet, tagset: &TagSet) -> Vec<Example> {
    let right = data.right_tags.map_or(&[][..], |tags| tags.train).iter().map(Some);
    let right = right.chain(std::iter::repeat(None));
    let examples = data.train.iter().zip(right).map(|(sent, right)| match right {
        Some(right) => Example::corrected(inputs, labels, (sent, right), tagset),
        None => Example::new(inputs, labels, sent),
    });
    examples.collect()
}

/// Bytes per weight: the weight, its gradient, two means and an average.
const MEMORY_PER_WEIGHT: usize = 5 * size_of::<f32>();

fn header(
    config: &TrainConfig,
    info: &TrainingInfo,
    labels: &LabelSet,
    inputs: &Inputs,
    tagset: &TagSet,
    decoder: String,
) -> Header {
    Header {
        decoder,
        training: info.clone(),
        dev: None,
        labels: labels.names().to_vec(),
        inputs: inputs.atoms().map(|atom| atom.to_string()).collect(),
        cell: config.neural.cell,
        sizes: config.neural.sizes,
        calibration: Calibration::default(),
        tags: tagset.names().to_vec(),
        retags: false,
        mixture: Mixture::default(),
    }
}
