#[path = "../../../tests/it/kustomize_builds/generate.rs"]
mod generate;
use promgen_repository::kustomize::{
    build::build,
    read::{
        gather::{Files, gather},
        store::Store,
    },
};
use promgen_text::yaml::emit::{Dialect, to_string};
use std::collections::BTreeMap;
struct Memory(BTreeMap<String, String>);
impl Files for Memory {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|t| t.clone().into_bytes())
    }
    fn is_folder(&self, path: &str) -> bool {
        self.0.keys().any(|k| k.starts_with(&format!("{path}/")))
    }
}
fn ours(files: &BTreeMap<String, String>) -> Result<String, String> {
    let files = Memory(files.clone());
    let gathered = gather(&files, "top");
    let sources = gathered.sources();
    let store = Store::new(&gathered, &sources);
    match build(&store, "top").unwrap() {
        Err(f) => Err(format!(
            "{}:{}: {}{}",
            sources.file(f.span.file).name,
            sources.start(f.span),
            if f.is_unsupported { "UNSUPPORTED " } else { "" },
            f.message
        )),
        Ok(objects) => {
            Ok(objects.iter().map(|o| to_string(&o.node.to_value(), Dialect::Sigs)).collect::<Vec<_>>().join("---\n"))
        }
    }
}
fn main() {
    let arg = |n: usize| std::env::args().nth(n).unwrap();
    let (from, to): (u64, u64) = (arg(1).parse().unwrap(), arg(2).parse().unwrap());
    let kustomize = "/work/wt/k1/target/tools/kustomize-5.7.1";
    let (mut ok, mut both, mut bad) = (0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for seed in from..to {
        let files = generate::files(seed);
        let dir = format!("/tmp/kx/fuzz/{seed}");
        let _ = std::fs::remove_dir_all(&dir);
        for (path, text) in &files {
            let path = format!("{dir}/{path}");
            std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let out = std::process::Command::new(kustomize).arg("build").arg(format!("{dir}/top")).output().unwrap();
        let real = if out.status.success() {
            Ok(String::from_utf8(out.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let ours = std::panic::catch_unwind(|| ours(&files)).unwrap_or_else(|_| Err("PANIC".into()));
        match (&real, &ours) {
            (Ok(a), Ok(b)) if a == b => {
                ok += 1;
                let _ = std::fs::remove_dir_all(&dir);
            }
            (Err(a), Err(b)) => {
                both += 1;
                let last: String = a
                    .lines()
                    .filter(|l| !l.starts_with("# Warn"))
                    .last()
                    .unwrap_or("")
                    .chars()
                    .rev()
                    .take(90)
                    .collect::<String>()
                    .chars()
                    .rev()
                    .collect();
                *reasons
                    .entry(format!("{} <> {}", last, b.split(' ').skip(1).take(6).collect::<Vec<_>>().join(" ")))
                    .or_default() += 1;
                let _ = std::fs::remove_dir_all(&dir);
            }
            (Ok(a), Ok(b)) => {
                bad += 1;
                println!("DIFF {seed}");
                std::fs::write(format!("{dir}/real"), a).unwrap();
                std::fs::write(format!("{dir}/ours"), b).unwrap();
            }
            (Ok(_), Err(b)) => {
                bad += 1;
                println!("WE REFUSE {seed}: {b}");
            }
            (Err(a), Ok(_)) => {
                bad += 1;
                println!(
                    "WE ACCEPT {seed}: {}",
                    a.chars().rev().take(400).collect::<String>().chars().rev().collect::<String>()
                );
            }
        }
    }
    println!("ok {ok} both {both} bad {bad}");
    if std::env::args().nth(3).is_some() {
        let mut v: Vec<_> = reasons.into_iter().collect();
        v.sort_by_key(|x| std::cmp::Reverse(x.1));
        for (r, n) in v.iter().take(40) {
            println!("{n} {r}");
        }
    }
}
