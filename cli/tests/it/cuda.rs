//! PTX for NVIDIA's own assembler and linker.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{arg, corpus, device_code, elf_symbols, folder, manifest, relo_ok, run, sites_of, tool};

/// Processors from the oldest to the newest, each with the assembler that has it.
const PROCESSORS: [(&str, &str); 7] = [
    ("sm_70", "ptxas-12"),
    ("sm_75", "ptxas"),
    ("sm_80", "ptxas"),
    ("sm_86", "ptxas"),
    ("sm_89", "ptxas"),
    ("sm_90", "ptxas"),
    ("sm_100", "ptxas"),
];

const WORDS: [&str; 4] = ["--use", "clang", "--set", "clang.words=^rt_"];

fn compile(input: &Path, cpu: &str, more: &[&str], out: &Path) -> String {
    let mut arguments = vec!["compile", arg(input), "--target", "cuda", "--cpu", cpu, "-o", arg(out)];
    arguments.extend(WORDS);
    arguments.extend(more);
    relo_ok(&arguments);
    std::fs::read_to_string(out).expect("written")
}

fn assemble(ptxas: &str, cpu: &str, ptx: &Path, more: &[&str]) -> PathBuf {
    let object = ptx.with_extension("cubin");
    let arch = format!("-arch={cpu}");
    run(Command::new(tool(ptxas)).args([&arch, "-Werror", arg(ptx), "-o", arg(&object)]).args(more));
    object
}

#[test]
fn ptxas_keeps_every_site() {
    let folder = folder();
    let ptx = folder.path().join("kernel.ptx");
    let device = device_code(folder.path(), "nvptx64-nvidia-cuda", "ptx_kernel", "");
    for (cpu, ptxas) in PROCESSORS {
        for (input, level) in [
            (corpus("device/tag_kernel.nvptx64.ll"), "-O2"),
            (device.clone(), "-O0"),
            (device.clone(), "-O3"),
        ] {
            let text = compile(&input, cpu, &[level], &ptx);
            assert!(text.contains(&format!(".target {cpu}\n")), "{text}");
            let cubin = std::fs::read(assemble(ptxas, cpu, &ptx, &[])).expect("written");
            let symbols = elf_symbols(&cubin, false);
            let manifest = manifest(&ptx);
            assert_eq!(manifest["target"]["cpu"], cpu);
            let sites = sites_of(&manifest);
            assert!(sites.len() >= 3, "{sites:?}");
            for site in &sites {
                let symbol = &symbols[&site.symbol];
                assert!(site.offset + 8 <= symbol.size, "{site:?} {symbol:?}");
                let slot = site.symbol.starts_with("relo_");
                assert!(!slot || (site.offset == 0 && symbol.size == 8), "{site:?} {symbol:?}");
                // Both are writable; one has contents of its own.
                let section = if slot { ".nv.global" } else { ".nv.global.init" };
                assert_eq!(symbol.section, section, "{site:?}");
            }
            for name in symbols.keys().filter(|name| name.starts_with("relo_")) {
                assert!(sites.iter().any(|site| site.symbol == *name), "{name} is in no manifest");
            }
        }
    }
}

#[test]
fn a_word_is_loaded_once_and_kept() {
    let folder = folder();
    let ptx = folder.path().join("kernel.ptx");
    let device = device_code(folder.path(), "nvptx64-nvidia-cuda", "ptx_kernel", "");
    let text = compile(&device, "sm_80", &["-O3"], &ptx);
    let words = text.split(".entry words(").nth(1).expect("the kernel").split(".entry").next().expect("it");
    assert_eq!(words.matches("ld.global.nc.b64").count(), 2, "{words}");
    let slots =
        |text: &str| text.lines().filter(|line| line.contains(".weak .global .align 8 .u64 ")).count();
    assert_eq!(slots(&text), 3, "{text}");
    let plain = text.split(".entry plain(").nth(1).expect("the kernel");
    assert!(!plain.contains("relo_"), "{plain}");
}

