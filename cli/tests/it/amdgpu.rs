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
