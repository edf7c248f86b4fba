//! SPIR-V for Vulkan: validated, and run on a Vulkan device that is this processor, in a process of its own.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use ash::{Entry, vk};
use relo_testkit::root;

use crate::support::{Site, arg, folder, manifest, relo, relo_ok, run, sites_of};

/// How many words the shader writes: one an invocation.
const WORDS: usize = 8;

/// Runs a shader whose one buffer takes its results, its constants set by number.
fn run_shader(shader: &Path, constants: &BTreeMap<u32, u64>) -> Vec<u64> {
    let driver = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
    assert!(Path::new(driver).exists(), "{driver} is missing: `make tools` installs it");
    let folder = folder();
    let results = folder.path().join("results");
    let mut device = Command::new(std::env::current_exe().expect("a test binary"));
    device.args(["--ignored", "--exact", "vulkan::device", "--quiet"]);
    device.env("VK_ICD_FILENAMES", driver).env("RELO_SHADER", shader).env("RELO_RESULTS", &results);
    device.env("RELO_CONSTANTS", serde_json::to_string(constants).expect("plain data"));
    run(&mut device);
    let results = std::fs::read_to_string(results).expect("the device ran");
    serde_json::from_str(&results).expect("its results")
}

#[test]
#[ignore = "the process that the other tests run shaders in"]
fn device() {
    let variable = |name: &str| std::env::var(name).expect("the test that runs this sets it");
    let constants = serde_json::from_str(&variable("RELO_CONSTANTS")).expect("constants");
    let shader = PathBuf::from(variable("RELO_SHADER"));
    // SAFETY: everything that Vulkan is given lives until the process ends.
    let results = unsafe { dispatch(&shader, &constants) }.expect("Vulkan runs the shader");
    std::fs::write(variable("RELO_RESULTS"), serde_json::to_string(&results).expect("plain data"))
        .expect("written");
}

/// # Safety
/// The shader writes no more than [`WORDS`] words to its one buffer.
unsafe fn dispatch(shader: &Path, constants: &BTreeMap<u32, u64>) -> Result<Vec<u64>, Box<dyn Error>> {
    // SAFETY: as the caller says; objects are used in the order of their making, and none is destroyed.
    unsafe {
        let code = ash::util::read_spv(&mut std::fs::File::open(shader)?)?;
        let entry = Entry::load()?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = entry.create_instance(&instance, None)?;
        let physical = *instance.enumerate_physical_devices()?.first().ok_or("no device")?;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let features = vk::PhysicalDeviceFeatures { shader_int64: 1, ..Default::default() };
        let mut more = vk::PhysicalDeviceVulkan12Features { shader_int8: 1, ..Default::default() };
        let device = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&features)
            .push_next(&mut more);
        let device = instance.create_device(physical, &device, None)?;
        let queue = device.get_device_queue(0, 0);

        let size = size_of::<u64>() * WORDS;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let buffer = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
        let buffer = device.create_buffer(&buffer, None)?;
        let needs = device.get_buffer_memory_requirements(buffer);
        let memories = instance.get_physical_device_memory_properties(physical);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let kind = memories
            .memory_types_as_slice()
            .iter()
            .position(|kind| kind.property_flags.contains(wanted))
            .ok_or("no memory that the host sees")?;
        let memory =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind as u32);
        let memory = device.allocate_memory(&memory, None)?;
        device.bind_buffer_memory(buffer, memory, 0)?;
        let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;

        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let set_layout = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        let set_layout = [device.create_descriptor_set_layout(&set_layout, None)?];
        let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layout);
        let layout = device.create_pipeline_layout(&layout, None)?;
        let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
        let words: Vec<u8> = constants.values().flat_map(|word| word.to_le_bytes()).collect();
        let entries: Vec<vk::SpecializationMapEntry> = (0..)
            .step_by(8)
            .zip(constants.keys())
            .map(|(offset, number)| vk::SpecializationMapEntry { constant_id: *number, offset, size: 8 })
            .collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&words);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&specialization);
        let pipeline = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        let pipeline = device
            .create_compute_pipelines(vk::PipelineCache::null(), &pipeline, None)
            .map_err(|(_, error)| error)?[0];

        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&pool, None)?;
        let sets = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layout);
        let sets = device.allocate_descriptor_sets(&sets)?;
        let range = [vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&range);
        device.update_descriptor_sets(&[write], &[]);

        let commands = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
        let commands =
            vk::CommandBufferAllocateInfo::default().command_pool(commands).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&commands)?;
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
        device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands[0], vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
        device.cmd_dispatch(commands[0], 1, 1, 1);
        device.end_command_buffer(commands[0])?;
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(queue, &[submit], vk::Fence::null())?;
        device.queue_wait_idle(queue)?;
        Ok(std::slice::from_raw_parts(mapped.cast::<u64>(), WORDS).to_vec())
    }
}

