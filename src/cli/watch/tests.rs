//! Tests of the loop, without a clock and without the system's events: each wait is a change of the test.

use super::*;
use crate::cli::{Terminal, run as run_promgen};
use promgen_text::source::Unread;

/// A command that reads texts from a list, and prints them.
struct Printed {
    /// The results of each reading: names with texts, or a failure.
    readings: Vec<Result<Vec<(&'static str, &'static str)>, &'static str>>,
    read: Vec<Input>,
    paths: Vec<PathBuf>,
}

impl Printed {
    fn new(readings: &[Result<&[(&'static str, &'static str)], &'static str>]) -> Self {
        let readings = readings
            .iter()
            .rev()
            .map(|reading| reading.map(<[_]>::to_vec))
            .collect();
        Self {
            readings,
            read: Vec::new(),
            paths: vec![PathBuf::from(".")],
        }
    }
}

impl Rerun for Printed {
    fn read(&mut self, io: &mut Io<'_>) -> Result<Vec<String>, Failure> {
        report::note("a note of reading", io);
        let now = self
            .readings
            .pop()
            .expect("a reading")
            .map_err(Failure::message)?;
        let now: Vec<Input> = now
            .into_iter()
            .map(|(name, text)| Input::new(name, text))
            .collect();
        let names = changed(&self.read, &now, |input| input.name == "ours");
        self.read = now;
        Ok(names)
    }

    fn run(&mut self, io: &mut Io<'_>) -> Result<Exit, Failure> {
        let names: Vec<&str> = self.read.iter().map(|input| input.name.as_str()).collect();
        let text = format!("ran with {}\n", names.join(", "));
        io.print(|out| out.write_all(text.as_bytes()))
            .map_err(|_| Failure::message("cannot print"))?;
        if names.contains(&"unwritable") {
            Err(Failure::message("cannot write"))
        } else {
            Ok(Exit::Findings)
        }
    }

    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn places(&self) -> fs::WatchedPlaces {
        fs::WatchedPlaces::default()
    }
}

/// As many changes as there are readings after the first one.
struct Scripted {
    n_left: usize,
    fault: Option<&'static str>,
}

impl ChangeSource for Scripted {
    fn watch(&mut self, _: fs::WatchedPlaces) {}

    fn fault(&self) -> Option<String> {
        self.fault.map(str::to_owned)
    }

    fn wait(&mut self) -> bool {
        self.n_left = self.n_left.wrapping_sub(1);
        self.n_left != usize::MAX
    }
}

fn watched(
    command: &mut Printed,
    changes: &mut Scripted,
    terminal: Terminal,
) -> (Result<Exit, Failure>, String, String) {
    let (mut stdin, mut stdout, mut stderr) = (io::empty(), Vec::new(), Vec::new());
    let mut io = Io {
        stdin: &mut stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal,
    };
    let result = repeat(
        command,
        changes,
        RerunArgs {
            watch: true,
            no_clear: false,
        },
        &mut io,
    );
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        result,
        text(stdout),
        text(stderr).lines().map(without_time).collect(),
    )
}

/// A line without the time that the run took.
fn without_time(line: &str) -> String {
    let text = line.split(' ').map(|word| {
        if word.parse::<u64>().is_ok() {
            "N"
        } else {
            word
        }
    });
    text.collect::<Vec<_>>().join(" ") + "\n"
}

fn scripted(n_left: usize) -> Scripted {
    Scripted {
        n_left,
        fault: None,
    }
}

#[test]
fn only_a_change_of_texts_is_a_run() {
    let mut command = Printed::new(&[
        Ok(&[("a", "1")]),
        Ok(&[("a", "1")]),
        Ok(&[("a", "1"), ("ours", "1")]),
        Ok(&[("a", "2"), ("b", "1")]),
        Ok(&[("b", "1")]),
    ]);
    let (result, stdout, stderr) = watched(&mut command, &mut scripted(4), Terminal::default());
    assert_eq!(result.unwrap(), Exit::Clean);
    assert_eq!(stdout, "ran with a\nran with a, b\nran with b\n");
    let expected = "\
note: a note of reading
note: run in N ms; waiting for changes (Ctrl-C ends)
--- a, b changed
note: a note of reading
note: N changes, run in N ms; waiting for changes (Ctrl-C ends)
--- a changed
note: a note of reading
note: N change, run in N ms; waiting for changes (Ctrl-C ends)
";
    assert_eq!(stderr, expected);
}

#[test]
fn files_that_the_system_does_not_watch_are_said_once() {
    let mut command = Printed::new(&[Ok(&[("a", "1")]), Ok(&[("a", "2")])]);
    let mut changes = Scripted {
        n_left: 1,
        fault: Some("no more"),
    };
    let (_, stdout, stderr) = watched(&mut command, &mut changes, Terminal::default());
    assert_eq!(stdout, "ran with a\nran with a\n");
    assert_eq!(
        stderr
            .matches("the system does not watch all files")
            .count(),
        1,
        "{stderr}"
    );
}

