//! The state of a training run, saved after each epoch so that it can go on after a kill with an identical result.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use spantree_neural::{Adam, Weights};

use crate::model::{Container, DevScores, ModelError, Sections};
use crate::neural::rounded::Rounded;
use crate::train::checkpoint::{Identity, difference};
use crate::train::{TrainConfig, TrainError};

/// The best epoch so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) epoch: u64,
    pub(super) scores: Option<DevScores>,
    pub(super) weights: Rounded,
}

/// See the [module](self).
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    run: Identity,
    pub(super) epochs: u64,
    pub(super) weights: Weights<f32>,
    pub(super) adam: Adam<f32>,
    pub(super) best: Option<Best>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    kind: String,
    run: Identity,
    epochs: u64,
    steps: u64,
    log_decay: f64,
    best: Option<(u64, Option<DevScores>)>,
}

const KIND: &str = "checkpoint of a learned parser";

impl Checkpoint {
    /// A fresh run from these weights, or the one that the configuration resumes. `run` is what must agree for that.
    pub(super) fn new(
        config: &TrainConfig,
        run: Identity,
        weights: Weights<f32>,
    ) -> Result<Self, TrainError> {
        let width = config.neural.sizes.width;
        let adam = Adam::new(config.neural.adam(), &weights, width);
        let path = config.checkpoint.clone();
        let fresh = Self { path, run, epochs: 0, weights, adam, best: None };
        match &fresh.path {
            Some(path) if config.resume && path.exists() => fresh.resume(width),
            _ => Ok(fresh),
        }
    }

    fn resume(mut self, width: usize) -> Result<Self, TrainError> {
        let Some(path) = &self.path else { return Ok(self) };
        let (container, saved): (_, Saved) = Container::open(path)?;
        if let Some(difference) = difference((&saved.kind, &saved.run), (KIND, &self.run)) {
            return Err(TrainError::OtherRun { name: container.name().to_owned(), difference });
        }
        for (name, table) in tables(&mut self.weights, &mut self.adam) {
            let there = container.section::<f32>(&name)?;
            if there.len() != table.len() {
                return Err(other_size(&container).into());
            }
            table.copy_from_slice(there);
        }
        let seen = container.section::<f64>("seen")?;
        if seen.len() != self.adam.seen.len() {
            return Err(other_size(&container).into());
        }
        self.adam.seen.copy_from_slice(seen);
        (self.adam.steps, self.adam.log_decay) = (saved.steps, saved.log_decay);
        if let Some((epoch, scores)) = saved.best {
            let size = (self.adam.seen.len(), width, self.weights.dense.len());
            self.best = Some(Best { epoch, scores, weights: Rounded::read(&container, size)? });
        }
        self.epochs = saved.epochs;
        Ok(self)
    }

    /// Keeps the weights of this epoch if they are the best so far, or if there is nothing to compare by.
    pub(super) fn record(&mut self, scores: Option<DevScores>, weights: Rounded) {
        let las = |scores: Option<DevScores>| scores.map_or(0.0, |scores| scores.las);
        let better = match &self.best {
            Some(best) if scores.is_some() => las(scores) > las(best.scores),
            _ => true,
        };
        if better {
            self.best = Some(Best { epoch: self.epochs, scores, weights });
        }
    }

    /// Writes the file, if one is wanted; the old one is replaced at the end.
    pub(super) fn save(&mut self) -> Result<(), ModelError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut sections = Sections::default();
        for (name, table) in tables(&mut self.weights, &mut self.adam) {
            sections.push(&name, table);
        }
        sections.push("seen", &self.adam.seen);
        if let Some(best) = &self.best {
            best.weights.write(&mut sections);
        }
        let saved = Saved {
            kind: KIND.to_owned(),
            run: self.run.clone(),
            epochs: self.epochs,
            steps: self.adam.steps,
            log_decay: self.adam.log_decay,
            best: self.best.as_ref().map(|best| (best.epoch, best.scores)),
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

/// All tables of numbers of a run, by name.
fn tables<'a>(
    weights: &'a mut Weights<f32>,
    adam: &'a mut Adam<f32>,
) -> impl Iterator<Item = (String, &'a mut Vec<f32>)> {
    let stages = [
        ("weights", weights),
        ("means", &mut adam.means),
        ("squares", &mut adam.squares),
        ("average", &mut adam.average),
    ];
    stages.into_iter().flat_map(|(name, tables)| {
        let Weights { embeddings, dense } = tables;
        [(format!("{name}_embeddings"), embeddings), (format!("{name}_layers"), dense)]
    })
}

fn other_size(container: &Container) -> ModelError {
    let problem = "its tables have another size".to_owned();
    ModelError::Invalid { name: container.name().to_owned(), problem }
}
