//! The data before training: checked, counted, compared, and with crossing arcs encoded.

use std::borrow::Cow;
use std::collections::BTreeSet;

use spantree_decode::{ArcScores, Heads, Infeasible, RootMode};
use spantree_treebank::transform::{PseudoProjective, Scheme};
use spantree_treebank::{Column, Format, Sentence, TreeError, TreebankWriter};
use thiserror::Error;

use super::problem::{Example, FREE_HEAD};
use super::{TrainConfig, TrainError, TrainWarning};
use crate::feature::{Columns, hash};
use crate::graph::{Decoder, DecoderScratch};
use crate::model::TrainingInfo;

/// Why a sentence cannot be learned from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DataProblem {
    /// Heads that are no tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Heads are missing, and those given fit no tree.
    #[error("the given heads allow no tree: {0}")]
    Infeasible(Infeasible),
}

/// How much a sentence says about its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// Every word has a head, and they form a tree.
    Complete,
    /// Some heads are missing, and some tree agrees with the others.
    Partial,
}

/// Whether a sentence can be learned from, and how much it says.
///
/// # Errors
/// When no tree agrees with its heads.
pub fn annotation(sent: &Sentence) -> Result<Annotation, DataProblem> {
    match sent.tree() {
        Ok(_) => return Ok(Annotation::Complete),
        Err(TreeError::MissingHead { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let len = sent.len();
    let mut scores = ArcScores::from_fn(len, |_, _| 0.0);
    for (word, head) in (1..).zip(sent.heads()).filter_map(|(word, head)| Some((word, head?))) {
        if head as usize > len {
            return Err(TreeError::HeadOutOfRange { word, head, len }.into());
        }
        scores.require(head as usize, word as usize);
    }
    match scores.infeasible(RootMode::One) {
        Some(reason) => Err(DataProblem::Infeasible(reason)),
        None => Ok(Annotation::Partial),
    }
}

/// Whether the decoder has a tree that agrees with an example; without projectivity there always is one.
pub(super) fn fits(decoder: Decoder, example: &Example) -> bool {
    if decoder == Decoder::Mst || example.has_all_heads() {
        return true;
    }
    let mut scores = ArcScores::from_fn(example.heads.len(), |_, _| 0.0);
    for (index, &head) in example.heads.iter().enumerate().filter(|gold| *gold.1 != FREE_HEAD) {
        scores.require(head as usize, index + 1);
    }
    decoder.decode(&scores, &mut DecoderScratch::default(), &mut Heads::default()).is_some()
}

/// At most this many labels for crossing arcs.
const CROSSING_LABELS: usize = 60;

/// The training data with crossing arcs written into the labels, if asked for.
pub(super) fn encode(train: &[Sentence], crossing: Option<Scheme>) -> Cow<'_, [Sentence]> {
    let Some(scheme) = crossing else { return Cow::Borrowed(train) };
    let encoder = PseudoProjective::new(scheme).fit(train, CROSSING_LABELS);
    let mut encoded = train.to_vec();
    for sent in &mut encoded {
        // A sentence without a complete tree, or whose labels contain arrows already, is left as it is.
        let _ = encoder.encode(sent);
    }
    Cow::Owned(encoded)
}

/// Checks the data and counts what the header reports.
pub(crate) fn inspect(
    config: &TrainConfig,
    train: &[Sentence],
    warn: &mut dyn FnMut(TrainWarning),
) -> Result<TrainingInfo, TrainError> {
    let mut info = TrainingInfo {
        sources: config.sources.clone(),
        seed: config.seed,
        ..TrainingInfo::default()
    };
    let (mut crossing, mut in_trees, mut partial, mut free) = (0, 0, 0, 0);
    let mut tagged = false;
    for (index, sent) in train.iter().enumerate().filter(|(_, sent)| !sent.is_empty()) {
        annotation(sent).map_err(|problem| TrainError::Tree {
            number: index + 1,
            sentence: sent.sent_id().unwrap_or("?").to_owned(),
            problem,
        })?;
        if let Ok(tree) = sent.tree() {
            crossing += tree.non_projective_words().len();
            in_trees += sent.len();
        } else {
            partial += 1;
            free += sent.heads().filter(Option::is_none).count();
        }
        info.sentences += 1;
        info.words += sent.len();
        tagged |= sent.words().any(|word| word.upos() != "_");
    }
    if info.words == 0 {
        return Err(TrainError::NoData);
    }
    if !tagged {
        return Err(TrainError::NoTags);
    }
    if partial > 0 {
        warn(TrainWarning::Partial { sentences: partial, words: free });
    }
    info.non_projective = crossing as f64 / in_trees.max(1) as f64;
    Ok(info)
}

/// Warns of what the development data have otherwise than the training data.
pub(crate) fn compare(train: &[Sentence], dev: &[Sentence], warn: &mut dyn FnMut(TrainWarning)) {
    if dev.iter().all(Sentence::is_empty) {
        return;
    }
    let (ours, theirs) = (Columns::of(train), Columns::of(dev));
    for (column, ours, theirs) in [
        (Column::Lemma, ours.lemma, theirs.lemma),
        (Column::Xpos, ours.xpos, theirs.xpos),
        (Column::Feats, ours.feats, theirs.feats),
    ] {
        if ours && !theirs {
            warn(TrainWarning::MissingColumn { column });
        }
    }
    if dev.iter().flat_map(Sentence::words).all(|word| word.upos() == "_") {
        warn(TrainWarning::MissingColumn { column: Column::Upos });
    }
    let relations = |sentences: &[Sentence]| -> BTreeSet<String> {
        let words = sentences.iter().flat_map(Sentence::words);
        words.map(|word| word.deprel().to_owned()).collect()
    };
    let known = relations(train);
    let is_new = |name: &&str| !known.contains(*name) && *name != "_";
    let words = dev.iter().flat_map(Sentence::words);
    let unknown: Vec<&str> = words.map(|word| word.deprel()).filter(is_new).collect();
    if let Some(&first) = unknown.first() {
        let relation = first.to_owned();
        warn(TrainWarning::UnknownRelations { words: unknown.len(), relation });
    }
}

/// A number that changes whenever anything in the sentences does.
pub(crate) fn fingerprint(sentences: &[Sentence]) -> u64 {
    let mut sum = hash::mix(0, sentences.len() as u64);
    for sent in sentences {
        let mut writer = TreebankWriter::new(Vec::new(), Format::Conllu);
        // Writing to memory cannot fail.
        let _ = writer.write(sent);
        sum = hash::mix(sum, hash::bytes(&writer.into_inner()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(heads: &[Option<u32>]) -> Sentence {
        let mut sent = Sentence::new();
        for &head in heads {
            let word = sent.push_word("w");
            sent.set_head(word, head);
        }
        sent
    }

    #[test]
    fn annotations_are_complete_partial_or_wrong() {
        let of = |heads: &[Option<u32>]| annotation(&sentence(heads));
        assert_eq!(of(&[Some(2), Some(0)]), Ok(Annotation::Complete));
        assert_eq!(of(&[Some(2), None]), Ok(Annotation::Partial));
        assert_eq!(of(&[None, None]), Ok(Annotation::Partial));
        for wrong in [
            &[Some(2), Some(1)][..],
            &[Some(2), Some(1), None],
            &[Some(0), Some(0), None],
            &[Some(1), None],
            &[Some(9), None],
        ] {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn fingerprints_see_every_change() {
        let sent = sentence(&[Some(2), Some(0)]);
        let mut other = sent.clone();
        other.set(1, Column::Feats, "Case=Nom");
        let print = |sentences: &[Sentence]| fingerprint(sentences);
        assert_eq!(print(std::slice::from_ref(&sent)), print(std::slice::from_ref(&sent)));
        assert_ne!(print(std::slice::from_ref(&sent)), print(std::slice::from_ref(&other)));
        assert_ne!(print(&[sent.clone(), other.clone()]), print(&[other, sent]));
    }

    #[test]
    fn crossing_partial_trees_fit_one_decoder() {
        let example = |heads: &[u32]| Example { heads: heads.to_vec(), ..Example::default() };
        let crossing = example(&[3, 4, FREE_HEAD, FREE_HEAD]);
        assert!(fits(Decoder::Mst, &crossing) && !fits(Decoder::Eisner, &crossing));
        assert!(fits(Decoder::Eisner, &example(&[3, FREE_HEAD, FREE_HEAD, 3])));
    }
}
