//! One step of the optimiser: the gradient of a batch, computed by some threads.
//!
//! A batch is cut into a fixed number of shares. Each has random numbers, buffers and a gradient of its own, and the gradients
//! are added in the order of the shares: the result does not depend on the number of threads.

use spantree_neural::network::{Numbers, Packs};
use spantree_neural::{Gradients, Network, Rng, Weights};

use super::batch::{BatchScratch, Example, learn};
use super::checkpoint::Checkpoint;
use crate::tag::TagSet;
use crate::train::TrainConfig;

/// Shares of a batch, and the most threads that are of use.
const SHARES: usize = 2;

/// Steps over which the rate rises to its full length: the first means of gradients are poor.
const WARM_UP: f64 = 50.0;

/// What a step needs besides the state of the run.
pub(super) struct Step<'a> {
    network: &'a Network,
    tagset: &'a TagSet,
    config: &'a TrainConfig,
    rng: Rng,
    packs: Packs<f32>,
    shares: Vec<Share>,
}

/// What learning from a share of a batch needs, and what it gives.
struct Share {
    rng: Rng,
    scratch: BatchScratch,
    gradients: Gradients<f32>,
    loss: f64,
}

impl<'a> Step<'a> {
    pub(super) fn new(
        (network, tagset): (&'a Network, &'a TagSet),
        config: &'a TrainConfig,
        rng: Rng,
    ) -> Self {
        let share = |_| Share {
            rng: Rng::new(0),
            scratch: BatchScratch::new(config.neural.loss),
            gradients: network.gradients(),
            loss: 0.0,
        };
        let shares = (0..SHARES).map(share).collect();
        Self { network, tagset, config, rng, packs: Packs::default(), shares }
    }

    /// Moves the weights by the gradient of a batch, with the rate that fits what is left of the run, and returns the loss.
    pub(super) fn take(&mut self, batch: &[&Example], left: f64, state: &mut Checkpoint) -> f64 {
        self.network.pack(&state.weights.dense, true, &mut self.packs);
        self.learn(batch, &state.weights);
        let [first, rest @ ..] = &mut self.shares[..] else { return 0.0 };
        rest.iter().for_each(|share| first.gradients.add(&share.gradients));
        let warm = ((state.adam.steps + 1) as f64 / WARM_UP).min(1.0);
        let rate = self.config.neural.rate * warm * left;
        state.adam.step(rate, &mut first.gradients, &mut state.weights);
        self.shares.iter().map(|share| share.loss).sum()
    }

    /// Computes the gradients of all shares.
    fn learn(&mut self, batch: &[&Example], weights: &Weights<f32>) {
        let numbers = Numbers::new(weights, &self.packs);
        let network = (self.network, self.tagset);
        let withheld = self.config.neural.withheld();
        let weight = 1.0 / words(batch).max(1) as f32;
        let run = |share: &mut Share, examples: &[&Example]| {
            share.gradients.clear();
            share.loss = 0.0;
            if examples.is_empty() {
                return;
            }
            let targets = (&mut share.scratch, &mut share.gradients);
            let examples = (examples, weight);
            share.loss = learn(network, numbers, examples, &withheld, &mut share.rng, targets);
        };
        self.shares.iter_mut().for_each(|share| share.rng = Rng::new(self.rng.next_u64()));
        let parts = cut(batch);
        let each = SHARES.div_ceil(self.config.threads.clamp(1, SHARES));
        std::thread::scope(|scope| {
            for (shares, parts) in self.shares.chunks_mut(each).zip(parts.chunks(each)) {
                let run = &run;
                scope.spawn(move || {
                    shares.iter_mut().zip(parts).for_each(|(share, part)| run(share, part));
                });
            }
        });
    }
}

fn words(batch: &[&Example]) -> usize {
    batch.iter().map(|example| example.len()).sum()
}

/// Cuts a batch into contiguous parts of about the same number of words.
fn cut<'b, 'e>(batch: &'b [&'e Example]) -> [&'b [&'e Example]; SHARES] {
    let all = words(batch);
    let (mut rest, mut done) = (batch, 0);
    std::array::from_fn(|share| {
        let limit = all * (share + 1) / SHARES;
        let fits = |example: &&&Example| {
            let goes = done < limit;
            done += if goes { example.len() } else { 0 };
            goes
        };
        let count = rest.iter().take_while(fits).count();
        let part;
        (part, rest) = rest.split_at(count);
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Atom;
    use crate::graph::LabelSet;
    use crate::neural::input::Inputs;
    use spantree_treebank::Sentence;

    #[test]
    fn shares_hold_all_words_in_order_and_about_as_many() {
        let inputs = Inputs::new(&[Atom::Upos], Vec::new());
        let example = |words: usize| {
            let mut sent = Sentence::new();
            (0..words).for_each(|_| {
                sent.push_word("a");
            });
            Example::new(&inputs, &LabelSet::new(Vec::new()), &sent)
        };
        let cases: [(&[usize], [&[usize]; SHARES]); 5] = [
            (&[3, 3, 3, 3], [&[3, 3], &[3, 3]]),
            (&[1, 2, 3, 4, 5, 6], [&[1, 2, 3, 4], &[5, 6]]),
            (&[0, 0, 2], [&[0, 0, 2], &[]]),
            (&[9, 1], [&[9], &[1]]),
            (&[], [&[]; SHARES]),
        ];
        for (lengths, expected) in cases {
            let examples: Vec<_> = lengths.iter().map(|&words| example(words)).collect();
            let parts = cut(&examples.iter().collect::<Vec<_>>())
                .map(|part| part.iter().map(|example| example.len()).collect::<Vec<_>>());
            assert_eq!(parts, expected.map(<[usize]>::to_vec), "{lengths:?}");
        }
    }
}
