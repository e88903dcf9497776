//! Settings of training: a Rust value, and the same as a file.
//!
//! Every field can stand in a settings file under its own name, except where the data come from and where checkpoints go;
//! what a file leaves out keeps its default.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use spantree_decode::cube::Update;
use spantree_learn::{
    CostMode, FactoredMira, Margin, Mira, PassiveAggressive, Rate, StochasticGradient, Weighting,
};
use spantree_treebank::transform::Scheme;

use super::cost::Cost;
use super::{TrainError, TransitionConfig, choose_decoder};
use crate::graph::{CubeWidth, Decoder, Grandchildren, Pruning, TemplateTexts};
use crate::model::Source;
use crate::neural::{Encoder, NeuralConfig};

/// The kind of parser to train; see [`crate::parser`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Sparse features score arcs; a spanning tree is decoded.
    Graph,
    /// A network scores arcs.
    Neural,
    /// Sparse features score actions that build the tree step by step.
    Transition,
}

/// How weights are updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Cost-augmented passive-aggressive with steps of at most [`LearnerConfig::aggressiveness`].
    Pa,
    /// 1-best MIRA: the smallest change that gives the gold tree a margin of its cost.
    Mira,
    /// The same for each of the [`LearnerConfig::k`] best trees.
    MiraK,
    /// The gold head of each word must win over every other head by its cost; no decoding.
    MiraFactored,
    /// Averaged perceptron.
    Perceptron,
    /// Log-likelihood, by AdaGrad with [`LearnerConfig::step`] and [`LearnerConfig::l2`]; in higher orders with costs.
    LogLinear,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 6] =
        [Rule::Pa, Rule::Mira, Rule::MiraK, Rule::MiraFactored, Rule::Perceptron, Rule::LogLinear];

    /// Whether labels are scored together with the heads in first order. The two rules that look at single arcs score bare arcs:
    /// the probabilities of training are then those of parsing, and the labels are chosen afterwards in any case.
    #[must_use]
    pub fn is_joint(self) -> bool {
        !matches!(self, Rule::MiraFactored | Rule::LogLinear)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Pa => "pa",
            Rule::Mira => "mira",
            Rule::MiraK => "mira-k",
            Rule::MiraFactored => "mira-factored",
            Rule::Perceptron => "perceptron",
            Rule::LogLinear => "log-linear",
        })
    }
}

/// What is corrected where the search is not exact, in the decoder `cube` (Zhang, Huang, Zhao & McDonald 2013).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Violations {
    /// Whole trees, if they score more than gold.
    Whole,
    /// The place of the chart where gold is farthest behind.
    #[default]
    Node,
    /// All such places that do not overlap.
    Frontier,
}

impl From<Violations> for Update {
    fn from(violations: Violations) -> Self {
        match violations {
            Violations::Whole => Update::Whole,
            Violations::Node => Update::Node,
            Violations::Frontier => Update::Frontier,
        }
    }
}

/// The learner; each rule uses the settings that name it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnerConfig {
    /// How weights are updated; `None`: by log-likelihood in higher orders with projective trees, else by `pa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    /// `pa`: C, the largest step on one sentence.
    pub aggressiveness: f64,
    /// `pa`: whether the margin is the square root of the cost, which asks less of long sentences. The guess is then the best
    /// tree without costs (Crammer et al. 2006, prediction-based updates).
    pub square_root: bool,
    /// `mira-k`: number of trees that gold is compared with.
    pub k: usize,
    /// Decoder `cube`: what is corrected.
    pub violation: Violations,
    /// `log-linear`: length of the steps.
    pub step: f64,
    /// `log-linear`: what is added to the size of all gradients that a weight has had, by which its steps are divided; keeps the steps
    /// of rare features small.
    pub damping: f64,
    /// `log-linear`: strength of the regulariser per sentence.
    pub l2: f64,
}

impl Default for LearnerConfig {
    fn default() -> Self {
        Self {
            rule: None,
            aggressiveness: 0.02,
            square_root: false,
            k: 5,
            violation: Violations::Node,
            step: 0.03,
            damping: 0.3,
            l2: 0.0,
        }
    }
}

impl LearnerConfig {
    /// The rule; see [`TrainConfig::settled`].
    pub(super) fn rule(&self) -> Rule {
        self.rule.unwrap_or(Rule::Pa)
    }

    pub(super) fn passive_aggressive(&self) -> PassiveAggressive {
        let cost_augmented = PassiveAggressive::cost_augmented(self.aggressiveness);
        match self.square_root {
            // A square root is no sum over words, so the cost cannot take part in the search for the guess.
            true => PassiveAggressive {
                margin: Margin::SquareRoot,
                decoding: CostMode::Plain,
                ..cost_augmented
            },
            false => cost_augmented,
        }
    }

