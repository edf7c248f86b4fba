//! A process of its own for what LLVM may end.
//!
//! A back end that is given what it can't compile ends the process: it calls a handler of fatal errors, aborts, or runs
//! into its own mistakes. Which input does that can't be told before: every instruction that a machine lacks is a
//! case. So compiling runs in a fork, whose fatal errors are diagnostics and whose death is one.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::process::ExitCode;
use std::sync::OnceLock;

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

use crate::error::CodegenError;

/// What tells a user of an error that nothing comes after.
type Tell = fn(&CodegenError);

thread_local! {
    static STEP: Cell<&'static str> = const { Cell::new("compile this") };
}

/// Says what LLVM is about to do, as in "LLVM can't …".
pub(crate) fn step(what: &'static str) {
    STEP.set(what);
}

/// Does work in a fork of this process, which must have no other thread, and gives its exit code. The fork tells of a
/// fatal error itself and ends with code 1.
///
/// # Errors
/// When the fork was ended by a signal, or there is none.
pub fn isolated(work: impl FnOnce() -> u8, tell: Tell) -> Result<ExitCode, CodegenError> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    assert!(threads == 1, "a fork would lose {threads} threads");
    let system = |error: std::io::Error| CodegenError::Llvm {
        step: "run in a process of its own".into(),
        message: error.to_string(),
    };
    // SAFETY: no other thread holds a lock that the fork would wait for; the parent only waits.
    unsafe {
        let parent = libc::getpid();
        match libc::fork() {
            -1 => Err(system(std::io::Error::last_os_error())),
            0 => {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != parent {
                    libc::_exit(1);
                }
                catch_fatal_errors(tell);
                std::process::exit(work().into())
            }
            child => {
                let mut status = 0;
                while libc::waitpid(child, &raw mut status, 0) == -1 {
                    let error = std::io::Error::last_os_error();
                    if error.kind() != std::io::ErrorKind::Interrupted {
                        return Err(system(error));
                    }
                }
                if libc::WIFSIGNALED(status) {
                    let signal = libc::WTERMSIG(status);
                    return Err(CodegenError::Crashed { signal: signal_name(signal) });
                }
                Ok(ExitCode::from(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(1)))
            }
        }
    }
}

/// Makes a fatal error of LLVM's a diagnostic and the end of this process.
fn catch_fatal_errors(tell: Tell) {
    static TELL: OnceLock<Tell> = OnceLock::new();
    extern "C" fn end(reason: *const c_char) {
        // SAFETY: the text is LLVM's and lives during the call, which does not come back.
        unsafe {
            let message = CStr::from_ptr(reason).to_string_lossy().trim().to_owned();
            if let Some(tell) = TELL.get() {
                tell(&CodegenError::Fatal { step: STEP.get(), message });
            }
            libc::_exit(1);
        }
    }
    if TELL.set(tell).is_ok() {
        // SAFETY: the handler is a function, and it is the only one.
        unsafe { LLVMInstallFatalErrorHandler(Some(end)) };
    }
}

fn signal_name(signal: i32) -> String {
    // SAFETY: the text is the system's and lives as long as the process.
    unsafe {
        let text = libc::strsignal(signal);
        let text = if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into() };
        if text.is_empty() { format!("signal {signal}") } else { text.to_lowercase() }
    }
}