#[test]
fn a_failure_is_said_once_and_the_next_reading_runs() {
    let mut command = Printed::new(&[
        Ok(&[("a", "1")]),
        Err("broken"),
        Err("broken"),
        Err("other"),
        Ok(&[("a", "1")]),
    ]);
    let (result, stdout, stderr) = watched(&mut command, &mut scripted(4), Terminal::default());
    assert_eq!(result.unwrap(), Exit::Clean);
    assert_eq!(stdout, "ran with a\nran with a\n");
    assert_eq!(
        (
            stderr.matches("error: broken").count(),
            stderr.matches("error: other").count()
        ),
        (1, 1),
        "{stderr}"
    );
}

#[test]
fn a_run_that_cannot_write_waits_for_the_next_change() {
    let unwritable = [("unwritable", "1")];
    let mut command = Printed::new(&[Ok(&unwritable), Ok(&unwritable), Ok(&[("a", "1")])]);
    let (result, stdout, stderr) = watched(&mut command, &mut scripted(2), Terminal::default());
    assert_eq!(result.unwrap(), Exit::Clean);
    assert_eq!(
        (
            stdout.lines().count(),
            stderr.matches("error: cannot write").count()
        ),
        (2, 1),
        "{stderr}"
    );
}

#[test]
fn a_path_that_does_not_exist_is_a_failure_at_the_start() {
    let mut command = Printed::new(&[Err("nothing there")]);
    command.paths = vec![PathBuf::from("missing/folder")];
    let (result, ..) = watched(&mut command, &mut scripted(0), Terminal::default());
    assert!(matches!(result, Err(Failure::Messages(messages)) if messages == ["nothing there"]));
    let mut command = Printed::new(&[Err("nothing there"), Ok(&[])]);
    let (_, stdout, _) = watched(&mut command, &mut scripted(1), Terminal::default());
    assert_eq!(stdout, "ran with \n");
}

#[test]
fn a_terminal_is_cleared_between_runs_and_a_quiet_run_says_nothing() {
    let readings: [Result<&[(&str, &str)], &str>; 2] = [Ok(&[("a", "1")]), Ok(&[("a", "2")])];
    let clears = Terminal {
        clears: true,
        ..Terminal::default()
    };
    let (_, _, stderr) = watched(&mut Printed::new(&readings), &mut scripted(1), clears);
    assert_eq!(
        stderr.matches("\u{1b}[2J\u{1b}[H--- a changed\n").count(),
        1,
        "{stderr}"
    );
    let quiet = Terminal {
        verbosity: Verbosity::Quiet,
        ..Terminal::default()
    };
    let (_, stdout, stderr) = watched(&mut Printed::new(&readings), &mut scripted(1), quiet);
    assert_eq!((stdout.lines().count(), stderr.as_str()), (2, ""));
}

#[test]
fn the_end_of_the_reader_ends_the_loop() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut command = Printed::new(&[Ok(&[("a", "1")])]);
    let (mut stdin, mut stderr) = (io::empty(), io::sink());
    let mut io = Io {
        stdin: &mut stdin,
        stdout: &mut Closed,
        stderr: &mut stderr,
        terminal: Terminal::default(),
    };
    let mut changes = Scripted {
        n_left: 5,
        fault: None,
    };
    let exit = repeat(&mut command, &mut changes, RerunArgs::default(), &mut io).unwrap();
    assert_eq!((exit, changes.n_left), (Exit::Clean, 5), "it does not wait");
}

#[test]
fn many_names_are_few_in_a_line() {
    let names = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
    assert_eq!(named(&names(3)), "0, 1, 2 changed");
    assert_eq!(named(&names(5)), "0, 1, 2 and 2 more changed");
    assert_eq!(named(&[]), "changed");
}

#[test]
fn what_is_not_read_any_more_has_changed() {
    let before = [Input::new("a", "1"), Input::new("b", "1")];
    let unread = [Input::unread("a", Unread::Irregular), before[1].clone()];
    assert_eq!(changed(&before, &unread, |_| false), ["a"]);
    assert_eq!(changed(&before, &before[1..], |_| false), ["a"]);
    assert_eq!(
        changed(&before, &[before[1].clone(), before[0].clone()], |_| false),
        [""; 0]
    );
}

#[test]
fn arguments_that_contradict_it_are_named() {
    for (args, expected) in [
        (
            &["lint", "--watch", "-"][..],
            "standard input can be read only once",
        ),
        (&["lint", "--watch", "--fix"], "--fix"),
        (&["lint", "--watch", "--diff"], "--diff"),
        (
            &["lint", "--watch", "--write-baseline", "x"],
            "--write-baseline",
        ),
        (&["lint", "--no-clear"], "--watch"),
        (&["render", "--watch", "."], "-o"),
        (&["render", "--watch", ".", "-o", "-"], "-o"),
        (
            &["render", "--watch", "-", "-o", "out/"],
            "standard input can be read only once",
        ),
        (
            &["render", "--watch", ".", "-o", "out/", "--previous", "-"],
            "standard input can be read only once",
        ),
        (
            &["test", "--watch", "-"],
            "standard input can be read only once",
        ),
        (&["post-render", "--watch"], "--watch is not supported"),
    ] {
        let (mut stdin, mut stdout, mut stderr) = (io::empty(), Vec::new(), Vec::new());
        let terminal = Terminal::default();
        let mut io = Io {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal,
        };
        let exit = run_promgen(["promgen"].iter().chain(args), &mut io);
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(
            exit == Exit::Failure && stderr.contains(expected),
            "{args:?}: {stderr}"
        );
    }
}
