//! One training run: epochs of batches, each judged on the development set, then calibration.

use std::time::Instant;

use spantree_neural::{Network, Rng};
use spantree_treebank::{Sentence, Token};

use super::batch::Example;
use super::checkpoint::Checkpoint;
use super::examples::{Examples, Maker};
use super::step::Step;
use super::{Data, RightTags};
use crate::feature::{Columns, hash};
use crate::graph::{Decoder, LabelSet, MAX_LABELS};
use crate::model::{Calibration, DevScores, TrainingInfo};
use crate::neural::input::{Inputs, TagInputs, default_atoms};
use crate::neural::rounded::Rounded;
use crate::neural::vectors::Memory;
use crate::neural::{Encoder, Header, NeuralConfig, Parser, tags};
use crate::parser::ParseOptions;
use crate::tag::{Beliefs, JointChoice, Mixture, TagSet};
use crate::train::calibrate::calibrate;
use crate::train::checkpoint::{Identity, identity};
use crate::train::data::{compare, fingerprint, inspect};
use crate::train::evaluate::{DevSet, attachment_of_groups};
use crate::train::run::scored;
use crate::train::{Observer, Progress, TrainConfig, TrainError, choose_decoder};

/// See the [module](self).
pub(super) struct Run<'a> {
    config: &'a TrainConfig,
    dev: DevSet<'a>,
    progress: Observer<'a>,
    start: Instant,
    info: TrainingInfo,
    inputs: Inputs,
    header: Header,
    network: Network,
    examples: Examples,
    versions: usize,
    tagset: TagSet,
    right_tags: Option<RightTags<'a>>,
    /// Gives words vectors, remembered for all sentences.
    encoder: Option<Encoder>,
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
        let dev = DevSet { sentences: scored(dev, &mut warn), beliefs: beliefs_of_dev(data) };
        let labels = LabelSet::from_treebank(train);
        let is_arc =
            |word: Token<'_>| word.head().is_some() && labels.number(word.deprel()).is_some();
        if !train.iter().flat_map(Sentence::words).any(is_arc) {
            return Err(TrainError::NoArc);
        }
        if labels.len() > MAX_LABELS {
            return Err(TrainError::TooManyLabels { found: labels.len() });
        }
        let inputs = inputs(config, data, versions);
        let tagset = right_tags.map(|tags| tags.tagset.clone()).unwrap_or_default();
        let decoder = config.decoder.unwrap_or_else(|| choose_decoder(info.non_projective));
        let header = Header {
            weighs_tags: weighs_tags(data),
            ..header(config, &info, &labels, &inputs, &tagset, decoder.to_string())
        };
        let network = Network::new(header.shape(inputs.rows(), tagset.part_count()));
        let run = match &config.checkpoint {
            Some(_) => run_identity(config, Data { dev: dev.sentences, ..data }),
            None => Identity::new(),
        };
        let checkpoint = Checkpoint::new(config, run, network.initial(config.seed))?;
        let weights = inputs.rows() * config.neural.sizes.width + network.parameters();
        let (memory, decoder) = (weights * MEMORY_PER_WEIGHT, decoder.to_string());
        progress(Progress::Start { memory, decoder, non_projective: info.non_projective });
        let memory = config.encoder.as_ref().map(|encoder| {
            let train = &train[..train.len() / versions];
            let sentences = train.len() + data.silver.len() + dev.sentences.len();
            progress(Progress::Encode { sentences });
            Memory::new(encoder, [train, data.silver, dev.sentences], config.dev_threads())
        });
        let maker = Maker {
            inputs: &inputs,
            tag_inputs: &TagInputs::new(&inputs, &tagset),
            labels: &labels,
            tagset: &tagset,
            memory: memory.as_ref(),
        };
        Ok(Self {
            config,
            dev,
            progress,
            start,
            header,
            info,
            examples: Examples::new(&maker, data, config.neural.silver),
            encoder: memory.map(Encoder::new),
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
            let sentences = self.examples.per_epoch();
            (self.progress)(Progress::EpochStart { epoch, sentences });
            let loss = self.epoch(epoch - 1, epochs);
            self.checkpoint.epochs = epoch;
            let dev = self.judge();
            self.checkpoint.save()?;
            (self.progress)(Progress::TreeEpoch {
                epoch,
                loss,
                dev: dev.map(|scores| (scores.uas, scores.las)),
                seconds: self.start.elapsed().as_secs_f64(),
            });
        }
        Ok(())
    }

    /// Learns from each sentence once, in one of its versions, and from some of silver; returns the mean loss per word.
    fn epoch(&mut self, number: u64, epochs: u64) -> f64 {
        let examples = self.examples.of_epoch(self.config.seed, number);
        let all: usize = examples.iter().map(|example| example.len()).sum();
        let size = self.config.neural.batch(self.info.words);
        let rng = Rng::new(hash::mix(self.config.seed, number));
        let mut step = Step::new((&self.network, &self.tagset), self.config, rng);
        let (mut rest, mut done, mut loss) = (examples.as_slice(), 0, 0.0);
        while !rest.is_empty() {
            let mut words = 0;
            let goes = |example: &&&Example| {
                let goes = words < size;
                words += if goes { example.len() } else { 0 };
                goes
            };
            let (batch, after) = rest.split_at(rest.iter().take_while(goes).count());
            rest = after;
            let left = 1.0 - (number as f64 + done as f64 / all as f64) / epochs as f64;
            loss += step.take(batch, left, &mut self.checkpoint);
            batch.iter().for_each(|_| (self.progress)(Progress::Sentence));
            done += words;
        }
        loss / all as f64
    }

    /// Parses the development set with the averaged weights and keeps them if they are the best so far.
    fn judge(&mut self) -> Option<DevScores> {
        let average = self.checkpoint.adam.averaged(&self.checkpoint.weights);
        let rounded = Rounded::new(&average, self.config.neural.sizes.width);
        let scores =
            (!self.dev.sentences.is_empty()).then(|| self.scores(&self.parser(rounded.clone())));
        self.checkpoint.record(scores, rounded);
        scores
    }

    /// The parser with these weights.
    fn parser(&self, weights: Rounded) -> Parser {
        let (inputs, tagset) = (self.inputs.clone(), self.tagset.clone());
        let parser = Parser::assemble(self.header.clone(), inputs, tagset, weights);
        parser.with_encoder(self.encoder.clone())
    }

    /// The scores of a parser on the development set.
    fn scores(&self, parser: &Parser) -> DevScores {
        let predicted_tags = self.right_tags.is_some();
        let options = ParseOptions { predicted_tags, ..ParseOptions::default() };
        attachment_of_groups(self.dev, self.config.dev_threads(), |sentences, beliefs| {
            parser.worker().parse_all((sentences, beliefs), &options, |_, _| ());
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
        self.header.retags = self.right_tags.is_some() && !self.dev.sentences.is_empty();
        let mut parser = self.parser(best.weights);
        if self.config.decoder.is_none() && !self.dev.sentences.is_empty() {
            parser = self.choose_decoder(&parser);
        }
        let dev = self.dev.sentences;
        if self.header.retags
            && let Some(right) = self.right_tags.filter(|right| right.dev.len() == dev.len())
        {
            let read = tags::accuracy(dev, right.dev);
            let (mixture, corrected) = choose_mixture(&parser, &self.tagset, self.dev, right);
            self.header.mixture = mixture;
            self.header.retags = corrected.iter().sum::<f64>() > read.iter().sum();
            parser = parser.with_header(self.header.clone());
            (self.progress)(Progress::Retagged { read, corrected });
        }
        if !self.dev.sentences.is_empty() {
            (self.progress)(Progress::Calibrate);
            let header = self.header;
            let with = |calibration| parser.with_header(Header { calibration, ..header.clone() });
            let threads = self.config.dev_threads();
            let calibration = calibrate(self.dev, threads, |tried| Ok(with(tried).into()))?;
            parser = with(calibration);
        }
        self.checkpoint.remove();
        Ok(parser.with_encoder(self.config.encoder.clone()))
    }
}

/// The best way to choose tags together with the tagger, and the accuracy of tags on the development set with it.
fn choose_mixture(
    parser: &Parser,
    tagset: &TagSet,
    dev: DevSet<'_>,
    right: RightTags<'_>,
) -> (Mixture, [f64; 3]) {
    let options = ParseOptions { predicted_tags: true, ..ParseOptions::default() };
    let DevSet { sentences: dev, beliefs } = dev;
    let mut scores = Vec::with_capacity(dev.len());
    parser.worker().parse_all((&mut dev.to_vec(), beliefs), &options, |_, found| {
        scores.push(found.map(|analysis| analysis.tag_scores.clone()).unwrap_or_default());
    });
    let mut best = (Mixture::default(), [0.0; 3]);
    for mixture in Mixture::choices() {
        let mut choice = JointChoice::new(tagset, mixture);
        let mut corrected = dev.to_vec();
        for (sent, opinions) in corrected.iter_mut().zip(right.beliefs.dev.iter().zip(&scores)) {
            choice.write(sent, (opinions.0, opinions.1), None);
        }
        let found = tags::accuracy(&corrected, right.dev);
        if found.iter().sum::<f64>() > best.1.iter().sum() {
            best = (mixture, found);
        }
    }
    best
}

/// Whether the network sees predicted tags by their probabilities.
fn weighs_tags(data: Data<'_>) -> bool {
    data.right_tags.is_some_and(|right| !right.beliefs.train.is_empty())
}

/// What is known of the development set when it is parsed.
fn beliefs_of_dev(data: Data<'_>) -> &[Beliefs] {
    let right = data.right_tags.filter(|_| weighs_tags(data));
    right.map(|right| right.beliefs.dev).unwrap_or_default()
}

/// What the network sees of words.
fn inputs(config: &TrainConfig, data: Data<'_>, versions: usize) -> Inputs {
    let Data { train, silver, .. } = data;
    let NeuralConfig { minimum, silver_minimum, .. } = config.neural;
    let inputs = Inputs::new(&default_atoms(Columns::of(train)), Vec::new());
    let inputs = inputs.with_grams(config.neural.grams());
    let mut inputs = inputs.with_frequent(train, minimum * versions);
    if !silver.is_empty() {
        inputs = inputs.with_frequent(silver, silver_minimum);
    }
    if data.right_tags.is_none() {
        return inputs;
    }
    // Where all tags are predicted, there is nothing to tell apart.
    let tagset = data.right_tags.filter(|_| versions > 1).map(|right| right.tagset);
    inputs.with_predicted_tags(tagset)
}

/// What a run must agree in to go on from a checkpoint.
fn run_identity(config: &TrainConfig, data: Data<'_>) -> Identity {
    let mut run = identity(config, (data.train, data.dev));
    if !data.silver.is_empty() {
        run.insert("silver data".to_owned(), format!("{:016x}", fingerprint(data.silver)).into());
    }
    if weighs_tags(data) {
        run.insert("tags".to_owned(), "weighed".into());
    }
    run
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
        grams: config.neural.grams(),
        cell: config.neural.cell,
        sizes: config.neural.sizes,
        calibration: Calibration::default(),
        tags: tagset.names().to_vec(),
        retags: false,
        mixture: Mixture::default(),
        weighs_tags: false,
        encoder: config.encoder.as_ref().map(Encoder::info),
    }
}
