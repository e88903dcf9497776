//! Attachment scores on the development set, for early stopping and the model's header.

use std::ops::Range;
use std::panic::resume_unwind;

use spantree_treebank::Sentence;

use crate::model::DevScores;
use crate::tag::Beliefs;

/// Sentences that a parser is judged by, and what a tagger thinks of each, if that is known and counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DevSet<'a> {
    pub(crate) sentences: &'a [Sentence],
    /// As many, or none.
    pub(crate) beliefs: &'a [Beliefs],
}

impl<'a> From<&'a [Sentence]> for DevSet<'a> {
    fn from(sentences: &'a [Sentence]) -> Self {
        Self { sentences, beliefs: &[] }
    }
}

impl<'a> DevSet<'a> {
    /// What is known of one sentence.
    pub(crate) fn beliefs_of(self, index: usize) -> &'a [Beliefs] {
        self.beliefs.get(index..index + 1).unwrap_or_default()
    }

    /// Some of the sentences.
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        let beliefs = self.beliefs.get(range.clone()).unwrap_or_default();
        Self { sentences: &self.sentences[range], beliefs }
    }
}

/// Words, right heads, right heads with right labels.
type Counts = [usize; 3];

/// UAS and LAS over all words that have a head; relations are cut at the colon. Each thread parses with a function that
/// `new_parser` makes, which says whether it parsed the sentence; the scores do not depend on `threads`.
pub(crate) fn attachment<P: FnMut(&mut Sentence) -> bool>(
    dev: &[Sentence],
    threads: usize,
    new_parser: impl Fn() -> P + Sync,
) -> DevScores {
    scores(&in_parts(dev.len(), threads, |part| count(&dev[part], new_parser())))
}

/// The same with a function that parses many sentences at once.
pub(crate) fn attachment_of_groups(
    dev: DevSet<'_>,
    threads: usize,
    parse: impl Fn(&mut [Sentence], &[Beliefs]) + Sync,
) -> DevScores {
    scores(&in_parts(dev.sentences.len(), threads, |part| {
        let DevSet { sentences, beliefs } = dev.part(part);
        let (mut parsed, mut counts) = (sentences.to_vec(), Counts::default());
        parse(&mut parsed, beliefs);
        sentences.iter().zip(&parsed).for_each(|(gold, parsed)| add(&mut counts, gold, parsed));
        counts
    }))
}

fn scores(parts: &[Counts]) -> DevScores {
    let sum = |place: usize| parts.iter().map(|counts| counts[place]).sum::<usize>();
    let words = sum(0);
    let percent = |count: usize| 100.0 * count as f64 / words.max(1) as f64;
    DevScores { words, uas: percent(sum(1)), las: percent(sum(2)) }
}

/// What `work` makes of the parts of so many sentences, one per thread, in their order.
pub(crate) fn in_parts<T: Send>(
    sentences: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    let share = sentences.div_ceil(threads.max(1)).max(1);
    let parts = (0..sentences).step_by(share).map(|start| start..sentences.min(start + share));
    std::thread::scope(|scope| {
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        parts.into_iter().map(|part| part.join().unwrap_or_else(|p| resume_unwind(p))).collect()
    })
}

fn count(dev: &[Sentence], mut parse: impl FnMut(&mut Sentence) -> bool) -> Counts {
    let (mut parsed, mut counts) = (Sentence::new(), Counts::default());
    for gold in dev {
        parsed.clone_from(gold);
        if parse(&mut parsed) {
            add(&mut counts, gold, &parsed);
        }
    }
    counts
}

fn add([words, heads, both]: &mut Counts, gold: &Sentence, parsed: &Sentence) {
    for (gold, guess) in gold.words().zip(parsed.words()).filter(|pair| pair.0.head().is_some()) {
        let right = gold.head() == guess.head();
        *words += 1;
        *heads += usize::from(right);
        *both += usize::from(right && gold.universal_deprel() == guess.universal_deprel());
    }
}
