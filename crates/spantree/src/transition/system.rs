//! The transition systems that parsers know by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use spantree_decode::RootMode;
use spantree_decode::transition::{
    Action, ArcEager, ArcEdit, ArcHybrid, ArcQueue, ArcStandard, ArcSwap, EasyFirst, LrSpine,
    State, System,
};

use crate::feature::state::Window;

/// A transition system; all of them build trees with one root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransitionSystem {
    /// [`ArcEager`]: projective trees, arcs as early as possible.
    ArcEager,
    /// [`ArcHybrid`]: projective trees, from the bottom up, left children first.
    ArcHybrid,
    /// [`ArcStandard`]: projective trees, from the bottom up.
    #[default]
    ArcStandard,
    /// [`ArcQueue`]: the same over the front of a queue.
    ArcQueue,
    /// [`LrSpine`]: projective trees, with arcs from any word of a spine.
    LrSpine,
    /// [`EasyFirst`]: projective trees, arcs in any order.
    EasyFirst,
    /// [`ArcSwap`]: all trees.
    Swap,
    /// [`ArcEdit`]: projective trees of speech with repairs.
    ArcEdit,
}

static ARC_EAGER: ArcEager = ArcEager::new(RootMode::One);
static ARC_HYBRID: ArcHybrid = ArcHybrid::new(RootMode::One);
static ARC_STANDARD: ArcStandard = ArcStandard::new(RootMode::One);
static ARC_QUEUE: ArcQueue = ArcQueue::new(RootMode::One);
static LR_SPINE: LrSpine = LrSpine::new(RootMode::One);
static EASY_FIRST: EasyFirst = EasyFirst::new(RootMode::One);
static ARC_EDIT: ArcEdit = ArcEdit::new(RootMode::One);
static SWAP: ArcSwap = ArcSwap::new(RootMode::One);

impl TransitionSystem {
    /// All systems.
    pub const ALL: [Self; 8] = [
        Self::ArcEager,
        Self::ArcHybrid,
        Self::ArcStandard,
        Self::ArcQueue,
        Self::LrSpine,
        Self::EasyFirst,
        Self::Swap,
        Self::ArcEdit,
    ];

    /// What the parser may do.
    pub(crate) fn system(self) -> &'static dyn System {
        match self {
            Self::ArcEager => &ARC_EAGER,
            Self::ArcHybrid => &ARC_HYBRID,
            Self::ArcStandard => &ARC_STANDARD,
            Self::ArcQueue => &ARC_QUEUE,
            Self::LrSpine => &LR_SPINE,
            Self::EasyFirst => &EASY_FIRST,
            Self::Swap => &SWAP,
            Self::ArcEdit => &ARC_EDIT,
        }
    }

    /// Whether only projective trees can be built.
    #[must_use]
    pub fn is_projective(self) -> bool {
        self != Self::Swap
    }

    /// Which words templates see when an action is scored; see [`crate::feature::state`].
    pub(super) fn window(self, state: &State, action: Action) -> Window {
        match (self, action) {
            (Self::EasyFirst, Action::LeftAt(gap) | Action::RightAt(gap)) => Window::Gap(gap),
            (Self::LrSpine, Action::LeftAt(1..) | Action::RightAt(1..)) => {
                let (head, child) = LR_SPINE.arc(state, action).unwrap_or_default();
                Window::Ends(head.min(child), head.max(child))
            }
            (Self::ArcStandard | Self::LrSpine | Self::Swap, _) => Window::Top,
            _ => Window::Front,
        }
    }

    /// Whether actions have places, each with features of its own.
    pub(crate) fn has_places(self) -> bool {
        matches!(self, Self::EasyFirst | Self::LrSpine)
    }

    /// Whether decisions can be taken by some of the templates: all actions are scored through one window, by weights side by
    /// side.
    pub(crate) fn has_shortcuts(self) -> bool {
        !self.has_places() && self != Self::ArcEdit
    }

    fn name(self) -> &'static str {
        match self {
            Self::ArcEager => "arc-eager",
            Self::ArcHybrid => "arc-hybrid",
            Self::ArcStandard => "arc-standard",
            Self::ArcQueue => "arc-queue",
            Self::LrSpine => "lr-spine",
            Self::EasyFirst => "easy-first",
            Self::Swap => "swap",
            Self::ArcEdit => "arc-edit",
        }
    }
}

impl fmt::Display for TransitionSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TransitionSystem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|system| system.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown system {text:?}; choose one of {names}")
        })
    }
}
