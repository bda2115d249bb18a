//! Expressions that are refused: no expressions at all, facts that there are not, and operators of other types.

use promgen_cel::CelType;

use super::places::Place;
use super::{Kind, Maker};

impl<'v> Maker<'_, 'v> {
    pub(super) fn ill_typed(&mut self, depth: usize) -> String {
        if self.dice.is(15) {
            let made = self.make(Kind::Bool, depth);
            return self.unread(&made);
        }
        let ill = self.wrong();
        let made = self.make(Kind::Bool, depth);
        match self.dice.below(5) {
            0 => ill,
            1 => format!("({made}) || ({ill}) == true"),
            2 => format!("[{made}].exists(y, y && ({ill}) == ({ill}))"),
            3 => format!("({made}) ? ({ill}) : ({ill})"),
            _ => format!("({ill}) == ({ill}) && ({made})"),
        }
    }

    /// A text that is no expression.
    fn unread(&mut self, text: &str) -> String {
        match self.dice.below(6) {
            0 => format!("({text}"),
            1 => format!("{text} +"),
            2 => format!("{text} 1"),
            3 => format!("[{text}"),
            4 => format!("'{text}"),
            _ => format!("has({text} + 1)"),
        }
    }

    /// A place whose type is declared.
    fn declared(&mut self, is_so: impl Fn(&CelType) -> bool) -> String {
        let is_it = |place: &Place<'v>| place.of != CelType::Dyn && is_so(&place.of);
        let place = self.place(|place| place.is_sure && is_it(place));
        place.map_or_else(|| "rule".to_owned(), |place| place.text)
    }

    fn wrong(&mut self) -> String {
        let bool = self.declared(|of| *of == CelType::Bool);
        let int = self.declared(|of| *of == CelType::Int);
        let text = self.declared(|of| *of == CelType::Text);
        let length = self.declared(|of| *of == CelType::Duration);
        let object = self.declared(|of| matches!(of, CelType::Object(_)));
        let is_of_objects = |of: &CelType| matches!(of, CelType::List(item) if matches!(**item, CelType::Object(_)));
        let list = self.declared(is_of_objects);
        match self.dice.below(24) {
            0..=2 => format!("{object}.nope"),
            3 => format!("has({object}.nope)"),
            4 => format!("{object}.?nope.orValue(1)"),
            5 => format!("{list}.exists(x, x.nope == 1)"),
            6 => format!("{text}.name"),
            7 => format!("{text} - {text}"),
            8 => format!("{length} > '10m'"),
            9 => format!("{int} + {text}"),
            10 => format!("!{text}"),
            11 => format!("{text} in {text}"),
            12 => format!("{bool}.startsWith('a')"),
            13 => format!("{list} > 1"),
            14 => format!("{int} && {bool}"),
            15 => format!("{int} * 1.5"),
            16 => format!("-{length}"),
            17 => format!("{text} ? 1 : 2"),
            18 => format!("{bool} == {int}"),
            19 => format!("size({int})"),
            20 => format!("{length} < {int}"),
            21 => format!("{text} == null"),
            22 => format!("{int} == 1.0"),
            _ => format!("{list}['name']"),
        }
    }
}
