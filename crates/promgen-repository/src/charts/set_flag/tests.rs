//! What Helm 3.19.2 makes of flags, by `toJson .Values`.

use super::super::release::GivenValues;
use super::*;
use promgen_text::source::FileId;
use promgen_text::yaml::embedded::root;
use promgen_text::yaml::emit::to_json;

/// The flag of a whole text.
fn flag(kind: FlagKind, written: &str) -> SetFlag {
    let (at, value) = written.split_once('=').expect("a path and a value");
    SetFlag {
        kind,
        at: at.to_owned(),
        value: value.to_owned(),
        span: Span::default(),
    }
}

/// The values that flags make of others, or why the last of them is refused.
fn made(values: &str, flags: &[(FlagKind, &str)]) -> Result<String, String> {
    let mut given = GivenValues::new(Span::default());
    given.add(&root(FileId::new(0), values).expect("YAML"));
    given.set_all(flags.iter().map(|(kind, text)| flag(*kind, text)).collect());
    match given.refused.pop() {
        Some((_, why)) => Err(why),
        None => Ok(to_json(&given.root.to_value())),
    }
}

#[track_caller]
fn check(kind: FlagKind, values: &str, recorded: &[(&str, &str)]) {
    for (written, expected) in recorded {
        let found = made(values, &[(kind, written)]);
        assert_eq!(found, Ok(json(expected)), "{kind:?} {written}");
    }
}

/// Values as they are compared.
fn json(written: &str) -> String {
    to_json(
        &root(FileId::new(0), written)
            .expect("JSON is YAML")
            .to_value(),
    )
}

#[track_caller]
fn check_refused(kind: FlagKind, values: &str, recorded: &[(&str, &str)]) {
    for (written, why) in recorded {
        let found = made(values, &[(kind, written)]).expect_err(written);
        assert!(found.ends_with(why), "{kind:?} {written}: {found}");
    }
}

