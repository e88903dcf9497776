//! Clusters of forms by the company they keep, from text without tags.
//!
//! The vector of a form counts its neighbours: for each of the [`CONTEXTS`] most frequent words c, how often `c form` and
//! `form c` were seen, tf(x) = 1 + ln x, and all other words together; the left and the right half have length 1 (FLORS,
//! Schnabel & Schütze 2014). Forms with similar vectors get one cluster by *k*-means on the unit sphere, which starts from the
//! most frequent forms, so that a tagger of linear features can use them ([`Clusters`]): a form that is unknown to the
//! treebank, but not to the text, has the cluster of words that occur where it does.
//!
//! Memory is 20 bytes per word of the text and what the forms need; time O(rounds · clusters · distinct neighbours of all
//! forms). The result depends on the text alone.
//!
//! [`Clusters`]: super::Clusters

use std::collections::HashMap;

use spantree_treebank::Sentence;

/// Words whose neighbourhood is counted one by one.
pub const CONTEXTS: usize = 500;
/// Forms seen at least this often shape the clusters; all others only join one.
const FREQUENT: usize = 5;
/// *k*-means stops after so many rounds at the latest.
const ROUNDS: usize = 15;
/// Both halves, each with a place for all other words.
const WIDTH: usize = 2 * (CONTEXTS + 1);
/// The number of what lies between sentences.
const BOUNDARY: u32 = 0;

/// The words of some text; see the [module](self).
#[derive(Clone, Debug)]
pub struct Neighbours {
    numbers: HashMap<String, u32>,
    /// Lower-cased forms by number.
    forms: Vec<String>,
    /// The numbers of all words, with a boundary before each sentence.
    text: Vec<u32>,
}

impl Default for Neighbours {
    fn default() -> Self {
        Self { numbers: HashMap::new(), forms: vec![String::new()], text: Vec::new() }
    }
}

impl Neighbours {
    /// Reads the words of a sentence.
    pub fn add(&mut self, sent: &Sentence) {
        self.text.push(BOUNDARY);
        for word in sent.words() {
            let lower = word.form().to_lowercase();
            let number = *self.numbers.entry(lower).or_insert_with_key(|lower| {
                self.forms.push(lower.clone());
                self.forms.len() as u32 - 1
            });
            self.text.push(number);
        }
    }

    /// Number of different forms.
    #[must_use]
    pub fn forms(&self) -> usize {
        self.forms.len() - 1
    }

    /// The forms that were seen at least `minimum` times, in lower case and in the order in which they came, with the number of
    /// their cluster, below `count`.
    #[must_use]
    pub fn clusters(&self, count: usize, minimum: usize) -> Vec<(&str, usize)> {
        let frequencies = self.frequencies();
        let mut order: Vec<usize> = (1..self.forms.len()).collect();
        order.sort_by_key(|&form| (std::cmp::Reverse(frequencies[form]), form));
        let vectors = self.vectors(&order);
        let frequent = order.iter().take_while(|&&form| frequencies[form] >= FREQUENT).count();
        let mut centres = Centres::new(&vectors, &order[..count.min(order.len())]);
        let shaping = &order[..frequent.max(centres.count)];
        centres.settle(&vectors, shaping);
        let forms = (1..self.forms.len()).filter(|&form| frequencies[form] >= minimum);
        forms.map(|form| (self.forms[form].as_str(), centres.nearest(vectors.of(form)))).collect()
    }

    /// How often each form was seen.
    fn frequencies(&self) -> Vec<usize> {
        let mut frequencies = vec![0; self.forms.len()];
        self.text.iter().for_each(|&form| frequencies[form as usize] += 1);
        frequencies
    }

    /// The vectors of all forms, given these by falling frequency.
    fn vectors(&self, order: &[usize]) -> Vectors {
        let mut column = vec![CONTEXTS as u32; self.forms.len()];
        order.iter().zip(0..CONTEXTS as u32).for_each(|(&form, number)| column[form] = number);
        let ends = [BOUNDARY];
        let next = self.text.iter().skip(1).chain(&ends);
        let pairs = self.text.iter().zip(next).flat_map(|(&left, &right)| {
            let place = CONTEXTS as u32 + 1 + column[right as usize];
            [(right, column[left as usize]), (left, place)]
        });
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_unstable();
        Vectors::new(self.forms.len(), &pairs)
    }
}

/// Sparse vectors of forms.
struct Vectors {
    /// Where the entries of each form begin, and where the last ones end.
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Vectors {
    /// From sorted pairs of a form and a neighbour.
    fn new(forms: usize, pairs: &[(u32, u32)]) -> Self {
        let mut vectors = Self { starts: vec![0], entries: Vec::new() };
        for same in pairs.chunk_by(|a, b| a == b) {
            let (form, column) = same[0];
            vectors.begin(form as usize);
            vectors.entries.push((column, 1.0 + (same.len() as f32).ln()));
        }
        vectors.begin(forms);
        let Self { starts, entries } = &mut vectors;
        for bounds in starts.windows(2) {
            let (left, right) = {
                let entries = &mut entries[bounds[0]..bounds[1]];
                let cut = entries.partition_point(|entry| entry.0 <= CONTEXTS as u32);
                entries.split_at_mut(cut)
            };
            [left, right].into_iter().for_each(make_unit);
        }
        vectors
    }

    /// Ends the vectors of all forms before this one.
    fn begin(&mut self, form: usize) {
        while self.starts.len() <= form {
            self.starts.push(self.entries.len());
        }
    }

    fn of(&self, form: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[form]..self.starts[form + 1]]
    }
}

fn make_unit(entries: &mut [(u32, f32)]) {
    let length = entries.iter().map(|entry| entry.1 * entry.1).sum::<f32>().sqrt();
    entries.iter_mut().for_each(|entry| entry.1 /= length);
}

