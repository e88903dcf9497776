//! What training prints: one line per epoch, and on a terminal a bar for the sentences of the running one.

use indicatif::{ProgressBar, ProgressStyle};
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

    pub(super) fn show(&mut self, progress: &Progress) {
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

fn describe(progress: &Progress) -> Option<String> {
    Some(match progress {
        Progress::Warning(warning) => format!("warning: {warning}"),
        Progress::Start { memory, decoder, non_projective } => format!(
            "decoder {decoder} ({:.2} % of the arcs cross), about {} MB of memory",
            100.0 * non_projective,
            memory.div_ceil(1_000_000)
        ),
        Progress::LabelEpoch { epoch, loss, seconds } => {
            format!("labels {epoch:>2}  loss {loss:.4}  {seconds:>6.1} s")
        }
        Progress::TreeEpoch { epoch, loss, dev, seconds } => {
            let scores = dev
                .map_or_else(String::new, |(uas, las)| format!("  dev UAS {uas:.2}  LAS {las:.2}"));
            format!("trees  {epoch:>2}  loss {loss:.4}{scores}  {seconds:>6.1} s")
        }
        Progress::Calibrate => "calibrating".to_owned(),
        _ => return None,
    })
}
