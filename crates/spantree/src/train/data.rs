//! The training data: checked, counted, and with crossing arcs encoded.

use std::borrow::Cow;

use spantree_treebank::Sentence;
use spantree_treebank::transform::{PseudoProjective, Scheme};

use super::{TrainConfig, TrainError};
use crate::model::TrainingInfo;

/// At most this many labels for crossing arcs.
const CROSSING_LABELS: usize = 60;

/// The training data with crossing arcs written into the labels, if asked for.
pub(super) fn encode(train: &[Sentence], crossing: Option<Scheme>) -> Cow<'_, [Sentence]> {
    let Some(scheme) = crossing else { return Cow::Borrowed(train) };
    let encoder = PseudoProjective::new(scheme).fit(train, CROSSING_LABELS);
    let mut encoded = train.to_vec();
    for sent in &mut encoded {
        // Every sentence has a tree; one whose labels contain arrows already is left as it is.
        let _ = encoder.encode(sent);
    }
    Cow::Owned(encoded)
}

/// Checks the data and counts what the header reports.
pub(super) fn inspect(
    config: &TrainConfig,
    train: &[Sentence],
) -> Result<TrainingInfo, TrainError> {
    let mut info = TrainingInfo {
        sources: config.sources.clone(),
        seed: config.seed,
        ..TrainingInfo::default()
    };
    let mut crossing = 0;
    let mut tagged = false;
    for (index, sent) in train.iter().enumerate().filter(|(_, sent)| !sent.is_empty()) {
        let tree = sent.tree().map_err(|source| TrainError::Tree {
            number: index + 1,
            sentence: sent.sent_id().unwrap_or("?").to_owned(),
            source,
        })?;
        info.sentences += 1;
        info.words += sent.len();
        crossing += tree.non_projective_words().len();
        tagged |= sent.words().any(|word| word.upos() != "_");
    }
    if info.words == 0 {
        return Err(TrainError::NoData);
    }
    if !tagged {
        return Err(TrainError::NoTags);
    }
    info.non_projective = crossing as f64 / info.words as f64;
    Ok(info)
}
