use promgen_repository::kustomize::{
    build::build,
    read::{
        gather::{Files, gather},
        store::Store,
    },
};
use promgen_text::yaml::emit::{Dialect, to_string};
pub struct Disk;
impl Files for Disk {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(path).ok()
    }
    fn is_folder(&self, path: &str) -> bool {
        std::path::Path::new(path).is_dir()
    }
}
fn main() {
    let root = std::env::args().nth(2).unwrap();
    let gathered = gather(&Disk, &root);
    let sources = gathered.sources();
    let store = Store::new(&gathered, &sources);
    match build(&store, &root) {
        None => {
            eprintln!("no kustomization");
            std::process::exit(1)
        }
        Some(Err(f)) => {
            eprintln!(
                "{}:{}: {}{}",
                sources.file(f.span.file).name,
                sources.start(f.span),
                if f.is_unsupported { "UNSUPPORTED " } else { "" },
                f.message
            );
            std::process::exit(1)
        }
        Some(Ok(objects)) => {
            let t: Vec<String> = objects.iter().map(|o| to_string(&o.node.to_value(), Dialect::Sigs)).collect();
            print!("{}", t.join("---\n"));
        }
    }
}
