//! Settings of the training of learned parsers.

use serde::{Deserialize, Serialize};
use spantree_neural::network::DropoutRates;
use spantree_neural::{AdamConfig, Cell};

use super::arcs::ArcLoss;
use super::batch::Withheld;
use crate::neural::Sizes;
use crate::neural::header::CellName;
use crate::train::TrainError;

/// Settings; the defaults are meant to be good for every treebank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NeuralConfig {
    /// Epochs; `None` chooses by the size of the treebank. All are run, because the rate falls to 0 at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Words of a batch; `None` chooses by the size of the treebank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// What arcs are learned by.
    pub loss: ArcLoss,
    /// Length of the steps at first.
    pub rate: f64,
    /// Decay of the average of weights, which is what a model keeps.
    pub average_decay: f64,
    /// Inputs seen less often than this in training are unknown.
    pub minimum: usize,
    /// Length of the runs of characters that are inputs; 0 for none.
    pub grams: u8,
    /// Words of sentences that another parser analysed, per word of the treebank in each epoch.
    pub silver: f64,
    /// Inputs seen so often in these sentences are known, too.
    pub silver_minimum: usize,
    /// Share of words that are made unknown, each time anew.
    pub word_dropout: f64,
    /// Share of words whose tags and lemma are left out where they are predicted, so that the network does not trust them too
    /// much.
    pub tag_dropout: f64,
    /// Share of single inputs that are left out.
    pub atom_dropout: f64,
    /// Share of values dropped from the embeddings.
    pub input_dropout: f64,
    /// Share of values dropped between recurrent layers.
    pub layer_dropout: f64,
    /// Share of values dropped from the vectors that score arcs and labels.
    pub score_dropout: f64,
    /// What the layers of the network are made of.
    #[serde(with = "CellName")]
    pub cell: Cell,
    /// Sizes of the network.
    pub sizes: Sizes,
}

impl Default for NeuralConfig {
    fn default() -> Self {
        Self {
            epochs: None,
            batch: None,
            loss: ArcLoss::default(),
            rate: 0.002,
            average_decay: 0.995,
            minimum: 2,
            grams: 0,
            silver: 1.0,
            silver_minimum: 10,
            word_dropout: 0.35,
            tag_dropout: 0.25,
            atom_dropout: 0.1,
            input_dropout: 0.2,
            layer_dropout: 0.33,
            score_dropout: 0.35,
            cell: Cell::Lstm,
            sizes: Sizes::default(),
        }
    }
}

impl NeuralConfig {
    /// Whether the settings can be used.
    ///
    /// # Errors
    /// With the first setting that cannot.
    pub fn check(&self) -> Result<(), TrainError> {
        if self.epochs == Some(0) {
            return Err(TrainError::NoEpoch);
        }
        if self.batch == Some(0) {
            return Err(TrainError::setting("neural.batch", 0, "a number of words above 0"));
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return Err(TrainError::setting("neural.rate", self.rate, "a number from 0 to 1"));
        }
        if self.grams > 9 {
            return Err(TrainError::setting("neural.grams", self.grams, "a number from 0 to 9"));
        }
        if !(0.0..=1000.0).contains(&self.silver) {
            let remedy = "a number from 0 to 1000";
            return Err(TrainError::setting("neural.silver", self.silver, remedy));
        }
        for (name, share) in [
            ("average_decay", self.average_decay),
            ("word_dropout", self.word_dropout),
            ("tag_dropout", self.tag_dropout),
            ("atom_dropout", self.atom_dropout),
            ("input_dropout", self.input_dropout),
            ("layer_dropout", self.layer_dropout),
            ("score_dropout", self.score_dropout),
        ] {
            if !(0.0..1.0).contains(&share) {
                let name = format!("neural.{name}");
                return Err(TrainError::setting(&name, share, "a number from 0 to below 1"));
            }
        }
        for (name, size) in self.sizes.named() {
            if size == 0 || size > Sizes::LIMIT {
                let name = format!("neural.sizes.{name}");
                return Err(TrainError::setting(&name, size, "a number from 1 to 4096"));
            }
        }
        Ok(())
    }

    /// Epochs for so many versions of a treebank of so many words: 24 for one of 200,000, more for fewer words, half as many again for two.
    pub(super) fn epochs(&self, words: usize, versions: usize) -> u64 {
        let one = (24.0 * (200_000.0 / words.max(1) as f64).sqrt()).clamp(15.0, 60.0);
        let chosen = one * (1.0 + versions as f64) / 2.0;
        self.epochs.unwrap_or(chosen.round() as u64)
    }

    /// Words of a batch for a treebank of so many words: 500 for 200,000, fewer for fewer.
    pub(super) fn batch(&self, words: usize) -> usize {
        let chosen = 500.0 * (words as f64 / 200_000.0).powf(0.3);
        self.batch.unwrap_or(chosen.round().clamp(100.0, 1000.0) as usize)
    }

    /// The length of the runs of characters that are inputs.
    pub(super) fn grams(&self) -> Option<u8> {
        (self.grams > 0).then_some(self.grams)
    }

    pub(super) fn adam(&self) -> AdamConfig {
        AdamConfig { average_decay: self.average_decay, ..AdamConfig::default() }
    }

    pub(super) fn withheld(&self) -> Withheld {
        Withheld {
            words: self.word_dropout,
            tags: self.tag_dropout,
            inputs: self.atom_dropout,
            values: DropoutRates {
                input: self.input_dropout,
                layer: self.layer_dropout,
                sides: self.score_dropout,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_treebanks_get_more_and_smaller_steps() {
        let config = NeuralConfig::default();
        assert_eq!((config.epochs(200_000, 1), config.batch(200_000)), (24, 500));
        assert_eq!((config.epochs(20_000, 1), config.batch(20_000)), (60, 251));
        assert_eq!((config.epochs(0, 1), config.batch(0)), (60, 100));
        assert_eq!(NeuralConfig { epochs: Some(3), ..config }.epochs(7, 1), 3);
        assert_eq!(NeuralConfig::default().epochs(200_000, 2), 36);
    }

    #[test]
    fn senseless_settings_are_refused() {
        let check = |change: fn(&mut NeuralConfig)| {
            let mut config = NeuralConfig::default();
            change(&mut config);
            config.check().map_err(|error| error.to_string())
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert!(check(|config| config.rate = 0.0).unwrap_err().contains("neural.rate"));
        assert!(check(|config| config.word_dropout = 1.0).unwrap_err().contains("word_dropout"));
        assert!(check(|config| config.sizes.units = 0).unwrap_err().contains("sizes.units"));
        assert!(check(|config| config.epochs = Some(0)).is_err());
    }
}
