//! What a transition parser says about itself in the header of a model.

use serde::{Deserialize, Serialize};

use super::engine::Sharpness;
use super::shortcut::Shortcuts;
use super::system::TransitionSystem;
use crate::feature::{Columns, StateTemplates};
use crate::model::{Calibration, DevScores, TrainingInfo};

/// What a transition parser says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The transition system.
    pub system: TransitionSystem,
    /// Number of states that are kept side by side; 1 is greedy.
    pub beam: usize,
    /// The scheme by which crossing arcs are encoded in the labels, see
    /// [`PseudoProjective`](spantree_treebank::transform::PseudoProjective).
    pub pseudo_projective: Option<String>,
    /// What it was trained on, and how.
    pub training: TrainingInfo,
    /// Scores on the development set.
    pub dev: Option<DevScores>,
    /// The relations by number.
    pub labels: Vec<String>,
    /// The template files.
    pub templates: StateTemplateTexts,
    /// What one unit of an action weight is worth.
    pub action_scale: f32,
    /// What one unit of a label weight is worth.
    pub label_scale: f32,
    /// How scores become probabilities.
    pub calibration: Calibration,
    /// How a beam ranks what it holds: by probabilities, or by sums of scores, as they were learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// When greedy decisions are clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortcuts: Option<Shortcuts>,
    /// How features are hashed: [`HASHING`], or a model of another version of this program.
    #[serde(default)]
    pub hashing: u32,
}

/// The way in which features of states are hashed, which the weights of a model belong to.
pub const HASHING: u32 = 1;

/// Inverse temperatures of the probabilities by which a beam ranks sequences of actions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Of actions.
    pub actions: f32,
    /// Of labels.
    pub labels: f32,
}

impl Default for Ranking {
    /// What suits weights that were learned with a margin of 1, on most treebanks.
    fn default() -> Self {
        Self { actions: 2.5, labels: 6.0 }
    }
}

impl Header {
    /// How scores become probabilities under these inverse temperatures.
    pub(super) fn sharpness(&self, Ranking { actions, labels }: Ranking) -> Sharpness {
        Sharpness { actions: self.action_scale * actions, labels: self.label_scale * labels }
    }
}

const ACTION: &str = include_str!("../../templates/action.txt");
/// For systems in which `s0` may have a head.
const HEAD: &str = include_str!("../../templates/action_head.txt");
/// For systems in which `b0` may have children on its right.
const RIGHT: &str = include_str!("../../templates/action_right.txt");
/// What repairs look like, for systems with edits.
const EDIT: &str = include_str!("../../templates/action_edit.txt");
const LABEL: &str = include_str!("../../templates/action_label.txt");
const CLEAR_ACTION: &str = include_str!("../../templates/clear_action.txt");
const CLEAR_LABEL: &str = include_str!("../../templates/clear_label.txt");

/// The template files; see [`crate::feature::state`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTemplateTexts {
    /// Actions.
    pub action: String,
    /// Labels of the arcs that they build.
    pub label: String,
    /// Actions that are [clear](Shortcuts).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clear_action: String,
    /// Labels that are clear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clear_label: String,
}

impl StateTemplateTexts {
    /// The default templates of a system for a treebank with these columns: those that ask for a missing column are left out.
    #[must_use]
    pub fn new(system: TransitionSystem, columns: Columns) -> Self {
        let keep = |text| StateTemplates::select(text, columns);
        use TransitionSystem::{ArcEager, ArcEdit, ArcHybrid, LrSpine};
        let mut action = keep(ACTION);
        if matches!(system, ArcEager | ArcEdit | LrSpine) {
            action += &keep(HEAD);
        }
        if !matches!(system, ArcEager | ArcEdit | ArcHybrid) {
            action += &keep(RIGHT);
        }
        if system == ArcEdit {
            action += &keep(EDIT);
        }
        Self { action, label: keep(LABEL), ..Self::default() }
    }

    /// The same with the default templates of clear decisions.
    #[must_use]
    pub fn with_shortcuts(self, columns: Columns) -> Self {
        let [clear_action, clear_label] =
            [CLEAR_ACTION, CLEAR_LABEL].map(|text| StateTemplates::select(text, columns));
        Self { clear_action, clear_label, ..self }
    }
}
