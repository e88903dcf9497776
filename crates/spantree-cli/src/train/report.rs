//! What training prints: one line per epoch, and on a terminal a bar for the sentences of the running one.

use indicatif::{ProgressBar, ProgressStyle};
use spantree::pipeline::train::Progress as Stage;
use spantree::segment::train::Progress as Segmenter;
use spantree::train::Progress;

/// Prints to standard error. The bar is drawn on terminals only.
pub(super) struct Report {
    bar: ProgressBar,
}

impl Report {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} sentences, {eta}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    pub(super) fn show(&mut self, stage: &Stage) {
        match stage {
            Stage::Parser(progress) => self.show_parser(progress),
            other => {
                if let Some(line) = describe_stage(other) {
                    self.bar.suspend(|| eprintln!("{line}"));
                }
            }
        }
    }

    fn show_parser(&mut self, progress: &Progress) {
        match progress {
            &Progress::EpochStart { sentences, .. } => {
                self.bar.reset();
                self.bar.set_length(sentences as u64);
            }
            Progress::Sentence => self.bar.inc(1),
            Progress::Calibrate => self.bar.finish_and_clear(),
            _ => {}
        }
        if let Some(line) = describe(progress) {
            self.bar.suspend(|| eprintln!("{line}"));
        }
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn describe_stage(stage: &Stage) -> Option<String> {
    Some(match stage {
        Stage::Segmenter(Segmenter::Epoch { epoch, loss, dev }) => {
            let scores = dev.map_or_else(String::new, |dev| {
                format!("  dev tokens {:.2}  sentences {:.2}", dev.tokens, dev.sentences)
            });
            format!("segmenter {epoch:>2}  loss {loss:.4}{scores}")
        }
        Stage::Segmenter(Segmenter::Threshold { dev, .. }) => {
            format!("segmenter     dev tokens {:.2}  sentences {:.2}", dev.tokens, dev.sentences)
        }
        Stage::Tagger(done) => {
            let scores = done.dev.map_or_else(String::new, |dev| {
                format!("  dev UPOS {:.2}  XPOS {:.2}  FEATS {:.2}", dev.upos, dev.xpos, dev.feats)
            });
            format!(
                "tagger {:>2}  loss {:.4}{scores}  {:>6.1} s",
                done.epoch, done.loss, done.seconds
            )
        }
        Stage::Lemmatiser(Some(accuracy)) => format!("lemmas  dev {accuracy:.2}"),
        Stage::Lemmatiser(None) => "lemmas".to_owned(),
        Stage::Enhancer(Some(score)) => format!("graphs  dev {score:.2} on its trees"),
        Stage::Enhancer(None) => "graphs".to_owned(),
        Stage::JackKnife(folds) => format!("annotating the training data in {folds} folds"),
        _ => return None,
    })
}

fn describe(progress: &Progress) -> Option<String> {
    Some(match progress {
        Progress::Warning(warning) => format!("warning: {warning}"),
        Progress::Start { memory, decoder, non_projective } => format!(
            "decoder {decoder} ({:.2} % of the arcs cross), about {} MB of memory",
            100.0 * non_projective,
            memory.div_ceil(1_000_000)
        ),
        Progress::Pruned { heads, share, recall } => format!(
            "pruned to {heads:.1} heads per word, {share:.0} % of the arcs; {recall:.2} % of the gold arcs were left"
        ),
        Progress::Encode { sentences } => format!("encoding {sentences} sentences"),
        Progress::LabelEpoch { epoch, loss, seconds } => {
            format!("labels {epoch:>2}  loss {loss:.4}  {seconds:>6.1} s")
        }
        Progress::TreeEpoch { epoch, loss, dev, seconds } => {
            let scores = dev
                .map_or_else(String::new, |(uas, las)| format!("  dev UAS {uas:.2}  LAS {las:.2}"));
            format!("trees  {epoch:>2}  loss {loss:.4}{scores}  {seconds:>6.1} s")
        }
        Progress::Decoder { decoder, dev: (uas, las) } => {
            format!("decoder {decoder}  dev UAS {uas:.2}  LAS {las:.2}")
        }
        Progress::Retagged { read, corrected } => {
            let change = |name, column: usize| {
                format!("  {name} {:.2} → {:.2}", read[column], corrected[column])
            };
            format!("tags   dev{}{}{}", change("UPOS", 0), change("XPOS", 1), change("FEATS", 2))
        }
        Progress::Calibrate => "calibrating".to_owned(),
        _ => return None,
    })
}
