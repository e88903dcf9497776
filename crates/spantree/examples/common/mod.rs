//! What experiments share.

use std::error::Error;
use std::fs;
use std::path::Path;

use spantree::train::annotation;
use spantree::treebank::{Sentence, load};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The name of a folder, and its training sentences that have trees and its development sentences.
pub(crate) fn treebank(folder: &Path) -> Result<(&str, Vec<Sentence>, Vec<Sentence>)> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("?");
    let mut train = load(&folder.join("train.conllu"))?;
    train.retain(|sent| annotation(sent).is_ok());
    Ok((name, train, load(&folder.join("dev.conllu"))?))
}

/// CPU time of this process outside the kernel (Linux), which other processes hardly change.
pub(crate) fn user_seconds() -> Result<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 =
        fields.split_whitespace().nth(11).ok_or("no time in /proc/self/stat")?.parse()?;
    Ok(ticks / TICKS_PER_SECOND)
}
