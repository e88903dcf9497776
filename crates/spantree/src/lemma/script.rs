//! Edit scripts: how a lemma is made from a form, in a way that carries over to other forms.
//!
//! A script fixes the case of the form, then edits its first and its last characters and leaves the middle alone: `went` →
//! `go` has no middle and is written out, `Ponies` → `pony` is "lower case; drop three at the end, add y", `gesungen` →
//! `singen` is "drop two at the start, copy one, u becomes i". The middle is the longest substring that form and
//! lemma share (as in UDPipe 2; Straka 2018); the ends are aligned with the fewest insertions and deletions.
//!
//! Written as text: `L`, `K` or `T` for the case, then the edits of the start, `/`, and those of the end, where `=` copies a
//! character, `-` drops one and `+x` adds x; or `W` and the lemma.

/// What happens to the case of a form before it is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Lower,
    Keep,
    /// The first character in upper case, the others in lower case.
    Title,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Copy,
    Drop,
    Add(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rule {
    Whole(String),
    Edits { case: Case, start: Vec<Edit>, end: Vec<Edit>, start_length: usize, end_length: usize },
}

/// How a lemma is made from a form: a change of case, and edits of the first and the last characters.
///
/// ```
/// use spantree::lemma::Script;
/// let script = Script::between("Ponies", "pony");
/// assert_eq!(script.to_text(), "L/---+y");
/// let (mut buffer, mut lemma) = (Vec::new(), String::new());
/// assert!(script.apply("berries", &mut buffer, &mut lemma));
/// assert_eq!(lemma, "berry");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    rule: Rule,
}

impl Script {
    /// The script that makes `lemma` from `form`; of the three cases the one with the fewest edits, lower case first.
    #[must_use]
    pub fn between(form: &str, lemma: &str) -> Self {
        let lemma_chars: Vec<char> = lemma.chars().collect();
        let mut best: Option<(usize, Rule)> = None;
        for case in [Case::Lower, Case::Keep, Case::Title] {
            let mut base = Vec::new();
            case.apply(form, &mut base);
            let (at, in_lemma, length) = common(&base, &lemma_chars);
            if length == 0 {
                continue;
            }
            let start = align(&base[..at], &lemma_chars[..in_lemma]);
            let end = align(&base[at + length..], &lemma_chars[in_lemma + length..]);
            let cost = start.len() + end.len();
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, Rule::edits(case, start, end)));
            }
        }
        Self { rule: best.map_or_else(|| Rule::Whole(lemma.to_owned()), |best| best.1) }
    }

    /// Whether the lemma is written out, so that it fits one word only.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.rule, Rule::Whole(_))
    }

    /// Writes the lemma of a form; `false`, and any content, if the form is too short for the script. `chars` is a buffer.
    pub fn apply(&self, form: &str, chars: &mut Vec<char>, lemma: &mut String) -> bool {
        lemma.clear();
        match &self.rule {
            Rule::Whole(whole) => lemma.push_str(whole),
            Rule::Edits { case, start, end, start_length, end_length } => {
                case.apply(form, chars);
                let Some(rest) = chars.len().checked_sub(start_length + end_length) else {
                    return false;
                };
                let (first, others) = chars.split_at(*start_length);
                let (middle, last) = others.split_at(rest);
                edit(first, start, lemma);
                lemma.extend(middle);
                edit(last, end, lemma);
            }
        }
        !lemma.is_empty()
    }

    /// The script as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        match &self.rule {
            Rule::Whole(lemma) => format!("W{lemma}"),
            Rule::Edits { case, start, end, .. } => {
                let case = match case {
                    Case::Lower => 'L',
                    Case::Keep => 'K',
                    Case::Title => 'T',
                };
                let mut text = String::from(case);
                start.iter().for_each(|edit| edit.write(&mut text));
                text.push('/');
                end.iter().for_each(|edit| edit.write(&mut text));
                text
            }
        }
    }

    /// The script that [`to_text`](Self::to_text) wrote; `None` for other text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        let case = match chars.next()? {
            'W' => return Some(Self { rule: Rule::Whole(chars.as_str().to_owned()) }),
            'L' => Case::Lower,
            'K' => Case::Keep,
            'T' => Case::Title,
            _ => return None,
        };
        let mut ends = [Vec::new(), Vec::new()];
        let mut end = 0;
        while let Some(c) = chars.next() {
            match c {
                '/' if end == 0 => end = 1,
                '=' => ends[end].push(Edit::Copy),
                '-' => ends[end].push(Edit::Drop),
                '+' => ends[end].push(Edit::Add(chars.next()?)),
                _ => return None,
            }
        }
        let [start, last] = ends;
        (end == 1).then(|| Self { rule: Rule::edits(case, start, last) })
    }
}

impl Rule {
    fn edits(case: Case, start: Vec<Edit>, end: Vec<Edit>) -> Self {
        let (start_length, end_length) = (consumed(&start), consumed(&end));
        Rule::Edits { case, start, end, start_length, end_length }
    }
}

impl Case {
    fn apply(self, form: &str, chars: &mut Vec<char>) {
        chars.clear();
        match self {
            Case::Keep => chars.extend(form.chars()),
            Case::Lower => chars.extend(form.chars().flat_map(char::to_lowercase)),
            Case::Title => {
                let mut rest = form.chars();
                chars.extend(rest.next().into_iter().flat_map(char::to_uppercase));
                chars.extend(rest.flat_map(char::to_lowercase));
            }
        }
    }
}

