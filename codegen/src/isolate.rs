//! A process of its own for what LLVM may end.
//!
//! A back end that is given what it can't compile ends the process: it calls a handler of fatal errors, aborts, or runs
//! into its own mistakes. Which input does that can't be told before: every instruction that a machine lacks is a
//! case. So compiling runs in a fork, whose fatal errors are diagnostics and whose death is one.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::fd::AsRawFd as _;
use std::sync::OnceLock;

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

use crate::error::CodegenError;

/// What tells a user of an error that nothing comes after.
pub type Tell = fn(&CodegenError);

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
pub fn isolated(work: impl FnOnce() -> u8, tell: Tell) -> Result<u8, CodegenError> {
    let child = fork(work, tell, None)?;
    let (_, ended) = wait(child)?;
    ended
}

/// What a piece of work came to, of several that are done at once.
#[derive(Debug)]
pub struct Done {
    /// Which piece.
    pub index: usize,
    /// Its exit code, or the signal that ended it.
    pub code: Result<u8, CodegenError>,
    /// What it wrote to stdout.
    pub output: Vec<u8>,
    /// What it wrote to stderr.
    pub errors: Vec<u8>,
}

/// Does so many pieces of work, each as [`isolated`] does, and some of them at once. What they write is kept apart, and
/// handed over with each piece that is done.
///
/// # Errors
/// When there can be no fork, or nowhere to keep what it writes.
pub fn isolated_each(
    count: usize,
    at_once: usize,
    work: impl Fn(usize) -> u8,
    tell: Tell,
    done: &mut dyn FnMut(Done),
) -> Result<(), CodegenError> {
    let mut running: BTreeMap<libc::pid_t, (usize, [File; 2])> = BTreeMap::new();
    for index in 0..count {
        if running.len() >= at_once.max(1) {
            next(&mut running, done)?;
        }
        let said = || tempfile::tempfile().map_err(|error| system(&error));
        let said = [said()?, said()?];
        let child = fork(|| work(index), tell, Some(&said))?;
        running.insert(child, (index, said));
    }
    while !running.is_empty() {
        next(&mut running, done)?;
    }
    Ok(())
}

/// Waits for one of the forks.
fn next(
    running: &mut BTreeMap<libc::pid_t, (usize, [File; 2])>,
    done: &mut dyn FnMut(Done),
) -> Result<(), CodegenError> {
    let (child, code) = wait(-1)?;
    let Some((index, said)) = running.remove(&child) else { return Ok(()) };
    let read = |mut file: File| -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let [output, errors] = said.map(|file| read(file).unwrap_or_default());
    done(Done { index, code, output, errors });
    Ok(())
}

fn system(error: &std::io::Error) -> CodegenError {
    CodegenError::Llvm { step: "run in a process of its own".into(), message: error.to_string() }
}

/// Begins work in a fork, whose stdout and stderr may be files.
fn fork(
    work: impl FnOnce() -> u8,
    tell: Tell,
    said: Option<&[File; 2]>,
) -> Result<libc::pid_t, CodegenError> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    assert!(threads == 1, "a fork would lose {threads} threads");
    // SAFETY: no other thread holds a lock that the fork would wait for; the files are open.
    unsafe {
        let parent = libc::getpid();
        match libc::fork() {
            -1 => Err(system(&std::io::Error::last_os_error())),
            0 => {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != parent {
                    libc::_exit(1);
                }
                if let Some([output, errors]) = said {
                    libc::dup2(output.as_raw_fd(), libc::STDOUT_FILENO);
                    libc::dup2(errors.as_raw_fd(), libc::STDERR_FILENO);
                }
                catch_fatal_errors(tell);
                std::process::exit(work().into())
            }
            child => Ok(child),
        }
    }
}

/// Waits for a fork, or for any by -1: which it was, and its exit code or the signal that ended it.
fn wait(child: libc::pid_t) -> Result<(libc::pid_t, Result<u8, CodegenError>), CodegenError> {
    let mut status = 0;
    loop {
        // SAFETY: the status is this function's.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if ended != -1 {
            let signal = libc::WIFSIGNALED(status).then(|| signal_name(libc::WTERMSIG(status)));
            let code = signal.map_or_else(
                || Ok(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(1)),
                |signal| Err(CodegenError::Crashed { signal }),
            );
            return Ok((ended, code));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(system(&error));
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
