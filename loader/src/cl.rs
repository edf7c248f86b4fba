//! OpenCL, opened when a program asks for it: nothing is linked to it.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use libloading::os::unix;

use crate::driver::functions;
use crate::error::{LoadError, quoted};
use crate::shared_object::reason;

/// A platform, device, context, program, kernel or buffer of OpenCL's.
type Handle = *mut c_void;

const NONE: Handle = std::ptr::null_mut();
const EVERY_TYPE: u64 = 0xffff_ffff;
const DEVICE_ADDRESS_BITS: c_uint = 0x100d;
const DEVICE_NAME: c_uint = 0x102b;
const DEVICE_VERSION: c_uint = 0x102f;
const DEVICE_IL: c_uint = 0x105b;
const BUILD_LOG: c_uint = 0x1183;
/// Read-only, and copied from the host when it is made.
const BUFFER_OF_WORDS: u64 = 1 << 2 | 1 << 5;
const NO_SUCH_CONSTANT: c_int = -71;
/// So much of what a compiler says is shown.
const LONGEST_LOG: usize = 4000;

functions! {
    c_int;
    platforms = "clGetPlatformIDs" (c_uint, *mut Handle, *mut c_uint);
    devices = "clGetDeviceIDs" (Handle, u64, c_uint, *mut Handle, *mut c_uint);
    device = "clGetDeviceInfo" (Handle, c_uint, usize, *mut c_void, *mut usize);
    context = "clCreateContext" (*const isize, c_uint, *const Handle, Handle, Handle, *mut c_int) -> Handle;
    retain_context = "clRetainContext" (Handle);
    release_context = "clReleaseContext" (Handle);
    program = "clCreateProgramWithIL" (Handle, *const c_void, usize, *mut c_int) -> Handle;
    release_program = "clReleaseProgram" (Handle);
    specialize = "clSetProgramSpecializationConstant" (Handle, c_uint, usize, *const c_void);
    build = "clBuildProgram" (Handle, c_uint, *const Handle, *const c_char, Handle, Handle);
    build_info = "clGetProgramBuildInfo" (Handle, Handle, c_uint, usize, *mut c_void, *mut usize);
    kernel = "clCreateKernel" (Handle, *const c_char, *mut c_int) -> Handle;
    release_kernel = "clReleaseKernel" (Handle);
    argument = "clSetKernelArg" (Handle, c_uint, usize, *const c_void);
    buffer = "clCreateBuffer" (Handle, u64, usize, *mut c_void, *mut c_int) -> Handle;
    release_buffer = "clReleaseMemObject" (Handle);
}

