//! Settings of training: defaults, then the file of `--config`, then flags.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use spantree::graph::{Decoder, Grandchildren};
use spantree::train::{Cost, Kind, Mixing, Rule, TrainConfig};
use spantree::transition::TransitionSystem;
use spantree::treebank::transform::Scheme;

/// The settings that have a flag. What is not given keeps its value in the file, or its default.
#[derive(clap::Args)]
pub(super) struct Settings {
    /// A TOML file with settings; flags win. --print-config shows all settings and their defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The kind of parser [default: neural, or the kind to which other flags belong, such as --order or --beam]
    #[arg(long, value_name = "KIND")]
    parser: Option<ParserChoice>,
    /// transition: arc-eager, arc-hybrid, arc-standard, arc-queue, lr-spine, easy-first (projective), swap (all trees), arc-edit
    /// (speech with repairs) [default: arc-standard]
    #[arg(long, value_name = "SYSTEM")]
    system: Option<TransitionSystem>,
    /// transition: number of states kept side by side; 1 is greedy and fastest [default: 1]
    #[arg(long, value_name = "N")]
    beam: Option<usize>,
    /// Largest number of epochs [default: 15; log-linear in higher orders: 9; neural: by the size of the treebank]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Stop when dev LAS has not risen for N epochs; neural runs all epochs [default: 6]
    #[arg(long, value_name = "N")]
    patience: Option<u64>,
    /// eisner: projective trees; mst: all trees; 1ec: arcs may cross, each from one word only; cube: projective, with labels, for orders above 1 [default: by the share of crossing arcs; neural: what is best on dev]
    #[arg(long, value_name = "DECODER")]
    decoder: Option<Decoder>,
    /// Number of arcs that a feature may look at: 1, 2 (siblings, grandparents) or 3 (both at once, three siblings); cube or 1ec: 3 with that decoder [default: 1]
    #[arg(long, value_name = "N")]
    order: Option<Order>,
    /// Orders above 1: which grandchildren features look at [default: all]
    #[arg(long, value_name = "WHICH")]
    grandchildren: Option<GrandchildrenChoice>,
    /// How weights are updated [default: pa; in higher orders with eisner: log-linear]
    #[arg(long, value_name = "RULE")]
    learner: Option<LearnerChoice>,
    /// pa: largest step on one sentence [default: 0.02]
    #[arg(long, value_name = "C")]
    aggressiveness: Option<f64>,
    /// pa: compare gold with the best tree; the margin is the square root of its cost
    #[arg(long)]
    square_root: bool,
    /// mira-k: number of trees that gold is compared with [default: 5]
    #[arg(long, value_name = "K")]
    k: Option<usize>,
    /// log-linear: length of the steps [default: 0.03]
    #[arg(long, value_name = "STEP")]
    step: Option<f64>,
    /// log-linear: strength of the regulariser per sentence [default: 0]
    #[arg(long, value_name = "L2")]
    l2: Option<f64>,
    /// What a mistake costs [default: labels]
    #[arg(long, value_name = "COST")]
    cost: Option<CostChoice>,
    /// With eisner, encode crossing arcs in the labels (head, path or head+path) instead of lifting them [default: head in higher orders without --decoder]
    #[arg(long, value_name = "SCHEME")]
    pseudo_projective: Option<Scheme>,
    /// Train on N parts of the data in parallel and mix the weights after each epoch; the model depends on N, but not with
    /// --parser neural [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How the weights of the threads are mixed [default: uniform]
    #[arg(long, value_name = "HOW")]
    mixing: Option<MixingChoice>,
    /// Seed of the shuffles [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ParserChoice {
    /// sparse features score arcs, a spanning tree is decoded
    Graph,
    /// a recurrent network scores arcs, a spanning tree is decoded
    Neural,
    /// sparse features score actions that build the tree step by step: fast
    Transition,
}

