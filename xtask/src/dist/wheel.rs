//! A wheel that brings the program: <https://packaging.python.org/en/latest/specifications/binary-distribution-format/>.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::contents::Contents;
use super::table::{DESCRIPTION, Platform, REPOSITORY, VERSION, WHEEL};

/// The bytes of the wheel.
pub(crate) fn wheel(platform: &Platform, contents: &Contents) -> Result<Vec<u8>, String> {
    let stem = format!("{}-{VERSION}", WHEEL.replace('-', "_"));
    let info = format!("{stem}.dist-info");
    let about =
        "License-File: LICENSE\nLicense-File: NOTICES.md\nDescription-Content-Type: text/markdown";
    let links = format!(
        "Project-URL: Homepage, {REPOSITORY}\nProject-URL: Changelog, {REPOSITORY}/blob/main/CHANGELOG.md"
    );
    let metadata = format!(
        "Metadata-Version: 2.4\nName: {WHEEL}\nVersion: {VERSION}\nSummary: {DESCRIPTION}\nLicense-Expression: Apache-2.0\n\
         Requires-Python: >=3.8\n{links}\n{about}\n\n{}",
        String::from_utf8_lossy(&contents.readme.bytes)
    );
    let tags: String = platform
        .wheel_tags()
        .map(|tag| format!("Tag: {tag}\n"))
        .collect();
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: promgen xtask dist {VERSION}\nRoot-Is-Purelib: false\n{tags}"
    );
    let mut entries = vec![
        contents
            .program
            .at(format!("{stem}.data/scripts/{}", platform.program())),
        Entry::new(format!("{info}/METADATA"), metadata),
        Entry::new(format!("{info}/WHEEL"), about),
        contents.licence.at(format!("{info}/licenses/LICENSE")),
        contents.notices.at(format!("{info}/licenses/NOTICES.md")),
        contents.sbom.at(format!("{info}/sboms/promgen.cdx.json")),
    ];
    entries.sort_unstable();
    let record = format!("{info}/RECORD");
    let mut lines: String = entries.iter().map(recorded).collect();
    lines.push_str(&record);
    lines.push_str(",,\n");
    entries.push(Entry::new(record, lines));
    archive::zip(&entries)
}

/// The line of a file in the list of them.
fn recorded(entry: &Entry) -> String {
    let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
    format!("{},sha256={sum},{}\n", entry.path, entry.bytes.len())
}
