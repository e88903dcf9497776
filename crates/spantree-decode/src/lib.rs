//! Numbers in, structures out: the best structure under a table of scores.