    pub(super) fn mira_k(&self) -> Mira {
        Mira { k: self.k }
    }

    /// Constraints hold to a thousandth, or as well as 20 sweeps over a sentence can make them: exact solutions would be undone
    /// by the next sentence anyway.
    pub(super) fn mira_factored() -> FactoredMira {
        FactoredMira { tolerance: 1e-3, sweeps: 20 }
    }

    pub(super) fn stochastic_gradient(&self) -> StochasticGradient {
        let rate = match self.damping > 0.0 {
            true => Rate::Damped(self.damping as f32),
            false => Rate::Adaptive,
        };
        StochasticGradient { step: self.step as f32, rate, l2: self.l2 as f32 }
    }

    fn check(&self) -> Result<(), TrainError> {
        let positive = |value: f64| value > 0.0 && value <= 1e6;
        let number = "a positive number up to 1000000";
        if !positive(self.aggressiveness) {
            return Err(TrainError::setting("learner.aggressiveness", self.aggressiveness, number));
        }
        if !(1..=1000).contains(&self.k) {
            return Err(TrainError::setting("learner.k", self.k, "a number from 1 to 1000"));
        }
        if !positive(self.step) {
            return Err(TrainError::setting("learner.step", self.step, number));
        }
        for (name, value) in [("learner.l2", self.l2), ("learner.damping", self.damping)] {
            if !(0.0..=1e6).contains(&value) {
                return Err(TrainError::setting(name, value, "a number from 0 to 1000000"));
            }
        }
        Ok(())
    }
}

/// How much each thread's part of the data counts when the weights are mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mixing {
    /// The same.
    #[default]
    Uniform,
    /// By the number of sentences that changed the weights.
    Errors,
}

impl From<Mixing> for Weighting {
    fn from(mixing: Mixing) -> Self {
        match mixing {
            Mixing::Uniform => Weighting::Uniform,
            Mixing::Errors => Weighting::ByUpdates,
        }
    }
}

/// Settings; [`TrainConfig::default`] is meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// The kind of parser; `None` chooses by the other settings, see [`TrainConfig::kind`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser: Option<Kind>,
    /// Seed of the shuffles.
    pub seed: u64,
    /// Number of arcs that a feature may look at: 1, 2 (siblings, grandparents) or 3 (both at once, three siblings).
    pub order: u32,
    /// Which grandchildren a higher-order parser looks at.
    pub grandchildren: Grandchildren,
    /// Largest number of epochs for trees.
    pub epochs: u64,
    /// The same for log-likelihood in higher orders, which is as far after few.
    pub likelihood_epochs: u64,
    /// Epochs for the labels of finished trees.
    pub label_epochs: u64,
    /// Stop when dev LAS has not risen for this many epochs.
    pub patience: u64,
    /// The decoder; `None` chooses by the share of non-projective arcs, see [`choose_decoder`](super::choose_decoder).
    #[serde(with = "by_name", skip_serializing_if = "Option::is_none")]
    pub decoder: Option<Decoder>,
    /// What a projective decoder learns from crossing arcs: lifted arcs, or also labels by which they can be put back. Higher orders
    /// whose decoder is not given have labels.
    #[serde(with = "by_name", skip_serializing_if = "Option::is_none")]
    pub pseudo_projective: Option<Scheme>,
    /// How many arcs a higher-order parser scores.
    pub pruning: Pruning,
    /// How wide the search of the decoder `cube` is.
    pub cube: CubeWidth,
    /// Whether features of the decoder `cube` look at the number of modifiers.
    pub valency: bool,
    /// Binary logarithm of the largest table of arc weights.
    pub max_bits: u32,
    /// The same for the two tables of label weights.
    pub max_label_bits: u32,
    /// Whether to learn weights of features that occur on no gold arc, too; `None`: in graph parsers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_features: Option<bool>,
    /// The data are cut into as many parts, each learned by a thread of its own; the weights are mixed after each epoch.
    /// The result depends on this number, but not on the machine.
    pub threads: usize,
    /// How the weights of the threads are mixed.
    pub mixing: Mixing,
    /// How weights are updated.
    pub learner: LearnerConfig,
    /// What only transition parsers ask for.
    pub transition: TransitionConfig,
    /// What mistakes cost.
    pub cost: Cost,
    /// Settings of the network, for that kind of parser.
    pub neural: NeuralConfig,
    /// The templates; `None` chooses by the columns of the treebank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub templates: Option<TemplateTexts>,
    /// A pretrained encoder, as further input of a learned parser.
    #[serde(skip)]
    pub encoder: Option<Encoder>,
    /// Where the training data come from, for the model's header.
    #[serde(skip)]
    pub sources: Vec<Source>,
    /// At least so many threads parse the development set; nothing depends on their number.
    #[serde(skip)]
    pub min_dev_threads: usize,
    /// Where to save the state after each epoch.
    #[serde(skip)]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if there is one.
    #[serde(skip)]
    pub resume: bool,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            parser: None,
            seed: 1,
            order: 1,
            grandchildren: Grandchildren::All,
            epochs: 15,
            likelihood_epochs: 9,
            label_epochs: 10,
            patience: 6,
            decoder: None,
            pseudo_projective: None,
            pruning: Pruning::default(),
            cube: CubeWidth::default(),
            valency: false,
            max_bits: 22,
            max_label_bits: 21,
            all_features: None,
            threads: 1,
            mixing: Mixing::Uniform,
            learner: LearnerConfig::default(),
            transition: TransitionConfig::default(),
            cost: Cost::default(),
            neural: NeuralConfig::default(),
            templates: None,
            encoder: None,
            sources: Vec::new(),
            min_dev_threads: 1,
            checkpoint: None,
            resume: false,
        }
    }
}

