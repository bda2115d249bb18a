//! A map as a file of SVG that stands alone: with its own style, and a title and a description for who hears it.

use serde::Serialize;

use crate::cli::map::{MapPart, fits, tone};
use promgen_answers::map::FlowMap;
use promgen_compile::sharding::template;
use promgen_text::source::Input;

const TEMPLATE: &str = "report/map.svg.j2";

/// The marks around what a page takes of the picture.
const DRAWING: [&str; 2] = ["<!--drawing-->", "<!--/drawing-->"];

/// The input of the template.
#[derive(Debug, Serialize)]
struct Picture<'a> {
    title: &'a str,
    map: &'a MapPart,
}

/// The picture of a map: by namespace, if it has too many boxes.
///
/// # Errors
/// The template of the user fails.
pub(crate) fn file(map: &FlowMap, title: &str, templates: &[Input]) -> Result<String, String> {
    let folded = (!fits(map)).then(|| map.by_namespace());
    let map = MapPart::of(folded.as_ref().unwrap_or(map), &|known| {
        (String::new(), tone(known))
    });
    let whole = template::page(TEMPLATE, templates, &Picture { title, map: &map })?;
    Ok(DRAWING.iter().fold(whole, |text, mark| {
        text.replacen(&format!("  {mark}\n"), "", 1)
    }))
}

/// The columns, lines and boxes of a map, for a page that has the style.
///
/// # Errors
/// As [`file`].
pub(crate) fn drawing(map: &MapPart, templates: &[Input]) -> Result<String, String> {
    let whole = template::page(TEMPLATE, templates, &Picture { title: "", map })?;
    let rest = whole.split_once(DRAWING[0]).map_or("", |(_, rest)| rest);
    Ok(rest
        .split_once(DRAWING[1])
        .map_or("", |(inside, _)| inside.trim_end())
        .trim_start_matches('\n')
        .to_owned())
}