const OPTIONS: [&str; 6] = ["--target", "vulkan", "--use", "clang", "--set", "clang.words=^rt_"];

fn compile(level: &str, out: &Path) -> Vec<Site> {
    let input = root().join("cli/tests/data/shader.ll");
    relo_ok(&[&["compile", arg(&input), level, "-o", arg(out)], &OPTIONS[..]].concat());
    run(Command::new("spirv-val").args(["--target-env", "vulkan1.3", arg(out)]));
    sites_of(&manifest(out))
}

#[test]
fn specialisation_constants_are_the_words() {
    let folder = folder();
    let out = folder.path().join("shader.spv");
    for level in ["-O0", "-O2"] {
        let sites = compile(level, &out);
        assert_eq!(sites.len(), 2);
        for (yes, no) in [(0x7fff_1234_5678_9000_u64, 9_u64), (u64::MAX, 1 << 63)] {
            let word = |site: &Site| if site.referent.contains("rt_true") { yes } else { no };
            let constants =
                sites.iter().map(|site| (site.index.expect("a number") as u32, word(site))).collect();
            // Each invocation adds its number to one word, and takes the other through a function.
            let wanted: Vec<u64> =
                (0..WORDS as u64).map(|i| no.wrapping_add(i) ^ yes.wrapping_add(i)).collect();
            assert_eq!(run_shader(&out, &constants), wanted, "{level}");
        }
    }
}

/// Where a shader's means end, a diagnostic says so.
#[test]
fn what_a_shader_cannot_do_is_refused() {
    let folder = folder();
    let (input, out) = (folder.path().join("in.ll"), folder.path().join("out.spv"));
    let refused = |globals: &str, body: &str, more: &[&str]| {
        let text = format!(
            "target triple = \"spirv-unknown-vulkan1.3-compute\"\n@rt_true = external global i64\n{globals}\n\
             define void @main() #0 {{\n{body}\n  ret void\n}}\n\
             attributes #0 = {{ \"hlsl.numthreads\"=\"8,1,1\" \"hlsl.shader\"=\"compute\" }}\n"
        );
        std::fs::write(&input, text).expect("written");
        let output = relo(&[&["compile", arg(&input), "-o", arg(&out)], &OPTIONS[..], more].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && !out.exists(), "{text}");
        text
    };
    let load = "  %f = load ptr, ptr @rt_true\n  %x = load volatile i64, ptr %f";
    let pointer = refused("", load, &[]);
    assert!(pointer.contains("vulkan.pointer"), "{pointer}");
    let record = refused("@header = constant [2 x ptr] [ptr @rt_true, ptr null]", "", &[]);
    assert!(record.contains("relo::plan::no_strategy") && record.contains("`bake`"), "{record}");
    for strategy in ["patch", "import", "table"] {
        let said = refused("", load, &["--strategy", strategy]);
        assert!(said.contains("relo::plan::no_strategy") && said.contains("`specialize`"), "{said}");
    }
}
