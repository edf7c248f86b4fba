reloc.lode @s
