//! What mistakes cost in training: margins are proportional to it.
//!
//! A word with a wrong head costs the weight of its gold relation, a wrong label on a right arc a share of it. With the
//! defaults that is 1 and ½. The cost of a tree is the sum over its words; words without a gold head cost nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::problem::{Example, FREE_HEAD, FREE_LABEL};
use crate::graph::LabelSet;

/// What mistakes cost. A word with a wrong head costs the weight of its gold relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cost {
    /// What a wrong label on a right arc costs, as a share of a wrong head; 0 counts heads only.
    pub label: f64,
    /// Weights of relations; those not named weigh 1. A relation stands for its subtypes unless they are named too.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<String, f64>,
}

impl Default for Cost {
    fn default() -> Self {
        Self { label: 0.5, relations: BTreeMap::new() }
    }
}

impl Cost {
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let share = TrainError::setting("cost.label", self.label, "a number from 0 to 1");
        (0.0..=1.0).contains(&self.label).then_some(()).ok_or(share)?;
        for (name, &weight) in &self.relations {
            if !(0.0..=1e6).contains(&weight) {
                let name = format!("cost.relations.{name}");
                return Err(TrainError::setting(&name, weight, "a number from 0 to 1000000"));
            }
        }
        Ok(())
    }
}

/// The cost of every gold label.
#[derive(Clone, Debug)]
pub(super) struct WordCosts {
    /// Of a wrong head, by the gold label.
    heads: Vec<f32>,
    /// Share of a wrong label.
    label: f32,
}

impl WordCosts {
    /// Looks up the weights of all labels; `joint` says whether labels are chosen together with the heads.
    pub(super) fn new(cost: &Cost, labels: &LabelSet, joint: bool) -> Result<Self, TrainError> {
        let mut used = Vec::new();
        let heads = labels.names().iter().map(|name| {
            let found = spellings(name).find(|&name| cost.relations.contains_key(name));
            used.extend(found);
            found.map_or(1.0, |name| cost.relations[name] as f32)
        });
        let heads = heads.collect();
        if let Some(unknown) = cost.relations.keys().find(|name| !used.contains(&name.as_str())) {
            return Err(TrainError::UnknownRelation { name: unknown.clone() });
        }
        Ok(Self { heads, label: if joint { cost.label as f32 } else { 0.0 } })
    }

    /// A wrong head costs 1, whatever the label.
    pub(super) fn of_heads() -> Self {
        Self { heads: Vec::new(), label: 0.0 }
    }

    /// What a wrong head of a word with this gold label costs.
    pub(super) fn head(&self, gold_label: u16) -> f32 {
        self.heads.get(usize::from(gold_label)).copied().unwrap_or(1.0)
    }

    /// What a wrong label on the right arc costs; nothing if any label will do.
    pub(super) fn label(&self, gold_label: u16) -> f32 {
        if gold_label == FREE_LABEL { 0.0 } else { self.label * self.head(gold_label) }
    }

    /// What one word costs.
    pub(super) fn word(&self, example: &Example, child: usize, head: usize, label: u16) -> f32 {
        let (gold_head, gold_label) = (example.heads[child - 1], example.labels[child - 1]);
        if gold_head == FREE_HEAD {
            0.0
        } else if gold_head as usize != head {
            self.head(gold_label)
        } else if gold_label != label {
            self.label(gold_label)
        } else {
            0.0
        }
    }
}

/// The names under which a label may have a weight: itself, without the arrows of pseudo-projective labels, without subtype.
fn spellings(label: &str) -> impl Iterator<Item = &str> {
    let plain = label.split(['↑', '↓']).next().unwrap_or(label);
    [label, plain, plain.split(':').next().unwrap_or(plain)].into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(relations: &[(&str, f64)]) -> Result<WordCosts, TrainError> {
        let labels = ["obj", "obl:arg", "obl:tmod", "obl", "obj↑root"];
        let labels = LabelSet::new(labels.map(str::to_owned).to_vec());
        let relations = relations.iter().map(|&(name, weight)| (name.to_owned(), weight)).collect();
        WordCosts::new(&Cost { relations, ..Cost::default() }, &labels, true)
    }

    #[test]
    fn relations_stand_for_their_subtypes_unless_these_are_named() {
        let costs = costs(&[("obj", 3.0), ("obl", 0.25), ("obl:tmod", 2.0)]).unwrap();
        assert_eq!(costs.heads, [3.0, 0.25, 2.0, 0.25, 3.0]);
        assert_eq!((costs.head(2), costs.label(2)), (2.0, 1.0));
        assert_eq!((costs.head(FREE_LABEL), costs.label(FREE_LABEL)), (1.0, 0.0));
    }

    #[test]
    fn unknown_relations_and_impossible_numbers_are_refused() {
        let message = costs(&[("obj", 3.0), ("obk", 2.0)]).unwrap_err().to_string();
        assert!(message.contains("\"obk\""), "{message}");
        for label in [-0.1, 1.1, f64::NAN] {
            assert!(Cost { label, ..Cost::default() }.check().is_err(), "{label}");
        }
        let relations = BTreeMap::from([("obj".to_owned(), f64::INFINITY)]);
        let message = Cost { relations, ..Cost::default() }.check().unwrap_err().to_string();
        assert!(message.starts_with("cost.relations.obj is inf"), "{message}");
    }

    #[test]
    fn words_cost_what_is_wrong_with_them() {
        let costs = costs(&[("obl", 2.0)]).unwrap();
        let example = Example {
            heads: vec![2, 0, FREE_HEAD],
            labels: vec![3, 0, FREE_LABEL],
            ..Example::default()
        };
        assert_eq!(costs.word(&example, 1, 2, 3), 0.0);
        assert_eq!(costs.word(&example, 1, 2, 0), 1.0, "half of 2");
        assert_eq!(costs.word(&example, 1, 3, 3), 2.0);
        assert_eq!(costs.word(&example, 2, 1, 0), 1.0);
        assert_eq!(costs.word(&example, 3, 1, 0), 0.0, "anything goes");
    }
}
