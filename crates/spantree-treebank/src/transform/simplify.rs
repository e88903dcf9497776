//! Taking information away: label subtypes, and the words themselves.
//!
//! Delexicalised treebanks train parsers that carry over to other languages, since only tags, features and trees are left
//! (McDonald, Petrov & Hall 2011).

use crate::sentence::{Column, Sentence, TokenId, universal_part};

/// Closed classes, whose words say more about grammar than about the subject of a text.
const FUNCTION_TAGS: [&str; 8] = ["ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ"];

/// What stands in place of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replacement {
    /// `_`.
    Underscore,
    /// Its UPOS.
    Upos,
}

impl Sentence {
    /// Cuts every label of DEPREL and DEPS at its first colon.
    pub fn strip_subtypes(&mut self) {
        for index in 0..self.token_count() {
            let token = self.token(index);
            let deprel = token.universal_deprel().to_owned();
            let deps = token.get(Column::Deps).contains(':').then(|| {
                let mut parts: Vec<_> = token.get(Column::Deps).split('|').map(strip_dep).collect();
                parts.dedup();
                parts.join("|")
            });
            if deprel.len() < token.deprel().len() {
                self.set_token(index, Column::Deprel, &deprel);
            }
            if let Some(deps) = deps {
                self.set_token(index, Column::Deps, &deps);
            }
        }
    }

    /// Replaces FORM and LEMMA everywhere; with `keep_function_words`, not those of closed classes (`ADP`, `AUX`, `CCONJ`,
    /// `DET`, `PART`, `PRON`, `PUNCT`, `SCONJ`).
    ///
    /// What would give the words away goes too: `# text` and its translations, the forms of multiword tokens, and MISC but
    /// for `SpaceAfter`.
    pub fn delexicalise(&mut self, replacement: Replacement, keep_function_words: bool) {
        self.retain_comments(|line| !line.trim_start_matches(['#', ' ']).starts_with("text"));
        for index in 0..self.token_count() {
            let token = self.token(index);
            let misc = if token.space_after() { "_" } else { "SpaceAfter=No" };
            let upos = token.upos().to_owned();
            self.set_token(index, Column::Misc, misc);
            if keep_function_words && FUNCTION_TAGS.contains(&upos.as_str()) {
                continue;
            }
            let is_range = matches!(self.token(index).id(), TokenId::Range(..));
            let stand_in = match replacement {
                Replacement::Upos if !is_range => upos.as_str(),
                _ => "_",
            };
            self.set_token(index, Column::Form, stand_in);
            self.set_token(index, Column::Lemma, stand_in);
        }
    }
}

/// `3:conj:and` → `3:conj`.
fn strip_dep(part: &str) -> &str {
    let label = part.split_once(':').map_or("", |(_, label)| label);
    &part[..part.len() - label.len() + universal_part(label).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Sentence {
        let mut sent = Sentence::new();
        sent.push_comment("# sent_id = 1");
        sent.push_comment("# text = vámonos al mar");
        sent.push_comment("# text_en = let us go to the sea");
        for (form, upos, head, deprel) in [
            ("vamos", "VERB", 0, "root"),
            ("nos", "PRON", 1, "expl:pv"),
            ("mar", "NOUN", 1, "obl:arg"),
        ] {
            if form == "vamos" {
                let range = sent.push_row(TokenId::Range(1, 2));
                sent.set_token(range, Column::Form, "vámonos");
            }
            let word = sent.push_word(form);
            sent.set(word, Column::Lemma, form);
            sent.set(word, Column::Upos, upos);
            sent.set_head(word, Some(head));
            sent.set(word, Column::Deprel, deprel);
            sent.set(word, Column::Misc, "Gloss=x|SpaceAfter=No");
        }
        sent.set(3, Column::Deps, "1:obl:a|2.1:conj:and|2.1:conj:or");
        sent
    }

    #[test]
    fn subtypes_go_from_both_layers() {
        let mut sent = example();
        sent.strip_subtypes();
        let labels: Vec<_> = sent.words().map(|word| word.deprel()).collect();
        assert_eq!(labels, ["root", "expl", "obl"]);
        assert_eq!(sent.word(3).get(Column::Deps), "1:obl|2.1:conj");
        assert_eq!(sent.word(1).get(Column::Deps), "_");
    }

    #[test]
    fn nothing_of_the_words_is_left() {
        let mut sent = example();
        sent.delexicalise(Replacement::Underscore, false);
        let text = sent.to_conllu();
        for trace in ["mar", "vamos", "vámonos", "sea", "Gloss"] {
            assert!(!text.contains(trace), "{trace} in {text}");
        }
        assert!(text.contains("SpaceAfter=No") && text.contains("# sent_id = 1"));
    }

    #[test]
    fn function_words_may_stay_and_tags_may_stand_in() {
        let mut sent = example();
        sent.delexicalise(Replacement::Upos, true);
        let forms: Vec<_> = sent.tokens().map(|token| token.form()).collect();
        assert_eq!(forms, ["_", "VERB", "nos", "NOUN"]);
    }
}