/// The centres of the clusters: the weight of column c in cluster k is at `c * count + k`.
struct Centres {
    count: usize,
    weights: Vec<f32>,
    /// Similarities of one form.
    sums: Vec<f32>,
}

impl Centres {
    /// Centres at some forms.
    fn new(vectors: &Vectors, forms: &[usize]) -> Self {
        let count = forms.len();
        let mut centres = Self { count, weights: vec![0.0; WIDTH * count], sums: Vec::new() };
        for (cluster, &form) in forms.iter().enumerate() {
            centres.add(cluster, vectors.of(form));
        }
        centres
    }

    fn add(&mut self, cluster: usize, entries: &[(u32, f32)]) {
        for &(column, value) in entries {
            self.weights[column as usize * self.count + cluster] += value;
        }
    }

    /// Moves the centres to the means of their forms until no form changes its cluster.
    fn settle(&mut self, vectors: &Vectors, forms: &[usize]) {
        let mut clusters = vec![usize::MAX; forms.len()];
        for _ in 0..ROUNDS {
            self.make_unit();
            let mut changed = false;
            for (&form, cluster) in forms.iter().zip(&mut clusters) {
                let nearest = self.nearest(vectors.of(form));
                changed |= std::mem::replace(cluster, nearest) != nearest;
            }
            if !changed {
                return;
            }
            self.weights.fill(0.0);
            for (&form, &cluster) in forms.iter().zip(&clusters) {
                self.add(cluster, vectors.of(form));
            }
        }
        self.make_unit();
    }

    fn make_unit(&mut self) {
        let mut lengths = vec![0.0f32; self.count];
        for row in self.weights.chunks_exact(self.count.max(1)) {
            lengths.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight * weight);
        }
        lengths.iter_mut().for_each(|sum| *sum = sum.sqrt().max(f32::MIN_POSITIVE));
        for row in self.weights.chunks_exact_mut(self.count.max(1)) {
            row.iter_mut().zip(&lengths).for_each(|(weight, length)| *weight /= length);
        }
    }

    /// The most similar cluster; the lowest number wins a tie.
    fn nearest(&mut self, entries: &[(u32, f32)]) -> usize {
        self.sums.clear();
        self.sums.resize(self.count, 0.0);
        for &(column, value) in entries {
            let row = &self.weights[column as usize * self.count..][..self.count];
            self.sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        (0..self.count).fold(
            0,
            |best, cluster| if self.sums[cluster] > self.sums[best] { cluster } else { best },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sentences: &[&[&str]]) -> Neighbours {
        let mut neighbours = Neighbours::default();
        for words in sentences {
            let mut sent = Sentence::new();
            words.iter().for_each(|word| {
                sent.push_word(word);
            });
            neighbours.add(&sent);
        }
        neighbours
    }

    #[test]
    fn halves_of_vectors_have_length_one_and_hold_logarithms_of_counts() {
        let neighbours = read(&[&["the", "cat"], &["The", "dog"], &["the", "cat"], &[]]);
        let order = [1, 2, 3];
        let vectors = neighbours.vectors(&order);
        assert_eq!(neighbours.forms(), 3);
        for form in 1..=3 {
            let entries = vectors.of(form);
            let cut = entries.partition_point(|entry| entry.0 <= CONTEXTS as u32);
            for half in [&entries[..cut], &entries[cut..]] {
                let length: f32 = half.iter().map(|entry| entry.1 * entry.1).sum();
                assert!((length - 1.0).abs() < 1e-6, "{form}");
            }
        }
        // Behind "the": cat twice, dog once.
        let (cat, dog) = (1.0 + 2.0f32.ln(), 1.0f32);
        let length = (cat * cat + dog * dog).sqrt();
        let right: Vec<_> = vectors
            .of(1)
            .iter()
            .filter(|entry| entry.0 > CONTEXTS as u32)
            .map(|entry| entry.1)
            .collect();
        assert!((right[0] - cat / length).abs() < 1e-6 && (right[1] - dog / length).abs() < 1e-6);
    }

    #[test]
    fn words_in_the_same_places_share_a_cluster() {
        let nouns = ["cat", "dog", "cow", "hen"];
        let verbs = ["sees", "hears", "likes", "fears"];
        let mut sentences = Vec::new();
        for (index, noun) in nouns.iter().enumerate() {
            for (other, verb) in verbs.iter().enumerate() {
                sentences.push(["the", noun, verb, "a", nouns[(index + other) % 4], "."]);
            }
        }
        let sentences: Vec<&[&str]> = sentences.iter().map(|words| &words[..]).collect();
        let neighbours = read(&sentences);
        let clusters: HashMap<_, _> = neighbours.clusters(5, 1).into_iter().collect();
        assert_eq!(clusters.len(), 3 + 8);
        assert!(nouns.iter().all(|noun| clusters[noun] == clusters["cat"]), "{clusters:?}");
        assert!(verbs.iter().all(|verb| clusters[verb] == clusters["sees"]), "{clusters:?}");
        assert_ne!(clusters["cat"], clusters["sees"]);
        assert!(clusters.values().all(|&cluster| cluster < 5));
    }

    #[test]
    fn odd_requests_have_answers() {
        assert!(Neighbours::default().clusters(7, 1).is_empty());
        assert_eq!(read(&[&["a"]]).clusters(9, 1), [("a", 0)], "no more clusters than forms");
        assert_eq!(read(&[&["a", "b"]]).clusters(0, 1), [("a", 0), ("b", 0)]);
        assert_eq!(read(&[&["a", "b", "a"]]).clusters(1, 2), [("a", 0)]);
    }
}
