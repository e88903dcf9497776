//! The three kinds of counters: of numbers, of values, and of values in contexts. All can be merged.

use std::collections::{BTreeMap, HashMap};

/// How often each number occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Histogram(BTreeMap<usize, u64>);

impl Histogram {
    pub(super) fn add(&mut self, value: usize) {
        *self.0.entry(value).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (&value, count) in &other.0 {
            *self.0.entry(value).or_default() += count;
        }
    }

    pub(super) fn counts(&self) -> &BTreeMap<usize, u64> {
        &self.0
    }

    fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// 0 when nothing was counted.
    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|(&value, &count)| value as f64 * count as f64).sum();
        sum / self.total().max(1) as f64
    }

    pub(super) fn max(&self) -> usize {
        self.0.keys().next_back().copied().unwrap_or(0)
    }

    /// The value in the middle; of two in the middle their mean.
    pub(super) fn median(&self) -> f64 {
        let total = self.total();
        if total == 0 {
            return 0.0;
        }
        (self.nth((total - 1) / 2) + self.nth(total / 2)) as f64 / 2.0
    }

    /// The value at `rank`, from 0, when all are sorted.
    fn nth(&self, rank: u64) -> usize {
        let mut before = 0;
        for (&value, count) in &self.0 {
            before += count;
            if rank < before {
                return value;
            }
        }
        self.max()
    }
}

/// How often each value occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inventory(HashMap<String, u64>);

impl Inventory {
    /// Counts anything, also `_`.
    pub(super) fn add(&mut self, value: &str) {
        self.add_times(value, 1);
    }

    /// Counts all but `_`.
    pub(super) fn add_value(&mut self, value: &str) {
        if value != "_" {
            self.add(value);
        }
    }

    fn add_times(&mut self, value: &str, times: u64) {
        match self.0.get_mut(value) {
            Some(count) => *count += times,
            None => _ = self.0.insert(value.to_owned(), times),
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (value, &count) in &other.0 {
            self.add_times(value, count);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// All values, the most frequent first, ties in alphabetical order.
    pub(super) fn by_frequency(&self) -> Vec<(&str, u64)> {
        let mut values: Vec<_> = self.0.iter().map(|(value, &n)| (value.as_str(), n)).collect();
        values.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        values
    }
}

/// Which values occur in which context, such as the tags of each form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ambiguity {
    contexts: HashMap<String, Inventory>,
    /// Scratch for the key, so that known contexts cost no allocation.
    key: String,
}

impl Ambiguity {
    /// Counts `value` in the context that the parts make together.
    pub(super) fn add(&mut self, context: &[&str], value: &str) {
        self.key.clear();
        for part in context {
            self.key.push_str(part);
            self.key.push('\t');
        }
        if let Some(values) = self.contexts.get_mut(&self.key) {
            values.add(value);
        } else {
            self.contexts.entry(self.key.clone()).or_default().add(value);
        }
        self.key.clear();
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (context, values) in &other.contexts {
            self.contexts.entry(context.clone()).or_default().merge(values);
        }
    }

    pub(super) fn contexts(&self) -> usize {
        self.contexts.len()
    }

    pub(super) fn ambiguous_contexts(&self) -> usize {
        self.contexts.values().filter(|values| values.len() > 1).count()
    }

    /// Distinct values per context.
    pub(super) fn mean_values(&self) -> f64 {
        let values: usize = self.contexts.values().map(Inventory::len).sum();
        values as f64 / self.contexts.len().max(1) as f64
    }

    /// Share of the occurrences that are in a context with several values.
    pub(super) fn ambiguous_share(&self) -> f64 {
        let (mut all, mut ambiguous) = (0, 0);
        for values in self.contexts.values() {
            all += values.total();
            ambiguous += if values.len() > 1 { values.total() } else { 0 };
        }
        ambiguous as f64 / all.max(1) as f64
    }

    /// Share of the occurrences that have the most frequent value of their context.
    pub(super) fn majority_share(&self) -> f64 {
        let (mut all, mut majority) = (0, 0);
        for values in self.contexts.values() {
            all += values.total();
            majority += values.0.values().max().copied().unwrap_or(0);
        }
        majority as f64 / all.max(1) as f64
    }
}
