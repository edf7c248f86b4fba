// Rust: a section marks what it defines, a name what it declares.
#![crate_type = "lib"]
#![no_std]

#[repr(transparent)]
pub struct Object(*const u8);
unsafe impl Sync for Object {}

#[unsafe(link_section = "reloc.toy")]
#[unsafe(no_mangle)]
pub static mut none: Object = Object(core::ptr::null());

unsafe extern "C" {
    static rt_counter: usize;
    static rt_table: [usize; 4];
}

#[unsafe(no_mangle)]
pub fn is_none(object: *const u8) -> bool {
    unsafe { (*&raw const none).0 == object }
}

#[unsafe(no_mangle)]
pub fn counted() -> usize {
    unsafe { rt_counter + rt_table[2] }
}
