llvm.func @f() attributes {reloc.sites = [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]}
