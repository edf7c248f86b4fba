//! NVIDIA's driver, opened when a program asks for it: nothing is linked to it.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

use libloading::os::unix;

use crate::error::{LoadError, quoted};
use crate::shared_object::reason;

/// A context, module or function of the driver's.
type Handle = *mut c_void;

/// A context without options is what every module is loaded into.
const NO_OPTIONS: c_uint = 0;

/// The functions of a library that is opened at run time: what they are called here and there, and their types.
macro_rules! functions {
    ($result:ty; $($name:ident = $symbol:literal ($($argument:ty),*) $(-> $other:ty)?;)*) => {
        /// The library's functions, as its header declares them. Where nothing else is said, they give 0 or the number of an
        /// error.
        #[derive(Clone, Copy)]
        struct Functions { $($name: functions!(@ $result; ($($argument),*) $(-> $other)?),)* }

        impl Functions {
            /// Opens the library and finds them all, or says which is missing.
            fn open(name: &str) -> Result<(unix::Library, Self), LoadError> {
                let fail = |reason: String| LoadError::Driver { name: name.to_owned(), reason };
                // SAFETY: whoever names the library wants its initialisers run, and says that it is the one whose header
                // declares functions of these types.
                unsafe {
                    let library = unix::Library::open(Some(name), unix::RTLD_NOW | unix::RTLD_LOCAL)
                        .map_err(|error| fail(reason(&error)))?;
                    let functions = Self { $($name: *library
                        .get(concat!($symbol, "\0").as_bytes())
                        .map_err(|_| fail(format!("it has no function {}", quoted($symbol))))?,)* };
                    Ok((library, functions))
                }
            }
        }
    };
    (@ $result:ty; ($($argument:ty),*) -> $other:ty) => { unsafe extern "C" fn($($argument),*) -> $other };
    (@ $result:ty; ($($argument:ty),*)) => { unsafe extern "C" fn($($argument),*) -> $result };
}
pub(crate) use functions;