#[test]
fn a_value_is_read_as_helm_reads_it() {
    let recorded = [
        ("b={a, b ,c}", r#"{"b": ["a"," b ","c"]}"#),
        (
            r#"b={1,true,null,1.5,"x"}"#,
            r#"{"b": [1,true,null,"1.5","\"x\""]}"#,
        ),
        ("b={}", r#"{"b": [""]}"#),
        ("b={a,}", r#"{"b": ["a",""]}"#),
        (r"b={a\,b,c\}d}", r#"{"b": ["a,b","c}d"]}"#),
        ("b={a=b,c.d=e,[0]}", r#"{"b": ["a=b","c.d=e","[0]"]}"#),
        ("b=x{a}", r#"{"b": "x{a}"}"#),
        (r"b=\{a}", r#"{"b": "{a}"}"#),
        ("b=[]", r#"{"b": "[]"}"#),
        ("b=", r#"{"b": ""}"#),
        ("b=nULL", r#"{"b": null}"#),
        (r"b=\null", r#"{"b": null}"#),
        ("b=tRue", r#"{"b": true}"#),
        ("b=yes", r#"{"b": "yes"}"#),
        ("b=0", r#"{"b": 0}"#),
        ("b=-0", r#"{"b": 0}"#),
        ("b=00", r#"{"b": "00"}"#),
        ("b=010", r#"{"b": "010"}"#),
        ("b=-012", r#"{"b": -12}"#),
        ("b=+5", r#"{"b": 5}"#),
        ("b=-", r#"{"b": "-"}"#),
        ("b=1_000", r#"{"b": "1_000"}"#),
        ("b=1e3", r#"{"b": "1e3"}"#),
        ("b=0x10", r#"{"b": "0x10"}"#),
        ("b=9223372036854775808", r#"{"b": "9223372036854775808"}"#),
        ("b= x ", r#"{"b": " x "}"#),
        (r"b=a\,b\\c\x", r#"{"b": "a,b\\cx"}"#),
        (r"b=a\", r#"{"b": "a"}"#),
        ("b=a=c", r#"{"b": "a=c"}"#),
        (r#"b="""#, r#"{"b": "\"\""}"#),
    ];
    check(FlagKind::Set, "{}", &recorded);
    let recorded = [
        ("b={1,true,null}", r#"{"b": ["1","true","null"]}"#),
        ("b={}", r#"{"b": [""]}"#),
        ("b=null", r#"{"b": "null"}"#),
        ("b=12,c=true", r#"{"b": "12", "c": "true"}"#),
        ("b=", r#"{"b": ""}"#),
    ];
    check(FlagKind::SetString, "{}", &recorded);
    let recorded = [
        (r"b=a\,b,c={d}", r#"{"b": "a\\,b,c={d}"}"#),
        ("b=null", r#"{"b": "null"}"#),
        (r"a\.b[1]=1", r#"{"a.b": [null, "1"]}"#),
    ];
    check(FlagKind::Literal, "{}", &recorded);
}

#[test]
fn a_flag_has_several_assignments() {
    let recorded = [
        ("a=b,c=d", r#"{"a": "b", "c": "d"}"#),
        ("a={b,c},d=e", r#"{"a": ["b","c"], "d": "e"}"#),
        ("a={b}c=1", r#"{"a": ["b"], "c": 1}"#),
        ("a=b, c=d", r#"{"a": "b", " c": "d"}"#),
        ("a=b,", r#"{"a": "b"}"#),
        ("a[0].b=1,a[0].c=2", r#"{"a": [{"b": 1, "c": 2}]}"#),
        ("a.b=1,a=2", r#"{"a": 2}"#),
        ("a={y},a[2]=x", r#"{"a": ["y",null,"x"]}"#),
        ("=b", "{}"),
        (".a=c,b=1", r#"{"b": 1}"#),
        ("[0]=1", "{}"),
        ("a.b=1,a.=2", r#"{"a": {"b": 1}}"#),
        ("a[1]..b=1", r#"{"a": [null,{}]}"#),
    ];
    check(FlagKind::Set, "{}", &recorded);
    let refused = [
        ("a=b,c", NO_VALUE),
        ("a=b,,c=d", NO_VALUE),
        ("a={b},,c=d", NO_VALUE),
        ("a={b}x", NO_VALUE),
        ("a={b,{c}}", NO_VALUE),
        ("a={b", NO_END),
        ("a..b=c", "a key is empty"),
        ("a.=c", "a key is empty"),
        ("a.[0]=c", "a key is empty"),
        ("a=2,a.b=1", "a value above it is no map"),
    ];
    check_refused(FlagKind::Set, "{}", &refused);
}

#[test]
fn a_path_is_read_as_helm_reads_it() {
    let recorded = [
        (r"a\.b.c=1", r#"{"a.b": {"c": 1}}"#),
        (r"a\=b=c", r#"{"a=b": "c"}"#),
        (r"a\,b=1", r#"{"a,b": 1}"#),
        (r"a\[0\]=1", r#"{"a[0]": 1}"#),
        ("a]=1", r#"{"a]": 1}"#),
        ("a[2]=x", r#"{"a": [null,null,"x"]}"#),
        ("a[01]=x", r#"{"a": [null,"x"]}"#),
        ("a[+1]=x", r#"{"a": [null,"x"]}"#),
        ("a[0][1].b[0]=x", r#"{"a": [[null,{"b": ["x"]}]]}"#),
        ("a[0]=null", r#"{"a": [null]}"#),
        ("a[0]={x}", r#"{"a": [["x"]]}"#),
    ];
    check(FlagKind::Set, "{}", &recorded);
    let nested = |n: usize| format!("a{}=1", ".a".repeat(n));
    assert!(made("{}", &[(FlagKind::Set, &nested(30))]).is_ok());
    let indexed = format!("a{}=1", "[0]".repeat(100));
    let refused = [
        ("a[x]=1", BAD_INDEX),
        ("a[]=1", BAD_INDEX),
        ("a[-1]=1", BAD_INDEX),
        ("a[ 1 ]=1", BAD_INDEX),
        ("a[1025]=1", BAD_INDEX),
        ("a[99999999999999999999]=1", BAD_INDEX),
        ("a[0=1", BAD_INDEX),
        ("a[0]b=1", BEHIND_INDEX),
        (r"a[0]\.b=1", BEHIND_INDEX),
        (&nested(31), TOO_DEEP),
        (&indexed, TOO_DEEP),
    ];
    check_refused(FlagKind::Set, "{}", &refused);
}

#[test]
fn values_that_are_there_keep_what_is_not_set() {
    let values = "{l: [null, 1, {k: 1}, [2]], t: text, e: {}, el: [], x: null}";
    let of_list =
        |list: &str| format!(r#"{{"l": {list}, "t": "text", "e": {{}}, "el": [], "x": null}}"#);
    let recorded = [
        ("l[1]=x", r#"[null,"x",{"k":1},[2]]"#),
        ("l[0].a=1", r#"[{"a":1},1,{"k":1},[2]]"#),
        ("l[0][0]=1", r#"[[1],1,{"k":1},[2]]"#),
        ("l[1].a=1", r#"[null,{"a":1},{"k":1},[2]]"#),
        ("l[2].b=1", r#"[null,1,{"k":1,"b":1},[2]]"#),
        ("l[3].b=1", r#"[null,1,{"k":1},{"b":1}]"#),
        ("l[3][1].k=1", r#"[null,1,{"k":1},[2,{"k":1}]]"#),
        ("l[5].b=1", r#"[null,1,{"k":1},[2],null,{"b":1}]"#),
        ("l={x}", r#"["x"]"#),
        ("l=null", "null"),
    ];
    for (written, list) in recorded {
        check(FlagKind::Set, values, &[(written, &of_list(list))]);
    }
    for (written, list) in [
        ("l[2].b=", r#"[null,1,{"k":1,"b":""},[2]]"#),
        ("l[0].a=", r#"[{"a":""},1,{"k":1},[2]]"#),
        ("l[6].a=", r#"[null,1,{"k":1},[2]]"#),
        ("l[3][1].a=", r#"[null,1,{"k":1},[2]]"#),
        ("l[4]=", r#"[null,1,{"k":1},[2],""]"#),
        ("l[4].a[0]=", r#"[null,1,{"k":1},[2],{"a":[""]}]"#),
        ("l={x},l[1].a=", r#"["x"]"#),
    ] {
        check(FlagKind::Set, values, &[(written, &of_list(list))]);
    }
    let (map, list) = ("a value above it is no map", "a value above it is no list");
    let refused = [
        ("l.a=1", map),
        ("t.a=1", map),
        ("x.a=1", map),
        ("t[0]=1", list),
        ("e[0]=1", list),
        ("x[0]=1", list),
        ("l[1][0]=1", list),
        ("l[2][0]=1", list),
    ];
    check_refused(FlagKind::Set, values, &refused);
    // Nothing of a refused flag counts.
    let mut given = GivenValues::new(Span::default());
    given.set(&flag(FlagKind::Set, "a=1,b"));
    assert!(given.root.is_empty_map());
}

#[test]
fn flags_count_in_the_order_of_their_kinds() {
    let all = [
        (FlagKind::Literal, "a=1,2"),
        (FlagKind::SetString, "a=3"),
        (FlagKind::SetString, "b=1"),
        (FlagKind::Set, "a=4"),
        (FlagKind::Set, "b=2"),
        (FlagKind::Set, "c=1"),
        (FlagKind::Set, "c=2"),
    ];
    assert_eq!(
        made("{}", &all),
        Ok(json(r#"{"a": "1,2", "b": "1", "c": 2}"#))
    );
}

#[test]
fn braces_of_a_template_are_no_list() {
    let recorded = [
        ("a={{ .name }}", r#"{"a": "{{ .name }}"}"#),
        ("a={{ .name }},b", r#"{"a": "{{ .name }},b"}"#),
        (r"a=https://${HOST}/x\,y", r#"{"a": "https://${HOST}/x,y"}"#),
    ];
    check(FlagKind::Set, "{}", &recorded);
}

#[test]
fn many_indexes_are_too_much() {
    let mut given = GivenValues::new(Span::default());
    for n in 0..4096 {
        given.set(&flag(
            FlagKind::Set,
            &format!("a[1024].b{n}[1024].c[1024]=1"),
        ));
    }
    assert!(!given.missing.is_empty());
}
