//! The transition systems that parsers know by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use spantree_decode::RootMode;
use spantree_decode::transition::{ArcEager, ArcHybrid, ArcStandard, ArcSwap, System};

/// A transition system; all of them build trees with one root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransitionSystem {
    /// [`ArcEager`]: projective trees, arcs as early as possible.
    #[default]
    ArcEager,
    /// [`ArcHybrid`]: projective trees, from the bottom up, left children first.
    ArcHybrid,
    /// [`ArcStandard`]: projective trees, from the bottom up.
    ArcStandard,
    /// [`ArcSwap`]: all trees.
    Swap,
}

static ARC_EAGER: ArcEager = ArcEager::new(RootMode::One);
static ARC_HYBRID: ArcHybrid = ArcHybrid::new(RootMode::One);
static ARC_STANDARD: ArcStandard = ArcStandard::new(RootMode::One);
static SWAP: ArcSwap = ArcSwap::new(RootMode::One);

impl TransitionSystem {
    /// All systems.
    pub const ALL: [Self; 4] = [Self::ArcEager, Self::ArcHybrid, Self::ArcStandard, Self::Swap];

    /// What the parser may do.
    pub(crate) fn system(self) -> &'static dyn System {
        match self {
            Self::ArcEager => &ARC_EAGER,
            Self::ArcHybrid => &ARC_HYBRID,
            Self::ArcStandard => &ARC_STANDARD,
            Self::Swap => &SWAP,
        }
    }

    /// Whether only projective trees can be built.
    #[must_use]
    pub fn is_projective(self) -> bool {
        self != Self::Swap
    }

    /// Whether arcs are built between the two topmost words of the stack; see [`crate::feature::state`].
    pub(super) fn top_is_front(self) -> bool {
        matches!(self, Self::ArcStandard | Self::Swap)
    }

    fn name(self) -> &'static str {
        match self {
            Self::ArcEager => "arc-eager",
            Self::ArcHybrid => "arc-hybrid",
            Self::ArcStandard => "arc-standard",
            Self::Swap => "swap",
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
            format!("unknown system {text:?}; choose arc-eager, arc-hybrid, arc-standard or swap")
        })
    }
}