impl From<ParserChoice> for Kind {
    fn from(choice: ParserChoice) -> Self {
        match choice {
            ParserChoice::Graph => Kind::Graph,
            ParserChoice::Neural => Kind::Neural,
            ParserChoice::Transition => Kind::Transition,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum LearnerChoice {
    /// cost-augmented passive-aggressive
    Pa,
    /// 1-best MIRA
    Mira,
    /// MIRA over the k best trees
    MiraK,
    /// MIRA over single arcs, without decoding
    MiraFactored,
    /// averaged perceptron
    Perceptron,
    /// log-likelihood, by AdaGrad
    LogLinear,
}

impl From<LearnerChoice> for Rule {
    fn from(choice: LearnerChoice) -> Self {
        match choice {
            LearnerChoice::Pa => Rule::Pa,
            LearnerChoice::Mira => Rule::Mira,
            LearnerChoice::MiraK => Rule::MiraK,
            LearnerChoice::MiraFactored => Rule::MiraFactored,
            LearnerChoice::Perceptron => Rule::Perceptron,
            LearnerChoice::LogLinear => Rule::LogLinear,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum GrandchildrenChoice {
    /// each child with the head of its head
    All,
    /// the outermost child of a word on each side
    Outermost,
}

impl From<GrandchildrenChoice> for Grandchildren {
    fn from(choice: GrandchildrenChoice) -> Self {
        match choice {
            GrandchildrenChoice::All => Grandchildren::All,
            GrandchildrenChoice::Outermost => Grandchildren::Outermost,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum CostChoice {
    /// a wrong head 1, a wrong label nothing
    Heads,
    /// a wrong head 1, a wrong label on a right arc one half
    Labels,
}

/// A number of arcs, or the name of a decoder that stands for the third order.
#[derive(Clone, Copy)]
struct Order {
    arcs: u32,
    decoder: Option<Decoder>,
}

impl FromStr for Order {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(decoder @ (Decoder::Cube | Decoder::OneEndpointCrossing)) => {
                Ok(Self { arcs: 3, decoder: Some(decoder) })
            }
            _ => match text.parse() {
                Ok(arcs) => Ok(Self { arcs, decoder: None }),
                Err(_) => Err("choose 1, 2, 3, cube or 1ec"),
            },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum MixingChoice {
    /// all threads count the same
    Uniform,
    /// by the number of sentences that changed the weights
    Errors,
}

impl Settings {
    /// The settings in force, checked.
    pub(super) fn config(&self) -> Result<TrainConfig> {
        let mut config = self.read_file()?;
        config.parser = self.parser.map(Kind::from).or(config.parser);
        set(&mut config.transition.system, self.system);
        set(&mut config.transition.beam, self.beam);
        set(&mut config.epochs, self.epochs);
        set(&mut config.likelihood_epochs, self.epochs);
        config.neural.epochs = self.epochs.or(config.neural.epochs);
        set(&mut config.patience, self.patience);
        set(&mut config.order, self.order.map(|order| order.arcs));
        set(&mut config.grandchildren, self.grandchildren.map(Grandchildren::from));
        set(&mut config.threads, self.threads);
        config.min_dev_threads = std::thread::available_parallelism().map_or(1, usize::from);
        set(&mut config.seed, self.seed);
        config.decoder = self.decoder()?.or(config.decoder);
        config.pseudo_projective = self.pseudo_projective.or(config.pseudo_projective);
        config.learner.rule = self.learner.map(Rule::from).or(config.learner.rule);
        set(&mut config.learner.aggressiveness, self.aggressiveness);
        set(&mut config.learner.square_root, self.square_root.then_some(true));
        set(&mut config.learner.k, self.k);
        set(&mut config.learner.step, self.step);
        set(&mut config.learner.l2, self.l2);
        let label_cost = |cost| match cost {
            CostChoice::Heads => 0.0,
            CostChoice::Labels => Cost::default().label,
        };
        set(&mut config.cost.label, self.cost.map(label_cost));
        let mixing = |mixing| match mixing {
            MixingChoice::Uniform => Mixing::Uniform,
            MixingChoice::Errors => Mixing::Errors,
        };
        set(&mut config.mixing, self.mixing.map(mixing));
        config.check()?;
        Ok(config)
    }

    /// The decoder that the flags name.
    fn decoder(&self) -> Result<Option<Decoder>> {
        let by_order = self.order.and_then(|order| order.decoder);
        match (self.decoder, by_order) {
            (Some(given), Some(named)) if given != named => {
                bail!("--order {named} is --order 3 --decoder {named}; leave out --decoder {given}")
            }
            (given, named) => Ok(given.or(named)),
        }
    }

    fn read_file(&self) -> Result<TrainConfig> {
        let Some(path) = &self.config else { return Ok(TrainConfig::default()) };
        let name = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("{name}: cannot read"))?;
        toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = 1 + text.bytes().take(start).filter(|&byte| byte == b'\n').count();
            anyhow!("{name}:{line}: {}", error.message().replace('\n', " "))
        })
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
