//! What takes artifacts on the way to a machine: linkers, assemblers, validators. Each has its say, and then its result is
//! compared with the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionFlags};

use crate::generated::Session;
use crate::support::{Site, arg, llvm, manifest, relo_ok, run, sites_of, tool};

/// How the artifact of a target is judged.
#[derive(Clone, Copy, Debug)]
pub enum Consumer {
    /// A C compiler's linker, beside the one in relo.
    Linker(&'static str),
    /// LLVM's linker for ELF.
    Lld,
    /// NVIDIA's assembler and linker.
    Nvidia,
    /// The validator, in an environment.
    Validator(&'static str),
}

impl Consumer {
    /// What it is called on the page.
    pub fn name(self) -> String {
        match self {
            Self::Linker(cc) => format!("the dynamic linker's rules, and `{cc} -shared`"),
            Self::Lld => "`ld.lld -shared`".into(),
            Self::Nvidia => "`ptxas -c` and `nvlink`".into(),
            Self::Validator(environment) => format!("`spirv-val --target-env {environment}`"),
        }
    }

    /// Has it take an artifact, and compares what comes of that with the manifest. `compile` compiles the same again as
    /// another kind.
    ///
    /// # Panics
    /// When it refuses, or they differ.
    pub fn take(self, artifact: &Path, compile: impl Fn(&str, &Path)) {
        match self {
            Self::Linker(_) | Self::Lld => {
                compare(&std::fs::read(artifact).expect("written"), artifact);
                let object = artifact.with_extension("o");
                compile("object", &object);
                compare(&std::fs::read(&object).expect("written"), &object);
                let linked = artifact.with_extension("linked");
                let mut linker = match self {
                    Self::Linker("cc") => Command::new("cc"),
                    Self::Linker(cross) => Command::new(tool(cross)),
                    _ => Command::new(llvm("ld.lld")),
                };
                // As the targets say, an artifact's own definitions are its own.
                let symbolic = if matches!(self, Self::Lld) { "-Bsymbolic" } else { "-Wl,-Bsymbolic" };
                run(linker.args(["-shared", symbolic, "-o", arg(&linked), arg(&object)]));
            }
            Self::Nvidia => assemble(artifact),
            Self::Validator(environment) => {
                run(Command::new("spirv-val").args(["--target-env", environment, arg(artifact)]));
                compare_spirv(artifact);
            }
        }
    }
}

/// Every site is where the manifest says, in data that a loader can write, or in none; and no other slot is there.
fn compare(bytes: &[u8], artifact: &Path) {
    let file = ElfFile64::<object::Endianness>::parse(bytes).expect("an ELF file");
    let mut symbols: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        symbols.entry(symbol.name().expect("UTF-8")).or_default().push(symbol);
    }
    let manifest = manifest(artifact);
    let sites = sites_of(&manifest);
    for site in &sites {
        let told = || format!("{}: {site:?}", artifact.display());
        let named = symbols.get(site.symbol.as_str()).unwrap_or_else(|| panic!("{}", told()));
        if site.action == "define" || (site.action == "table" && named.iter().all(|one| one.is_undefined())) {
            assert!(named.iter().all(|symbol| symbol.is_undefined()), "{}", told());
            continue;
        }
        let has_room = |symbol: &&object::read::elf::ElfSymbol64<'_, '_, object::Endianness>| {
            // ptxas has kinds of symbol of its own.
            !symbol.is_undefined()
                && site.offset + 8 <= symbol.size()
                && site.at.is_none_or(|at| symbol.address() + site.offset == at)
        };
        let symbol = named.iter().find(has_room).unwrap_or_else(|| panic!("{}", told()));
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let section = section.unwrap_or_else(|| panic!("{}", told()));
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { panic!("{}", told()) };
        let is_constant_memory = section.name().is_ok_and(|name| name.starts_with(".nv.constant"));
        let is_writable = sh_flags.0 & object::elf::SHF_WRITE.0 != 0;
        assert!(is_writable || is_constant_memory, "{}: {:?}", told(), section.name());
    }
    let known: BTreeSet<&str> = sites.iter().map(|site| site.symbol.as_str()).collect();
    for (name, named) in &symbols {
        let seen = named.iter().any(|symbol| !symbol.is_local());
        assert!(!seen || !name.starts_with("relo_") || known.contains(name), "{name} is in no manifest");
    }
}

/// The words that a module declares come from a module of the session, and from nowhere else.
fn assemble(ptx: &Path) {
    let cpu = manifest(ptx)["target"]["cpu"].as_str().expect("a processor").to_owned();
    let assemble = |ptx: &Path| -> PathBuf {
        let object = ptx.with_extension("cubin");
        let mut ptxas = Command::new(tool("ptxas"));
        run(ptxas.args(["-c", "-Werror", &format!("-arch={cpu}"), arg(ptx), "-o", arg(&object)]));
        object
    };
    let object = assemble(ptx);
    compare(&std::fs::read(&object).expect("written"), ptx);
    let mut objects = vec![object];
    let cells = cells(&sites_of(&manifest(ptx)));
    if !cells.is_empty() {
        let (source, compiled) = (ptx.with_extension("cells.ll"), ptx.with_extension("cells.ptx"));
        std::fs::write(&source, format!("target triple = \"nvptx64-nvidia-cuda\"\n{cells}"))
            .expect("written");
        relo_ok(&["compile", arg(&source), "--target", "cuda", "--cpu", &cpu, "-o", arg(&compiled)]);
        objects.push(assemble(&compiled));
    }
    let linked = ptx.with_extension("linked");
    let mut nvlink = Command::new(tool("nvlink"));
    run(nvlink.arg(format!("-arch={cpu}")).args(objects).args(["-o", arg(&linked)]));
}

/// Definitions of the words that a module imports.
fn cells(sites: &[Site]) -> String {
    let session = Session::new(0);
    let imported = sites.iter().filter(|site| site.action == "define");
    let cell = |site: &Site| {
        format!("@{} = addrspace(1) global i64 {}\n", site.symbol, session.word(site).cast_signed())
    };
    imported.map(cell).collect()
}

/// The constants' numbers, and the names that linking knows, are the manifest's.
fn compare_spirv(module: &Path) {
    let text = run(Command::new("spirv-dis").args(["--no-color", "--raw-id", arg(module)]));
    let numbers: BTreeSet<u64> =
        text.lines().filter_map(|line| line.split_once(" SpecId ")?.1.trim().parse().ok()).collect();
    let names: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split_once("LinkageAttributes \"")?.1.strip_suffix("\" Import"))
        .filter(|name| name.starts_with("relo_"))
        .collect();
    let manifest = manifest(module);
    let sites = sites_of(&manifest);
    let of = |action: &str| sites.iter().filter(move |site| site.action == action).collect::<Vec<_>>();
    assert_eq!(numbers, of("specialize").iter().filter_map(|site| site.index).collect());
    assert_eq!(names, of("define").iter().map(|site| site.symbol.as_str()).collect());
    let tables: BTreeSet<&str> = of("table").iter().map(|site| site.symbol.as_str()).collect();
    let arguments = manifest["arguments"].as_array().cloned().unwrap_or_default();
    let handed: BTreeSet<&str> = arguments.iter().filter_map(|argument| argument["table"].as_str()).collect();
    assert_eq!(tables, handed);
}

/// LLVM IR with sites that are still to be delivered: valid, each named in the metadata, and compiled again.
pub fn take_deferred(module: &Path, again: impl Fn(&Path, &Path)) {
    run(Command::new(llvm("opt")).args(["-passes=verify", "-disable-output", arg(module)]));
    let text = std::fs::read_to_string(module).expect("written");
    for site in sites_of(&manifest(module)) {
        let entry = format!("!{{ptr @{}, i64 {},", site.symbol, site.offset);
        let spaced = format!("@{}, i64 {},", site.symbol, site.offset);
        assert!(text.contains(&entry) || text.contains(&spaced), "{entry}\n{text}");
    }
    let out = module.with_extension("again");
    again(module, &out);
}