functions! {
    c_int;
    init = "cuInit" (c_uint);
    text = "cuGetErrorString" (c_int, *mut *const c_char);
    device = "cuDeviceGet" (*mut c_int, c_int);
    retain = "cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    release = "cuDevicePrimaryCtxRelease_v2" (c_int);
    push = "cuCtxPushCurrent_v2" (Handle);
    pop = "cuCtxPopCurrent_v2" (*mut Handle);
    synchronize = "cuCtxSynchronize" ();
    load = "cuModuleLoadDataEx" (*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    unload = "cuModuleUnload" (Handle);
    global = "cuModuleGetGlobal_v2" (*mut u64, *mut usize, Handle, *const c_char);
    function = "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    write = "cuMemcpyHtoD_v2" (u64, *const c_void, usize);
}

/// NVIDIA's driver.
pub struct Driver {
    functions: Functions,
    name: String,
    _library: unix::Library,
}

impl Driver {
    /// What the dynamic linker knows it by.
    pub const NAME: &str = "libcuda.so.1";

    /// Opens and initialises the driver, by [`Driver::NAME`] or as a path.
    ///
    /// # Errors
    /// When there is none, it lacks a function, or it finds no device.
    pub fn open(name: &str) -> Result<Self, LoadError> {
        let (library, functions) = Functions::open(name)?;
        let driver = Self { functions, name: name.to_owned(), _library: library };
        // SAFETY: it may be initialised any number of times.
        driver.check("initialise", unsafe { (functions.init)(0) })?;
        Ok(driver)
    }

    /// What the driver says of an answer.
    fn check(&self, what: &str, code: c_int) -> Result<(), LoadError> {
        if code == 0 {
            return Ok(());
        }
        let mut text = std::ptr::null();
        // SAFETY: the driver's texts are static, and null where it knows none.
        let text = unsafe {
            (self.functions.text)(code, &raw mut text);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        let text = text.unwrap_or_else(|| format!("error {code}"));
        Err(LoadError::Driver { name: self.name.clone(), reason: format!("can't {what}: {text}") })
    }
}

/// Code in a device's memory. Dropping it unloads it.
pub(crate) struct Module<'d> {
    driver: &'d Driver,
    device: c_int,
    context: Handle,
    module: Handle,
}

// SAFETY: the driver's handles belong to the process, and every use makes the context the thread's own first.
unsafe impl Send for Module<'_> {}
// SAFETY: as above; the driver synchronises itself.
unsafe impl Sync for Module<'_> {}

impl<'d> Module<'d> {
    /// Loads a text into a device's primary context.
    pub(crate) fn load(driver: &'d Driver, device: u32, text: &CStr) -> Result<Self, LoadError> {
        let functions = driver.functions;
        let (mut number, mut context) = (0, std::ptr::null_mut());
        let wanted = c_int::try_from(device).unwrap_or(c_int::MAX);
        // SAFETY: the places live during the calls. What is retained here is released when the module is dropped.
        unsafe {
            driver.check("find the device", (functions.device)(&raw mut number, wanted))?;
            driver.check("use the device", (functions.retain)(&raw mut context, number))?;
        }
        let mut module = Self { driver, device: number, context, module: std::ptr::null_mut() };
        let mut loaded = std::ptr::null_mut();
        module.inside(|| {
            let (options, values) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: the text ends in a NUL, and no option is given.
            let code = unsafe {
                (functions.load)(&raw mut loaded, text.as_ptr().cast(), NO_OPTIONS, options, values)
            };
            driver.check("load the module", code)
        })?;
        module.module = loaded;
        Ok(module)
    }

    /// Does something while the context is this thread's.
    fn inside<T>(&self, action: impl FnOnce() -> Result<T, LoadError>) -> Result<T, LoadError> {
        let functions = self.driver.functions;
        // SAFETY: the context is retained as long as this is alive.
        self.driver.check("enter the context", unsafe { (functions.push)(self.context) })?;
        let result = action();
        let mut left = std::ptr::null_mut();
        // SAFETY: it was pushed above.
        let popped = unsafe { (functions.pop)(&raw mut left) };
        let result = result?;
        self.driver.check("leave the context", popped)?;
        Ok(result)
    }

    /// Where a global is, and how many bytes it has; absent where there is none.
    pub(crate) fn global(&self, name: &str) -> Option<(u64, u64)> {
        let name = CString::new(name).ok()?;
        let (mut address, mut size) = (0, 0);
        let found = self.inside(|| {
            // SAFETY: the places live during the call.
            let code = unsafe {
                (self.driver.functions.global)(&raw mut address, &raw mut size, self.module, name.as_ptr())
            };
            self.driver.check("find a global", code)
        });
        found.ok().map(|()| (address, size as u64))
    }

    /// A kernel's handle; absent where there is none.
    pub(crate) fn function(&self, name: &str) -> Option<u64> {
        let name = CString::new(name).ok()?;
        let mut function = std::ptr::null_mut();
        let found = self.inside(|| {
            // SAFETY: the place lives during the call.
            let code =
                unsafe { (self.driver.functions.function)(&raw mut function, self.module, name.as_ptr()) };
            self.driver.check("find a function", code)
        });
        found.ok().map(|()| function as u64)
    }

    /// Writes runs of bytes, each inside a global, and waits until the device has them.
    pub(crate) fn write(&self, runs: &[(u64, Vec<u8>)]) -> Result<(), LoadError> {
        let functions = self.driver.functions;
        self.inside(|| {
            for (address, bytes) in runs {
                // SAFETY: the bytes live during the call, and the caller has looked at the global's size.
                let code = unsafe { (functions.write)(*address, bytes.as_ptr().cast(), bytes.len()) };
                self.driver.check("write words", code)?;
            }
            // SAFETY: the context is this thread's. Small writes may be under way when their calls return.
            self.driver.check("write words", unsafe { (functions.synchronize)() })
        })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        let functions = self.driver.functions;
        if !self.module.is_null() {
            // SAFETY: it was loaded here, and goes with this.
            let unload =
                || self.driver.check("unload the module", unsafe { (functions.unload)(self.module) });
            // Who drops can't be told.
            let _ = self.inside(unload);
        }
        // SAFETY: it was retained when this was made.
        unsafe { (functions.release)(self.device) };
    }
}