impl Edit {
    fn write(self, text: &mut String) {
        match self {
            Edit::Copy => text.push('='),
            Edit::Drop => text.push('-'),
            Edit::Add(c) => text.extend(['+', c]),
        }
    }
}

/// Number of characters that edits read.
fn consumed(edits: &[Edit]) -> usize {
    edits.iter().filter(|edit| !matches!(edit, Edit::Add(_))).count()
}

fn edit(chars: &[char], edits: &[Edit], out: &mut String) {
    let mut chars = chars.iter();
    for edit in edits {
        match edit {
            Edit::Copy => out.extend(chars.next()),
            Edit::Drop => {
                chars.next();
            }
            Edit::Add(c) => out.push(*c),
        }
    }
}

/// Start in `a`, start in `b` and length of the longest common substring, the leftmost in `a`, then in `b`.
fn common(a: &[char], b: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    // Length of the common substring that ends at each place of `b` and at the current place of `a`.
    let mut lengths = vec![0; b.len() + 1];
    for i in 0..a.len() {
        for j in (0..b.len()).rev() {
            lengths[j + 1] = if a[i] == b[j] { lengths[j] + 1 } else { 0 };
            let length = lengths[j + 1];
            if length > best.2
                || (length == best.2
                    && length > 0
                    && (i + 1 - length, j + 1 - length) < (best.0, best.1))
            {
                best = (i + 1 - length, j + 1 - length, length);
            }
        }
    }
    best
}

/// The fewest edits from `a` to `b`; drops before additions, as far to the left as possible.
fn align(a: &[char], b: &[char]) -> Vec<Edit> {
    let width = b.len() + 1;
    // costs[i * width + j]: from a[i..] to b[j..].
    let mut costs = vec![0; (a.len() + 1) * width];
    for i in (0..=a.len()).rev() {
        for j in (0..=b.len()).rev() {
            let drop = (i < a.len()).then(|| costs[(i + 1) * width + j] + 1);
            let add = (j < b.len()).then(|| costs[i * width + j + 1] + 1);
            let copy = (i < a.len() && j < b.len() && a[i] == b[j])
                .then(|| costs[(i + 1) * width + j + 1]);
            costs[i * width + j] = [copy, drop, add].into_iter().flatten().min().unwrap_or(0);
        }
    }
    let (mut i, mut j, mut edits) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        let cost = costs[i * width + j];
        if i < a.len() && j < b.len() && a[i] == b[j] && costs[(i + 1) * width + j + 1] == cost {
            edits.push(Edit::Copy);
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && costs[(i + 1) * width + j] + 1 == cost {
            edits.push(Edit::Drop);
            i += 1;
        } else {
            edits.push(Edit::Add(b[j]));
            j += 1;
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use spantree_learn::Rng;

    fn text(form: &str, lemma: &str) -> String {
        Script::between(form, lemma).to_text()
    }

    fn apply(script: &Script, form: &str) -> Option<String> {
        let (mut chars, mut lemma) = (Vec::new(), String::new());
        script.apply(form, &mut chars, &mut lemma).then_some(lemma)
    }

    #[test]
    fn scripts_of_some_words() {
        assert_eq!(text("dog", "dog"), "L/");
        assert_eq!(text("Dogs", "dog"), "L/-");
        assert_eq!(text("Ponies", "pony"), "L/---+y");
        assert_eq!(text("LONDON", "London"), "T/");
        assert_eq!(text("Al-Ani", "Al-Ani"), "K/");
        assert_eq!(text("sang", "sing"), "L=-+i/");
        assert_eq!(text("atsteigands", "at-steigan"), "L==+-/--");
        assert_eq!(text("went", "go"), "Wgo");
        assert_eq!(text("was", "be"), "Wbe");
    }

    #[test]
    fn scripts_carry_over_to_other_forms() {
        let script = Script::between("Ponies", "pony");
        assert_eq!(apply(&script, "Berries").as_deref(), Some("berry"));
        assert_eq!(apply(&script, "ab"), None, "too short");
        assert_eq!(apply(&script, "ies").as_deref(), Some("y"));
        assert_eq!(apply(&Script::between("as", "a"), "s"), None, "nothing would be left");
    }

    #[test]
    fn a_script_makes_its_lemma_and_survives_text() {
        let mut rng = Rng::new(4);
        let letters: Vec<char> = "abcABC/+-=Wİßﬁőдж字🙂 _".chars().collect();
        let mut word = |longest: usize| -> String {
            (0..1 + rng.below(longest)).map(|_| letters[rng.below(letters.len())]).collect()
        };
        for _ in 0..20_000 {
            let (form, lemma) = (word(8), word(8));
            let script = Script::between(&form, &lemma);
            assert_eq!(apply(&script, &form).as_deref(), Some(&*lemma), "{form} {script:?}");
            assert_eq!(Script::from_text(&script.to_text()), Some(script));
        }
    }

    #[test]
    fn text_that_is_no_script_is_none() {
        for text in ["", "X/", "L", "L=", "L+/", "L/+", "L//", "L/a", "La/"] {
            let script = Script::from_text(text);
            assert!(script.is_none() || text == "L+/", "{text} {script:?}");
        }
        assert!(Script::from_text("L+/").is_none(), "the slash is added, and none separates");
    }
}
