//! An OpenCL device that is this processor, on which artifacts are loaded and run.
//!
//! A driver that crashes takes its process along: kernels run in a process of their own, which is this test binary.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use miette::Diagnostic as _;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::types::{CL_BLOCKING, cl_kernel, cl_ulong};
use relo_loader::{
    Callback, ClContext, ClDriver, Image as _, LoadError, Manifest, Resolved, Root, SpirvProgram,
};
use relo_referent::Referent;
use serde::{Deserialize, Serialize};

use crate::support::{arg, folder, run, tool};

/// A kernel to load and run once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The artifact, with its manifest beside it.
    pub artifact: PathBuf,
    /// The kernel.
    pub kernel: String,
    /// The session's words, by referent.
    pub session: Vec<(serde_json::Value, u64)>,
    /// What it is given beside what it writes to and what the loader gives it.
    pub numbers: Vec<u64>,
    /// How many words it writes.
    pub words: usize,
    /// Where it is loaded.
    pub place: Place,
}

/// Where an artifact is loaded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Place {
    /// In a context that the host has.
    Host,
    /// In a new context on this device.
    Device(u32),
}

/// Runs kernels in a process of their own; the words that each writes, or what loader or driver say.
pub fn run_kernels(jobs: &[Job]) -> Vec<Result<Vec<u64>, String>> {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("jobs"), serde_json::to_string(jobs).expect("plain data")).expect("written");
    let mut device = Command::new(std::env::current_exe().expect("a test binary"));
    device.args(["--ignored", "--exact", "opencl_device::device", "--quiet"]);
    device.env("OCL_ICD_VENDORS", tool("icd")).env("RELO_JOBS", folder.path());
    run(&mut device);
    let results = std::fs::read_to_string(path("results")).expect("the device ran");
    serde_json::from_str(&results).expect("its results")
}

/// A module that other tools made of an artifact gets a manifest of its own: nothing is left to fill in.
pub fn describe(module: &Path, artifact: &Path) {
    let mut manifest = read_manifest(artifact);
    let bytes = std::fs::read(module).expect("readable");
    manifest.artifact.size = bytes.len() as u64;
    manifest.artifact.blake3 = blake3::hash(&bytes).to_hex().to_string();
    (manifest.referents, manifest.sites, manifest.arguments) = (vec![], vec![], vec![]);
    std::fs::write(format!("{}.reloc.json", arg(module)), manifest.to_json()).expect("written");
}

pub fn read_manifest(artifact: &Path) -> Manifest {
    let path = format!("{}.reloc.json", arg(artifact));
    Manifest::parse(&std::fs::read_to_string(&path).expect("readable"), &path).expect("a manifest")
}

#[test]
#[ignore = "the process that the other tests run kernels in"]
fn device() {
    let folder = PathBuf::from(std::env::var_os("RELO_JOBS").expect("a folder of jobs"));
    let jobs = std::fs::read_to_string(folder.join("jobs")).expect("readable");
    let jobs: Vec<Job> = serde_json::from_str(&jobs).expect("jobs");
    let platforms = get_platforms().expect("an OpenCL loader");
    let platform = platforms.first().expect("an OpenCL platform");
    let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).expect("devices");
    let device = Device::new(*devices.first().expect("an OpenCL device"));
    let context = Context::from_device(&device).expect("a context");
    let driver = ClDriver::open(ClDriver::NAME).expect("OpenCL");
    let load = |job: &Job| {
        let place = match job.place {
            // SAFETY: it is a context with this device, of the OpenCL that this process has.
            Place::Host => unsafe { ClContext::of_host(&driver, context.get(), device.id()) },
            Place::Device(number) => ClContext::new(&driver, number),
        };
        let told = |error: LoadError| {
            format!("{}: {error}", error.code().expect("all of the loader's errors have a code"))
        };
        run_kernel(job, &place.map_err(told)?, told)
    };
    let results: Vec<Result<Vec<u64>, String>> = jobs.iter().map(load).collect();
    std::fs::write(folder.join("results"), serde_json::to_string(&results).expect("plain data"))
        .expect("written");
}

fn run_kernel(
    job: &Job,
    place: &ClContext<'_>,
    told: impl Fn(LoadError) -> String,
) -> Result<Vec<u64>, String> {
    let artifact = std::fs::read(&job.artifact).expect("the artifact is there");
    let manifest = read_manifest(&job.artifact);
    let root: Root = Arc::new(());
    let resolver = Callback(|referent: &Referent| {
        let referent = serde_json::to_value(referent).expect("plain data");
        let found = job.session.iter().find(|(known, _)| *known == referent);
        let (_, word) = found.ok_or("this session has none")?;
        Ok(Resolved { word: *word, root: Some(root.clone()) })
    });
    let image = SpirvProgram::load(place, &artifact, &manifest, &resolver).map_err(&told)?;
    let resolved: std::collections::BTreeSet<usize> =
        manifest.sites.iter().map(|site| site.referent).collect();
    let is_done = |site: &&relo_loader::SiteRecord| site.action == relo_referent::Action::None;
    if manifest.sites.iter().find(is_done).is_none() {
        assert_eq!(Arc::strong_count(&root), 1 + resolved.len(), "roots live as long as the image");
    }
    let kernel = image.entry(&job.kernel).map_err(&told)? as cl_kernel;
    let taken: Vec<u32> = image.arguments(&job.kernel).iter().map(|taken| taken.argument).collect();
    let result = start(kernel, &taken, job, place);
    drop(image);
    assert_eq!(Arc::strong_count(&root), 1, "roots go with the image");
    result
}

/// Starts a kernel whose tables are set.
fn start(kernel: cl_kernel, taken: &[u32], job: &Job, place: &ClContext<'_>) -> Result<Vec<u64>, String> {
    let said = |step: &'static str| move |error: opencl3::error_codes::ClError| format!("{step}: {error}");
    // Neither is ours to release.
    let context = ManuallyDrop::new(Context::new(place.context(), &[place.device()]));
    let kernel = ManuallyDrop::new(Kernel::new(kernel));
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0).map_err(said("queue"))?;
    let mut own = (0..).filter(|argument| !taken.contains(argument));
    let mut next = || own.next().expect("endless");
    // SAFETY: buffers and numbers live until the queue is done; the kernel's arguments are what the job says.
    unsafe {
        let nothing = std::ptr::null_mut();
        let mut results = Buffer::<cl_ulong>::create(&context, CL_MEM_READ_WRITE, job.words, nothing)
            .map_err(said("buffer"))?;
        let zeros = vec![0; job.words];
        queue.enqueue_write_buffer(&mut results, CL_BLOCKING, 0, &zeros, &[]).map_err(said("write"))?;
        kernel.set_arg(next(), &opencl3::memory::ClMem::get(&results)).map_err(said("results"))?;
        for number in &job.numbers {
            kernel.set_arg(next(), number).map_err(said("number"))?;
        }
        let (one, none) = (1, std::ptr::null());
        queue
            .enqueue_nd_range_kernel(kernel.get(), 1, none, &raw const one, none, &[])
            .map_err(said("start"))?;
        queue.finish().map_err(said("run"))?;
        let mut words = vec![0; job.words];
        queue.enqueue_read_buffer(&results, CL_BLOCKING, 0, &mut words, &[]).map_err(said("read"))?;
        Ok(words)
    }
}
