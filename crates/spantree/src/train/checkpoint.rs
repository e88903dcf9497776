//! The state of a training run, saved after epochs so that it can go on after a kill with an identical result.
//!
//! Tables are large and epochs of small treebanks short: an epoch is not saved when less than [`SHARE`] times as long as the last
//! save took has passed since, so that saving takes a small part of the time whatever the sizes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spantree_learn::{State, Tables};
use spantree_treebank::Sentence;

use super::data::fingerprint;
use super::finish::TreeWeights;
use super::{TrainConfig, TrainError};
use crate::model::{Container, DevScores, ModelError, Quantised, Sections};
use crate::neural::Encoder;

/// The best epoch so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) epoch: u64,
    pub(super) scores: Option<DevScores>,
    pub(super) weights: TreeWeights,
}

/// See the [module](self).
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    /// What must agree for a run to go on.
    run: Identity,
    pub(super) label_epochs: u64,
    pub(super) tree_epochs: u64,
    pub(super) label_state: State,
    pub(super) tree_state: State,
    pub(super) best: Option<Best>,
    /// When the file was last written, and how long that took.
    last_save: Option<(Instant, Duration)>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    kind: String,
    run: Identity,
    label_epochs: u64,
    tree_epochs: u64,
    label_steps: u64,
    tree_steps: u64,
    best: Option<(u64, Option<DevScores>, [f32; 3])>,
}

/// Settings and data of a run by name.
pub(crate) type Identity = Map<String, Value>;

/// The sections of the best weights.
const BEST: [&str; 3] = ["best_arcs", "best_labels", "best_parts"];

const KIND: &str = "checkpoint of a parser";

/// Training lasts at least so many times as long as its saving; see the [module](self).
const SHARE: u32 = 20;

impl Checkpoint {
    /// A fresh run, or the one that the configuration resumes. `data` are the training and the development sentences.
    pub(super) fn new(
        config: &TrainConfig,
        data: (&[Sentence], &[Sentence]),
        label_weights: usize,
        tree_weights: usize,
    ) -> Result<Self, TrainError> {
        let fresh = Self {
            path: config.checkpoint.clone(),
            run: if config.checkpoint.is_some() { identity(config, data) } else { Map::new() },
            label_epochs: 0,
            tree_epochs: 0,
            label_state: State::new(label_weights),
            tree_state: State::new(tree_weights),
            best: None,
            last_save: None,
        };
        match &fresh.path {
            Some(path) if config.resume && path.exists() => fresh.resume(),
            _ => Ok(fresh),
        }
    }

    fn resume(mut self) -> Result<Self, TrainError> {
        let Some(path) = &self.path else { return Ok(self) };
        let (container, saved): (_, Saved) = Container::open(path)?;
        if let Some(difference) = difference((&saved.kind, &saved.run), (KIND, &self.run)) {
            return Err(TrainError::OtherRun { name: container.name().to_owned(), difference });
        }
        let label_state = load_state(&container, "label", saved.label_steps)?;
        let tree_state = load_state(&container, "tree", saved.tree_steps)?;
        let sizes = |state: &State| state.weights().len();
        if (sizes(&label_state), sizes(&tree_state))
            != (sizes(&self.label_state), sizes(&self.tree_state))
        {
            let problem = "its tables have another size".to_owned();
            return Err(ModelError::Invalid { name: container.name().to_owned(), problem }.into());
        }
        if let Some((epoch, scores, scales)) = saved.best {
            let table = |index: usize| -> Result<Quantised, ModelError> {
                let weights = container.section(BEST[index])?.to_vec();
                Ok(Quantised { weights, scale: scales[index] })
            };
            let weights = TreeWeights { arcs: table(0)?, labels: table(1)?, parts: table(2)? };
            self.best = Some(Best { epoch, scores, weights });
        }
        Ok(Self {
            label_epochs: saved.label_epochs,
            tree_epochs: saved.tree_epochs,
            label_state,
            tree_state,
            ..self
        })
    }

    /// Keeps the averaged weights of this epoch if they are the best so far, or if there is nothing to compare by.
    pub(super) fn record(&mut self, scores: Option<DevScores>, weights: TreeWeights) {
        let las = |scores: Option<DevScores>| scores.map_or(0.0, |scores| scores.las);
        let better = match &self.best {
            Some(best) if scores.is_some() => las(scores) > las(best.scores),
            _ => true,
        };
        if better {
            self.best = Some(Best { epoch: self.tree_epochs, scores, weights });
        }
    }

