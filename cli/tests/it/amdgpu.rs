//! Code objects for AMD's GPUs, linked by lld, read back as ELF.

use crate::support::{arg, corpus, device_code, elf_symbols, folder, manifest, relo_ok, sites_of};

const PROTECTED: object::elf::SymbolVisibility = object::elf::STV_PROTECTED;

#[test]
fn every_site_is_exported_and_writable() {
    let folder = folder();
    let out = folder.path().join("kernel.hsaco");
    let device = device_code(folder.path(), "amdgcn-amd-amdhsa", "amdgpu_kernel", "");
    for cpu in ["gfx90a", "gfx942", "gfx1100"] {
        for (input, level) in
            [(corpus("device/tag_kernel.amdgcn.ll"), "-O2"), (device.clone(), "-O0"), (device.clone(), "-O3")]
        {
            let mut arguments = vec!["compile", arg(&input), "--target", "amdgpu", "--cpu", cpu, level];
            arguments.extend(["--use", "clang", "--set", "clang.words=^rt_", "-o", arg(&out)]);
            relo_ok(&arguments);
            let object = std::fs::read(&out).expect("written");
            let symbols = elf_symbols(&object, true);
            let manifest = manifest(&out);
            let sites = sites_of(&manifest);
            assert!(sites.len() >= 3, "{sites:?}");
            for site in &sites {
                let symbol = &symbols[&site.symbol];
                assert_eq!(site.at, Some(symbol.address + site.offset), "{site:?} {symbol:?}");
                assert!(site.offset + 8 <= symbol.size, "{site:?} {symbol:?}");
                if site.symbol.starts_with("relo_") {
                    assert_eq!((symbol.size, symbol.visibility), (8, PROTECTED), "{symbol:?}");
                    assert_eq!(symbol.section, ".bss", "{symbol:?}");
                } else {
                    assert_eq!(symbol.section, ".data", "{symbol:?}");
                }
            }
            for (name, symbol) in &symbols {
                assert!(!symbol.section.is_empty(), "{name} is undefined");
                let known = sites.iter().any(|site| site.symbol == *name);
                assert!(known || !name.starts_with("relo_"), "{name} is in no manifest");
            }
            for entry in manifest["entries"].as_array().expect("entries") {
                let entry = entry.as_str().expect("a name");
                assert!(symbols.contains_key(entry), "{entry}");
                // A kernel has a descriptor; a function that kernels call has none.
                assert_eq!(symbols.contains_key(&format!("{entry}.kd")), entry != "choose", "{entry}");
            }
        }
    }
}

/// The table is one exported symbol; imported words are undefined, for the loader to define before it loads.
#[test]
fn tables_and_imports() {
    let folder = folder();
    let out = folder.path().join("kernel.hsaco");
    let input = corpus("device/tag_kernel.amdgcn.ll");
    for cpu in ["gfx90a", "gfx942", "gfx1100"] {
        for (strategy, level) in [("table", "-O0"), ("table", "-O2"), ("import", "-O0"), ("import", "-O2")] {
            let mut arguments = vec!["compile", arg(&input), "--target", "amdgpu", "--cpu", cpu, level];
            arguments.extend([
                "--strategy",
                strategy,
                "--use",
                "clang",
                "--set",
                "clang.words=^rt_",
                "-o",
                arg(&out),
            ]);
            relo_ok(&arguments);
            let symbols = elf_symbols(&std::fs::read(&out).expect("written"), true);
            let sites = sites_of(&manifest(&out));
            assert_eq!(sites.len(), 3);
            for (index, site) in sites.iter().enumerate() {
                let symbol = &symbols[&site.symbol];
                if strategy == "import" {
                    assert_eq!((symbol.section.as_str(), site.at), ("", None), "{symbol:?}");
                    continue;
                }
                assert_eq!((site.index, site.offset), (Some(index as u64), 8 * index as u64));
                assert_eq!(
                    (symbol.size, symbol.visibility, symbol.section.as_str()),
                    (24, PROTECTED, ".bss")
                );
                assert_eq!(site.at, Some(symbol.address + site.offset));
            }
        }
    }
}