impl TrainConfig {
    /// The kind of parser: the one asked for; else the one whose own settings were changed; else a learned one, the most
    /// accurate.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let plain = Self::default();
        let graph = self.order != plain.order
            || self.grandchildren != plain.grandchildren
            || self.learner != plain.learner
            || self.cost != plain.cost
            || self.mixing != plain.mixing
            || self.pruning != plain.pruning
            || self.cube != plain.cube
            || self.valency != plain.valency
            || self.pseudo_projective.is_some()
            || self.all_features.is_some()
            || self.templates.is_some();
        let chosen = match (graph, self.transition != plain.transition) {
            (true, _) => Kind::Graph,
            (false, true) => Kind::Transition,
            (false, false) => Kind::Neural,
        };
        self.parser.unwrap_or(chosen)
    }

    /// Whether a graph parser learns weights of features that occur on no gold arc: they are worth 0.1 to 0.2 points in the
    /// first order and half a point in higher ones (experiments/first-order, experiments/higher-order).
    pub(crate) fn all_graph_features(&self) -> bool {
        self.all_features.unwrap_or(true)
    }

    /// These settings with all that follows from the share of crossing arcs filled in; with the decoder.
    pub(super) fn settled(&self, non_projective: f64) -> Result<(Self, Decoder), TrainError> {
        let mut config = self.clone();
        let decoder = self.decoder.unwrap_or_else(|| choose_decoder(non_projective));
        if self.order > 1 && decoder == Decoder::Eisner {
            config.learner.rule.get_or_insert(Rule::LogLinear);
            if self.decoder.is_none() {
                config.pseudo_projective.get_or_insert(Scheme::Head);
            }
        }
        if config.has_likelihood_of_parts() {
            if decoder != Decoder::Eisner {
                let remedy = "another rule, or the decoder eisner, when the order is above 1";
                return Err(TrainError::setting("learner.rule", Rule::LogLinear, remedy));
            }
            config.epochs = self.likelihood_epochs;
        }
        Ok((config, decoder))
    }

    /// Whether parts of several arcs are learned by log-likelihood.
    pub(super) fn has_likelihood_of_parts(&self) -> bool {
        self.order > 1 && self.learner.rule() == Rule::LogLinear
    }

    /// Number of threads that parse the development set.
    pub(crate) fn dev_threads(&self) -> usize {
        self.threads.max(self.min_dev_threads)
    }

    /// Whether the settings can be used.
    ///
    /// # Errors
    /// With the first setting that cannot.
    pub fn check(&self) -> Result<(), TrainError> {
        if !(1..=3).contains(&self.order) {
            return Err(TrainError::setting("order", self.order, "1, 2 or 3"));
        }
        if self.encoder.is_some() && self.kind() != Kind::Neural {
            let remedy = "no encoder unless the parser is neural";
            return Err(TrainError::setting("parser", "not neural", remedy));
        }
        if self.order > 1 && self.kind() != Kind::Graph {
            let remedy = "1 unless the parser is a graph parser";
            return Err(TrainError::setting("order", self.order, remedy));
        }
        let rule = self.learner.rule();
        if self.order > 1 && rule == Rule::MiraFactored {
            let remedy = "another rule when the order is above 1";
            return Err(TrainError::setting("learner.rule", rule, remedy));
        }
        let outermost = self.grandchildren == Grandchildren::Outermost;
        if self.order > 1 && outermost && self.decoder == Some(Decoder::OneEndpointCrossing) {
            let remedy = "eisner or mst, or all grandchildren";
            return Err(TrainError::setting("decoder", "1ec", remedy));
        }
        if self.decoder == Some(Decoder::Cube) {
            if self.order == 1 {
                return Err(TrainError::setting(
                    "decoder",
                    "cube",
                    "eisner or mst when the order is 1",
                ));
            }
            if matches!(rule, Rule::MiraK | Rule::LogLinear) {
                let remedy = "pa, mira or perceptron with the decoder cube";
                return Err(TrainError::setting("learner.rule", rule, remedy));
            }
        }
        if self.epochs.min(self.likelihood_epochs) == 0 {
            return Err(TrainError::NoEpoch);
        }
        for (name, bits) in [("max_bits", self.max_bits), ("max_label_bits", self.max_label_bits)] {
            if !(12..=28).contains(&bits) {
                return Err(TrainError::setting(name, bits, "a number from 12 to 28"));
            }
        }
        if !(1..=1024).contains(&self.threads) {
            return Err(TrainError::setting("threads", self.threads, "a number from 1 to 1024"));
        }
        let Pruning { ratio, heads } = self.pruning;
        if !(0.0..=1.0).contains(&ratio) {
            return Err(TrainError::setting("pruning.ratio", ratio, "a number from 0 to 1"));
        }
        if !(1..=1000).contains(&heads) {
            return Err(TrainError::setting("pruning.heads", heads, "a number from 1 to 1000"));
        }
        let CubeWidth { beam, labellings, labels } = self.cube;
        for (name, width) in
            [("cube.beam", beam), ("cube.labellings", labellings), ("cube.labels", labels)]
        {
            if !(1..=1000).contains(&width) {
                return Err(TrainError::setting(name, width, "a number from 1 to 1000"));
            }
        }
        self.learner.check()?;
        self.transition.check()?;
        self.neural.check()?;
        self.cost.check()
    }
}

