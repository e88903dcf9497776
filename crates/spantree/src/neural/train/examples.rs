//! The examples of a run, and which of them an epoch sees.
//!
//! Gold sentences are seen once per epoch, in one of their versions. Of silver, the sentences that another parser analysed, an
//! epoch sees the next ones in a fixed random order: much text may be given, and gold keeps its share.

use spantree_learn::epoch_order;
use spantree_treebank::Sentence;

use super::Data;
use super::batch::Example;
use crate::graph::LabelSet;
use crate::neural::input::{Inputs, TagInputs};
use crate::neural::scorer::TagSource;
use crate::neural::vectors::Memory;
use crate::tag::{Beliefs, TagSet};

/// See the [module](self).
pub(super) struct Examples {
    /// All versions of the gold sentences, one version after the other.
    gold: Vec<Example>,
    versions: usize,
    silver: Vec<Example>,
    /// Sentences of silver in each epoch.
    share: usize,
}

impl Examples {
    /// An epoch sees about `share` words of silver per word of gold.
    pub(super) fn new(maker: &Maker<'_>, data: Data<'_>, share: f64) -> Self {
        let versions = data.versions.max(1);
        let right = data.right_tags;
        let gold = maker.make(data.train, right.map(|right| (right.train, right.beliefs.train)));
        let silver =
            maker.make(data.silver, right.map(|right| (right.silver, right.beliefs.silver)));
        let words = |examples: &[Example]| examples.iter().map(Example::len).sum::<usize>() as f64;
        let wanted = share * words(&gold) / versions as f64;
        let share = (wanted / words(&silver).max(1.0)).min(1.0) * silver.len() as f64;
        Self { gold, versions, silver, share: share.round() as usize }
    }

    /// Number of sentences in an epoch.
    pub(super) fn per_epoch(&self) -> usize {
        self.gold.len() / self.versions + self.share
    }

    /// The examples of an epoch in the order of learning.
    pub(super) fn of_epoch(&self, seed: u64, number: u64) -> Vec<&Example> {
        let count = self.gold.len() / self.versions;
        let version = |index: usize| (index + number as usize) % self.versions;
        let gold = (0..count).map(|index| &self.gold[version(index) * count + index]);
        let silver = epoch_order(self.silver.len(), seed, SILVER);
        let first = number as usize * self.share % silver.len().max(1);
        let silver = silver.iter().cycle().skip(first).take(self.share);
        let silver = silver.map(|&index| &self.silver[index as usize]);
        let examples: Vec<_> = gold.chain(silver).collect();
        let order = epoch_order(examples.len(), seed, number);
        order.iter().map(|&index| examples[index as usize]).collect()
    }
}

/// The number of no epoch, for the order of silver.
const SILVER: u64 = u64::MAX;

/// Makes examples of sentences.
pub(super) struct Maker<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) tag_inputs: &'a TagInputs,
    pub(super) labels: &'a LabelSet,
    pub(super) tagset: &'a TagSet,
    pub(super) memory: Option<&'a Memory>,
}

impl Maker<'_> {
    /// The examples of sentences; of the first of them the right tags, and what a tagger thinks of them, may be known.
    fn make(
        &self,
        sentences: &[Sentence],
        right: Option<(&[Sentence], &[Beliefs])>,
    ) -> Vec<Example> {
        let Self { inputs, tag_inputs, labels, tagset, memory } = *self;
        let (right, beliefs) = right.unwrap_or_default();
        let examples = sentences.iter().enumerate().map(|(index, sent)| {
            let example = match right.get(index) {
                Some(right) => {
                    let tags = TagSource::Predicted(beliefs).of(index, sent, tag_inputs);
                    Example::corrected(inputs, labels, (sent, tags, right), tagset)
                }
                None => Example::new(inputs, labels, sent),
            };
            example.with_vectors(memory.and_then(|memory| memory.get(sent)))
        });
        examples.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Atom;

    #[test]
    fn epochs_see_all_gold_and_silver_in_turn() {
        // The length of a sentence tells which it is.
        let sentences = |lengths: std::ops::Range<usize>| -> Vec<_> {
            let sentence = |words| {
                let mut sent = Sentence::new();
                (0..words).for_each(|_| {
                    sent.push_word("a");
                });
                sent
            };
            lengths.map(sentence).collect()
        };
        let inputs = Inputs::new(&[Atom::Upos], Vec::new());
        let (labels, tagset) = (LabelSet::new(Vec::new()), TagSet::default());
        let tag_inputs = TagInputs::default();
        let maker = Maker {
            inputs: &inputs,
            tag_inputs: &tag_inputs,
            labels: &labels,
            tagset: &tagset,
            memory: None,
        };
        let (gold, silver) = (sentences(1..4), sentences(10..14));
        let data = Data { silver: &silver, ..Data::new(&gold, &[]) };
        let lengths = |share: f64, number: u64| {
            let examples = Examples::new(&maker, data, share);
            let mut lengths: Vec<_> =
                examples.of_epoch(1, number).iter().map(|example| example.len()).collect();
            assert_eq!(lengths.len(), examples.per_epoch());
            lengths.sort_unstable();
            lengths
        };
        assert_eq!(lengths(0.0, 0), [1, 2, 3]);
        assert_eq!(lengths(1e3, 5), [1, 2, 3, 10, 11, 12, 13]);
        // 46 words of silver and 6 of gold: half of silver is nearly four times as much.
        let halves = [0, 1].map(|number| lengths(3.8, number)[3..].to_vec());
        assert_eq!(halves.each_ref().map(Vec::len), [2, 2]);
        let mut all = halves.concat();
        all.sort_unstable();
        assert_eq!(all, [10, 11, 12, 13]);
    }
}
