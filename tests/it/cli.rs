//! The command line, in-process and as the binary that users run.