/// Optional values that are written by name.
mod by_name {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Some).map_err(|error| D::Error::custom(format!("\"{name}\": {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_parser_follows_from_the_settings_unless_it_is_given() {
        let kind = |change: fn(&mut TrainConfig)| {
            let mut config = TrainConfig::default();
            change(&mut config);
            config.kind()
        };
        assert_eq!(kind(|_| ()), Kind::Neural);
        assert_eq!(kind(|config| config.seed = 7), Kind::Neural);
        assert_eq!(kind(|config| config.order = 2), Kind::Graph);
        assert_eq!(kind(|config| config.learner.rule = Some(Rule::Mira)), Kind::Graph);
        assert_eq!(kind(|config| config.transition.beam = 8), Kind::Transition);
        let mut config = TrainConfig { parser: Some(Kind::Transition), ..TrainConfig::default() };
        config.learner.aggressiveness = 0.1;
        assert_eq!(config.kind(), Kind::Transition);
        config.order = 2;
        assert!(config.check().unwrap_err().to_string().contains("order is 2"));
    }

    #[test]
    fn names_of_rules_are_those_of_files() {
        for rule in Rule::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.to_string());
        }
    }

    #[test]
    fn settings_come_back_and_strangers_are_refused() {
        let mut config = TrainConfig {
            decoder: Some(Decoder::Mst),
            pseudo_projective: Some(Scheme::HeadPath),
            ..TrainConfig::default()
        };
        config.cost.relations.insert("punct".to_owned(), 0.5);
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<TrainConfig>(&text).unwrap(), config);
        assert_eq!(serde_json::from_str::<TrainConfig>("{}").unwrap(), TrainConfig::default());
        for text in [r#"{"epoch": 3}"#, r#"{"learner": {"c": 1}}"#, r#"{"decoder": "best"}"#] {
            assert!(serde_json::from_str::<TrainConfig>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let refused = |change: fn(&mut TrainConfig), expected: &str| {
            let mut config = TrainConfig::default();
            config.check().unwrap();
            change(&mut config);
            let message = config.check().unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        };
        refused(|config| config.order = 4, "order is 4; give 1, 2 or 3");
        let outermost_crossing = |config: &mut TrainConfig| {
            config.order = 2;
            config.decoder = Some(Decoder::OneEndpointCrossing);
            config.grandchildren = Grandchildren::Outermost;
        };
        refused(outermost_crossing, "decoder is 1ec; give eisner or mst, or all grandchildren");
        refused(|config| config.max_bits = 40, "max_bits is 40; give a number from 12 to 28");
        refused(|config| config.pruning.ratio = f64::NAN, "pruning.ratio is NaN");
        refused(|config| config.pruning.heads = 0, "pruning.heads is 0");
        refused(|config| config.threads = 0, "threads is 0");
        refused(|config| config.learner.aggressiveness = f64::NAN, "learner.aggressiveness is NaN");
        refused(|config| config.learner.k = 0, "learner.k is 0");
        refused(|config| config.learner.step = -1.0, "learner.step is -1");
        refused(|config| config.learner.l2 = f64::INFINITY, "learner.l2 is inf");
        refused(|config| config.epochs = 0, "no epoch");
    }
}
