//! What the data is.