/// The names of errors that these functions give, as OpenCL's header has them.
const ERRORS: [(c_int, &str); 22] = [
    (-1, "CL_DEVICE_NOT_FOUND"),
    (-2, "CL_DEVICE_NOT_AVAILABLE"),
    (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (-5, "CL_OUT_OF_RESOURCES"),
    (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-11, "CL_BUILD_PROGRAM_FAILURE"),
    (-30, "CL_INVALID_VALUE"),
    (-33, "CL_INVALID_DEVICE"),
    (-34, "CL_INVALID_CONTEXT"),
    (-42, "CL_INVALID_BINARY"),
    (-44, "CL_INVALID_PROGRAM"),
    (-45, "CL_INVALID_PROGRAM_EXECUTABLE"),
    (-46, "CL_INVALID_KERNEL_NAME"),
    (-47, "CL_INVALID_KERNEL_DEFINITION"),
    (-49, "CL_INVALID_ARG_INDEX"),
    (-50, "CL_INVALID_ARG_VALUE"),
    (-51, "CL_INVALID_ARG_SIZE"),
    (-59, "CL_INVALID_OPERATION"),
    (-61, "CL_INVALID_BUFFER_SIZE"),
    (NO_SUCH_CONSTANT, "CL_INVALID_SPEC_ID"),
    (-1001, "CL_PLATFORM_NOT_FOUND_KHR"),
];

/// OpenCL: the library that knows the drivers of this machine.
pub struct ClDriver {
    functions: Functions,
    name: String,
    _library: unix::Library,
}

impl ClDriver {
    /// What the dynamic linker knows it by.
    pub const NAME: &str = "libOpenCL.so.1";

    /// Opens OpenCL, by [`ClDriver::NAME`] or as a path.
    ///
    /// # Errors
    /// When there is none, or it is older than 2.2.
    pub fn open(name: &str) -> Result<Self, LoadError> {
        let (library, functions) = Functions::open(name)?;
        Ok(Self { functions, name: name.to_owned(), _library: library })
    }

    fn fail(&self, reason: String) -> LoadError {
        LoadError::Driver { name: self.name.clone(), reason }
    }

    /// What OpenCL says of an answer.
    fn check(&self, what: &str, code: c_int) -> Result<(), LoadError> {
        if code == 0 {
            return Ok(());
        }
        let known = ERRORS.iter().find(|(number, _)| *number == code);
        let text = known.map_or_else(|| format!("error {code}"), |(_, name)| (*name).to_owned());
        Err(self.fail(format!("can't {what}: {text}")))
    }

    /// All devices, each with its platform.
    fn devices(&self) -> Result<Vec<(Handle, Handle)>, LoadError> {
        // SAFETY: the list has as many places as the call is told.
        let platforms = self.list("find a platform", |count, list, found| unsafe {
            (self.functions.platforms)(count, list, found)
        })?;
        let mut all = Vec::new();
        for platform in platforms {
            // SAFETY: as above. A platform without devices says so by an error.
            let devices = self.list("find devices", |count, list, found| unsafe {
                (self.functions.devices)(platform, EVERY_TYPE, count, list, found)
            });
            all.extend(devices.unwrap_or_default().into_iter().map(|device| (platform, device)));
        }
        Ok(all)
    }

    fn list(
        &self,
        what: &str,
        ask: impl Fn(c_uint, *mut Handle, *mut c_uint) -> c_int,
    ) -> Result<Vec<Handle>, LoadError> {
        let mut count = 0;
        self.check(what, ask(0, std::ptr::null_mut(), &raw mut count))?;
        let mut list = vec![NONE; count as usize];
        self.check(what, ask(count, list.as_mut_ptr(), &raw mut count))?;
        list.truncate(count as usize);
        Ok(list)
    }

    /// A text that a device or a build has; empty where there is none.
    fn text(&self, ask: impl Fn(usize, *mut c_void, *mut usize) -> c_int) -> String {
        let mut size = 0;
        if ask(0, NONE, &raw mut size) != 0 {
            return String::new();
        }
        let mut bytes = vec![0u8; size];
        if ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()) != 0 {
            return String::new();
        }
        let text = String::from_utf8_lossy(&bytes);
        let is_odd = |character: char| character.is_control() && character != '\n';
        text.trim_end_matches('\0').trim().replace(is_odd, "\u{fffd}")
    }
}

/// Where programs are loaded to: a context of OpenCL's, and the device in it that runs them.
pub struct ClContext<'d> {
    driver: &'d ClDriver,
    context: Handle,
    device: Handle,
}

// SAFETY: OpenCL's contexts and devices belong to the process, and it synchronises their use.
unsafe impl Send for ClContext<'_> {}
// SAFETY: as above.
unsafe impl Sync for ClContext<'_> {}

impl<'d> ClContext<'d> {
    /// A new context on a device of this machine: all devices are counted, over all platforms, from 0.
    ///
    /// # Errors
    /// When there is no such device, or it can't be used.
    pub fn new(driver: &'d ClDriver, device: u32) -> Result<Self, LoadError> {
        const PLATFORM: isize = 0x1084;
        let devices = driver.devices()?;
        let (platform, device) = *devices.get(device as usize).ok_or_else(|| {
            driver.fail(format!("there is no device {device}: they are {} in all", devices.len()))
        })?;
        let (properties, mut code) = ([PLATFORM, platform as isize, 0], 0);
        // SAFETY: the properties end in a zero, and all places live during the call.
        let context = unsafe {
            (driver.functions.context)(properties.as_ptr(), 1, &raw const device, NONE, NONE, &raw mut code)
        };
        driver.check("make a context", code)?;
        Ok(Self { driver, context, device })
    }