/// The table is constant memory, found by its name; words that no code reads are not in the manifest.
#[test]
fn a_table_lies_in_constant_memory() {
    let folder = folder();
    let ptx = folder.path().join("kernel.ptx");
    for (cpu, ptxas) in PROCESSORS {
        for level in ["-O0", "-O2"] {
            let input = corpus("device/tag_kernel.nvptx64.ll");
            compile(&input, cpu, &[level, "--strategy", "table"], &ptx);
            let cubin = std::fs::read(assemble(ptxas, cpu, &ptx, &[])).expect("written");
            let symbols = elf_symbols(&cubin, false);
            let sites = sites_of(&manifest(&ptx));
            assert_eq!(sites.len(), 3);
            for (index, site) in sites.iter().enumerate() {
                assert_eq!((site.index, site.offset), (Some(index as u64), 8 * index as u64));
                let table = &symbols[&site.symbol];
                assert_eq!((table.size, table.section.as_str()), (24, ".nv.constant3"), "{table:?}");
            }
        }
    }
}

/// `ptxas -c` leaves the words to nvlink, which takes them from a module of the session, and from nowhere else.
#[test]
fn imported_words_are_linked() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for (cpu, ptxas) in PROCESSORS.into_iter().filter(|(_, ptxas)| *ptxas == "ptxas") {
        let input = corpus("device/tag_kernel.nvptx64.ll");
        compile(&input, cpu, &["--strategy", "import"], &path("import.ptx"));
        let import = assemble(ptxas, cpu, &path("import.ptx"), &["-c"]);
        let sites = sites_of(&manifest(&path("import.ptx")));
        assert_eq!(sites.len(), 3);
        let link = |objects: &[&Path]| {
            let mut command = Command::new(tool("nvlink"));
            let arch = format!("-arch={cpu}");
            command.arg(arch).args(objects).args(["-o", arg(&path("linked.cubin"))]);
            command.output().expect("nvlink runs")
        };
        let alone = link(&[&import]);
        assert!(!alone.status.success(), "nothing defines the words");
        let said = String::from_utf8_lossy(&[alone.stdout, alone.stderr].concat()).into_owned();
        assert!(sites.iter().all(|site| said.contains(&site.symbol)), "{said}");
        let cell = |(index, site): (usize, &crate::support::Site)| {
            format!("@{} = addrspace(1) global i64 {}, align 8\n", site.symbol, 0x1234_0000 + index)
        };
        let cells: String = sites.iter().enumerate().map(cell).collect();
        std::fs::write(path("cells.ll"), format!("target triple = \"nvptx64-nvidia-cuda\"\n{cells}"))
            .expect("written");
        compile(&path("cells.ll"), cpu, &[], &path("cells.ptx"));
        let cells = assemble(ptxas, cpu, &path("cells.ptx"), &["-c"]);
        let linked = link(&[&import, &cells]);
        assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
        let bytes = std::fs::read(path("linked.cubin")).expect("written");
        let symbols = elf_symbols(&bytes, false);
        for (index, site) in sites.iter().enumerate() {
            let symbol = &symbols[&site.symbol];
            assert_eq!((symbol.size, symbol.section.as_str()), (8, ".nv.global.init"), "{symbol:?}");
            let word = (0x1234_0000 + index as u64).to_le_bytes();
            assert!(bytes.windows(8).any(|window| window == word), "{site:?}");
        }
    }
}

/// Names that only the module sees are made legal; ptxas refuses others.
#[test]
fn local_names_are_made_legal() {
    let folder = folder();
    let (input, ptx) = (folder.path().join("names.ll"), folder.path().join("names.ptx"));
    let text = "target triple = \"nvptx64-nvidia-cuda\"\n\
        @.str.1 = private addrspace(1) constant [2 x i8] c\"a\\00\"\n\
        @_str.1 = internal addrspace(1) constant [2 x i8] c\"b\\00\"\n\
        @\"\\C3\\A9\" = internal addrspace(1) constant [2 x i8] c\"c\\00\"\n\
        define ptx_kernel void @k(ptr addrspace(1) %out, i64 %i) {\n\
          %a = getelementptr i8, ptr addrspace(1) @.str.1, i64 %i\n\
          %b = getelementptr i8, ptr addrspace(1) @_str.1, i64 %i\n\
          %c = getelementptr i8, ptr addrspace(1) @\"\\C3\\A9\", i64 %i\n\
          %x = load i8, ptr addrspace(1) %a\n\
          %y = load i8, ptr addrspace(1) %b\n\
          %z = load i8, ptr addrspace(1) %c\n\
          %s = add i8 %x, %y\n\
          %t = add i8 %s, %z\n\
          store i8 %t, ptr addrspace(1) %out\n\
          ret void\n\
        }\n";
    std::fs::write(&input, text).expect("written");
    compile(&input, "sm_80", &["-O0"], &ptx);
    assemble("ptxas", "sm_80", &ptx, &[]);
}