    /// Whether the best epoch is this many epochs ago.
    pub(super) fn is_stale(&self, patience: u64) -> bool {
        self.best.as_ref().is_some_and(|best| self.tree_epochs - best.epoch >= patience.max(1))
    }

    /// Writes the file, if one is wanted and it is time; the old one is replaced at the end.
    pub(super) fn save(&mut self) -> Result<(), ModelError> {
        if self.last_save.is_some_and(|(when, took)| when.elapsed() < SHARE * took) {
            return Ok(());
        }
        let start = Instant::now();
        self.write()?;
        self.last_save = Some((Instant::now(), start.elapsed()));
        Ok(())
    }

    fn write(&self) -> Result<(), ModelError> {
        let Some(path) = &self.path else { return Ok(()) };
        let (label, tree) = (self.label_state.tables(), self.tree_state.tables());
        let mut sections = Sections::default();
        for (stage, tables) in [("label", &label), ("tree", &tree)] {
            sections.push(&format!("{stage}_weights"), tables.weights);
            sections.push(&format!("{stage}_lag"), tables.lag);
            sections.push(&format!("{stage}_squares"), tables.squares);
            sections.push(&format!("{stage}_sums"), tables.sums);
        }
        if let Some(best) = &self.best {
            for (name, table) in BEST.into_iter().zip(best.weights.tables()) {
                sections.push(name, &table.weights);
            }
        }
        let saved = Saved {
            kind: KIND.to_owned(),
            run: self.run.clone(),
            label_epochs: self.label_epochs,
            tree_epochs: self.tree_epochs,
            label_steps: label.steps,
            tree_steps: tree.steps,
            best: self
                .best
                .as_ref()
                .map(|best| (best.epoch, best.scores, best.weights.tables().map(|t| t.scale))),
        };
        sections.into_container("the checkpoint", &saved)?.save(path)
    }

    /// Removes the file after a finished run.
    pub(super) fn remove(&self) {
        if let Some(path) = &self.path {
            // A checkpoint that cannot be removed does no harm.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Everything that decides about the weights: all settings but those that only say when to stop, and the data.
pub(crate) fn identity(config: &TrainConfig, (train, dev): (&[Sentence], &[Sentence])) -> Identity {
    let mut run = match serde_json::to_value(config) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    };
    run.retain(|name, _| name != "epochs" && name != "patience");
    if let Some(encoder) = config.encoder.as_ref().map(Encoder::info) {
        run.insert("encoder".to_owned(), format!("{:016x}", encoder.checksum).into());
    }
    run.insert("training data".to_owned(), format!("{:016x}", fingerprint(train)).into());
    run.insert("development data".to_owned(), format!("{:016x}", fingerprint(dev)).into());
    run
}

/// What keeps a saved run from being gone on with; each is a kind of checkpoint and its identity.
pub(crate) fn difference(
    (saved_kind, saved): (&str, &Identity),
    (kind, run): (&str, &Identity),
) -> Option<String> {
    if saved_kind != kind {
        return Some(format!("it is a \"{saved_kind}\", not a {kind}"));
    }
    let names = run.keys().chain(saved.keys());
    let differs = |name: &&String| run.get(*name) != saved.get(*name);
    let name = names.into_iter().find(differs)?;
    let show = |value: Option<&Value>| match value {
        None => "none".to_owned(),
        Some(value) => value.to_string().chars().take(60).collect(),
    };
    let (there, here) = (show(saved.get(name)), show(run.get(name)));
    Some(format!("{name} is {there} there and {here} here"))
}

fn load_state(container: &Container, stage: &str, steps: u64) -> Result<State, ModelError> {
    let table = |name: &str| -> Result<Vec<f32>, ModelError> {
        Ok(container.section::<f32>(&format!("{stage}_{name}"))?.to_vec())
    };
    let tables = Tables {
        weights: table("weights")?,
        lag: table("lag")?,
        squares: table("squares")?,
        sums: table("sums")?,
        steps,
    };
    State::from_tables(tables).map_err(|error| ModelError::Invalid {
        name: container.name().to_owned(),
        problem: error.to_string(),
    })
}