    /// A context that the host has: programs, and the buffers that their kernels are given, belong to one.
    ///
    /// # Errors
    /// When OpenCL says that it is none.
    ///
    /// # Safety
    /// `context` is a `cl_context` of this OpenCL's, and `device` a `cl_device_id` in it.
    pub unsafe fn of_host(
        driver: &'d ClDriver,
        context: *mut c_void,
        device: *mut c_void,
    ) -> Result<Self, LoadError> {
        // SAFETY: the caller says so. It is released when this is dropped.
        driver.check("keep the context", unsafe { (driver.functions.retain_context)(context) })?;
        Ok(Self { driver, context, device })
    }

    /// The `cl_context`, which lives at least as long as this.
    pub fn context(&self) -> *mut c_void {
        self.context
    }

    /// The `cl_device_id`.
    pub fn device(&self) -> *mut c_void {
        self.device
    }

    /// The device's name.
    pub fn name(&self) -> String {
        self.told(DEVICE_NAME)
    }

    /// The bits of an address on the device.
    pub(crate) fn address_bits(&self) -> Result<u32, LoadError> {
        let mut bits: c_uint = 0;
        let (size, place) = (size_of::<c_uint>(), (&raw mut bits).cast());
        // SAFETY: the place has that size.
        let code = unsafe {
            (self.driver.functions.device)(
                self.device,
                DEVICE_ADDRESS_BITS,
                size,
                place,
                std::ptr::null_mut(),
            )
        };
        self.driver.check("ask the device", code).map(|()| bits)
    }

    /// Whether the device takes SPIR-V with specialisation constants. OpenCL before 2.2 has no such calls, and drivers
    /// need not have places for them.
    pub(crate) fn check_spirv(&self) -> Result<(), LoadError> {
        let version = self.told(DEVICE_VERSION);
        let number = version.strip_prefix("OpenCL ").and_then(|rest| rest.split(' ').next()?.split_once('.'));
        let number = number.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        if number.is_none_or(|number: (u32, u32)| number < (2, 2)) || self.told(DEVICE_IL).is_empty() {
            let name = quoted(&self.name());
            return Err(self.driver.fail(format!("its device {name} takes no SPIR-V: it has {version}")));
        }
        Ok(())
    }

    fn told(&self, what: c_uint) -> String {
        // SAFETY: the place has the size that the call is told.
        self.driver.text(|size, place, needed| unsafe {
            (self.driver.functions.device)(self.device, what, size, place, needed)
        })
    }
}

impl Drop for ClContext<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made or retained by this.
        unsafe { (self.driver.functions.release_context)(self.context) };
    }
}

/// A program with its kernels and the buffers that they read. Dropping it releases them.
pub(crate) struct ClProgram<'d> {
    driver: &'d ClDriver,
    context: Handle,
    device: Handle,
    program: Handle,
    kernels: BTreeMap<String, Handle>,
    buffers: Vec<Handle>,
}

// SAFETY: OpenCL's objects belong to the process. What it does not synchronise, the arguments of a kernel, is set only
// while the program is its maker's alone.
unsafe impl Send for ClProgram<'_> {}
// SAFETY: as above.
unsafe impl Sync for ClProgram<'_> {}

impl<'d> ClProgram<'d> {
    /// A program of SPIR-V, not built yet.
    pub(crate) fn new(context: &ClContext<'d>, module: &[u8]) -> Result<Self, LoadError> {
        let ClContext { driver, context, device } = *context;
        let mut code = 0;
        // SAFETY: the module lives during the call. The program keeps its context.
        let program = unsafe {
            (driver.functions.program)(context, module.as_ptr().cast(), module.len(), &raw mut code)
        };
        driver.check("read the module", code)?;
        Ok(Self { driver, context, device, program, kernels: BTreeMap::new(), buffers: Vec::new() })
    }

