//! Machines that native artifacts run on: this one, and others in software. The loader runs there, in a host of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use relo_testkit::root;
use serde::Serialize;

use crate::support::{llvm, tool};

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The target that compiles for it.
    pub target: &'static str,
    /// LLVM's triple.
    pub triple: &'static str,
    /// Rust's name, Debian's name and the emulator, unless it is this one.
    other: Option<(&'static str, &'static str, &'static str)>,
}

const MACHINES: [Machine; 3] = [
    Machine { target: "x86_64-linux", triple: "x86_64-unknown-linux-gnu", other: None },
    Machine {
        target: "aarch64-linux",
        triple: "aarch64-unknown-linux-gnu",
        other: Some(("aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "qemu-aarch64")),
    },
    Machine {
        target: "riscv64-linux",
        triple: "riscv64-unknown-linux-gnu",
        other: Some(("riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu", "qemu-riscv64")),
    },
];

/// A function `void entry(uint64_t *results, uint64_t …)` of an artifact, to be called once.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The artifact; its manifest lies beside it.
    pub artifact: PathBuf,
    /// The words of the session, each a referent and a number.
    pub words: Vec<(serde_json::Value, u64)>,
    /// The function.
    pub entry: String,
    /// What it is given beside the place for its results.
    pub arguments: Vec<u64>,
    /// How many words it writes.
    pub results: usize,
}

impl Machine {
    /// Those that code can be run on here.
    pub fn all() -> Vec<Self> {
        MACHINES.into_iter().filter(|machine| machine.is_here()).collect()
    }

    /// By the name of its target.
    pub fn named(target: &str) -> Option<Self> {
        Self::all().into_iter().find(|machine| machine.target == target)
    }

    /// Rust without rustup has no library for other machines: `make tools` says so.
    fn is_here(self) -> bool {
        let Some((rust, ..)) = self.other else { return true };
        let mut rustc = Command::new("rustc");
        rustc.args(["--print", "target-libdir", "--target", rust]).current_dir(root());
        let found = rustc.output().expect("rustc runs").stdout;
        PathBuf::from(String::from_utf8_lossy(&found).trim()).exists()
    }

    /// Makes the calls, one after another, in one process of this machine; what each wrote, or why it did not.
    pub fn run(self, calls: &[Call]) -> Vec<Result<Vec<u64>, String>> {
        let host = self.host();
        let mut command = match self.other {
            None => Command::new(host),
            Some((_, system, emulator)) => {
                let mut command = Command::new(emulator);
                command.args(["-L", &format!("/usr/{system}")]).arg(host);
                command
            }
        };
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the host starts");
        let mut input = child.stdin.take().expect("it is piped");
        serde_json::to_writer(&mut input, calls).expect("the host listens");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}: the host ends with {}", self.target, output.status);
        serde_json::from_slice(&output.stdout).expect("its results")
    }

    /// The host, built for this machine.
    fn host(self) -> PathBuf {
        // Cargo would have the second build wait for the first, and say so.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().expect("no build panics");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--package", "relo-host", "--message-format", "json"]);
        cargo.current_dir(root());
        if let Some((rust, system, _)) = self.other {
            let compiler = tool(&format!("{system}-cc"));
            let (name, upper) = (rust.replace('-', "_"), rust.replace('-', "_").to_uppercase());
            cargo.args(["--target", rust]);
            cargo.env(format!("CC_{name}"), &compiler).env(format!("AR_{name}"), llvm("llvm-ar"));
            cargo.env(format!("CARGO_TARGET_{upper}_LINKER"), &compiler);
        }
        let output = cargo.output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let mut built = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
        built.next_back().expect("it is a program")
    }
}

/// The words of a manifest's referents, by a session's answer.
pub fn words(
    manifest: &serde_json::Value,
    word: impl Fn(&serde_json::Value) -> u64,
) -> Vec<(serde_json::Value, u64)> {
    let referents = manifest["referents"].as_array().expect("referents");
    referents.iter().map(|referent| (referent.clone(), word(referent))).collect()
}