    /// Sets a specialisation constant; whether the module has one of this number.
    pub(crate) fn specialize(&mut self, number: u32, bytes: &[u8]) -> Result<bool, LoadError> {
        // SAFETY: the bytes live during the call.
        let code = unsafe {
            (self.driver.functions.specialize)(self.program, number, bytes.len(), bytes.as_ptr().cast())
        };
        if code == NO_SUCH_CONSTANT {
            return Ok(false);
        }
        self.driver.check(&format!("set the constant {number}"), code).map(|()| true)
    }

    /// Compiles it for the device.
    pub(crate) fn build(&mut self) -> Result<(), LoadError> {
        let functions = self.driver.functions;
        // SAFETY: the options are an empty text, and nobody is called back.
        let code =
            unsafe { (functions.build)(self.program, 1, &raw const self.device, c"".as_ptr(), NONE, NONE) };
        self.driver.check("build the program", code).map_err(|error| {
            // SAFETY: the place has the size that the call is told.
            let log = self.driver.text(|size, place, needed| unsafe {
                (functions.build_info)(self.program, self.device, BUILD_LOG, size, place, needed)
            });
            match error {
                LoadError::Driver { name, reason } if !log.is_empty() => {
                    let log: String = log.chars().take(LONGEST_LOG).collect();
                    LoadError::Driver { name, reason: format!("{reason}\n{log}") }
                }
                error => error,
            }
        })
    }

    /// A buffer with these bytes, for kernels to read.
    pub(crate) fn buffer(&mut self, bytes: &mut [u8]) -> Result<Handle, LoadError> {
        let mut code = 0;
        let (size, place) = (bytes.len(), bytes.as_mut_ptr().cast());
        // SAFETY: the bytes are copied during the call.
        let buffer = unsafe {
            (self.driver.functions.buffer)(self.context, BUFFER_OF_WORDS, size, place, &raw mut code)
        };
        self.driver.check("make a buffer", code)?;
        self.buffers.push(buffer);
        Ok(buffer)
    }

    /// Makes one of its kernels.
    pub(crate) fn make_kernel(&mut self, name: &str) -> Result<(), LoadError> {
        let what = || format!("make the kernel {}", quoted(name));
        let text = CString::new(name)
            .map_err(|_| self.driver.fail(format!("can't {}: its name has a NUL", what())))?;
        let mut code = 0;
        // SAFETY: the name lives during the call, and the program is built.
        let kernel = unsafe { (self.driver.functions.kernel)(self.program, text.as_ptr(), &raw mut code) };
        self.driver.check(&what(), code)?;
        self.kernels.insert(name.to_owned(), kernel);
        Ok(())
    }

    /// Hands a kernel a buffer.
    pub(crate) fn set_argument(
        &mut self,
        kernel: &str,
        argument: u32,
        buffer: Handle,
    ) -> Result<(), LoadError> {
        let kernel_handle = self.kernel(kernel).unwrap_or(NONE);
        let (size, place) = (size_of::<Handle>(), (&raw const buffer).cast());
        // SAFETY: the argument's value is the buffer's handle, which lives during the call; a null kernel is refused.
        let code = unsafe { (self.driver.functions.argument)(kernel_handle, argument, size, place) };
        self.driver.check(&format!("set argument {argument} of {}", quoted(kernel)), code)
    }

    /// A kernel that was made.
    pub(crate) fn kernel(&self, name: &str) -> Option<Handle> {
        self.kernels.get(name).copied()
    }
}

impl Drop for ClProgram<'_> {
    fn drop(&mut self) {
        let functions = self.driver.functions;
        // SAFETY: all of them were made by this, each once.
        unsafe {
            for kernel in self.kernels.values() {
                (functions.release_kernel)(*kernel);
            }
            for buffer in &self.buffers {
                (functions.release_buffer)(*buffer);
            }
            (functions.release_program)(self.program);
        }
    }
}
