#!/bin/sh
# Puts the tools that the tests try artifacts with into target/tools. NVIDIA's and Intel's are proprietary: they come
# from their Python packages, and nothing of them is shipped.
set -eu
cd "$(dirname "$0")/.."

tools=$PWD/target/tools
done="$tools/.done-5"
[ -e "$done" ] && exit 0
rm -rf "$tools"
mkdir -p "$tools"

# SPIR-V's validator, OpenCL's and Vulkan's loaders, and a Vulkan device that is the processor. Other machines' C
# libraries, and their processors in software. A build system, Redis, and a browser for the pages that relo writes.
case $(. /etc/os-release && echo "$VERSION_ID") in
12) gcc=12 ;;
*) gcc=14 ;;
esac
packages=""
for package in spirv-tools ocl-icd-libopencl1 mesa-vulkan-drivers libvulkan1 lld-22 qemu-user ninja-build redis-tools chromium \
    libc6-dev-arm64-cross libgcc-$gcc-dev-arm64-cross libc6-dev-riscv64-cross libgcc-$gcc-dev-riscv64-cross; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || packages="$packages $package"
done
if [ -n "$packages" ]; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi

# Compilers for these machines, and Rust's library, so that the loader can be built for them.
for machine in aarch64 riscv64; do
    system=$machine-linux-gnu
    gcc=$(echo /usr/lib/gcc-cross/$system/*)
    cat >"$tools/$system-cc" <<SH
#!/bin/sh
exec /usr/lib/llvm-22/bin/clang --target=$system --sysroot=/ -Qunused-arguments -isystem /usr/$system/include \\
    -B/usr/$system/lib -B$gcc -L/usr/$system/lib -L$gcc -fuse-ld=lld "\$@"
SH
    chmod +x "$tools/$system-cc"
done
PATH="$HOME/.cargo/bin:$PATH"
if ! command -v rustup >/dev/null 2>&1; then
    echo "no rustup: the tests won't run the loader on other machines"
elif ! rustup --quiet target add aarch64-unknown-linux-gnu riscv64gc-unknown-linux-gnu; then
    echo "Rust's libraries for other machines can't be had here: the tests won't run the loader on them"
fi

# Redis under the name that makes it a server: the package with that name would also start one. An object store that
# speaks S3 comes below.
ln -s /usr/bin/redis-check-rdb "$tools/redis-server"

# NVIDIA's assembler and linker: 13 begins with sm_75, 12 ends the line of sm_70. Intel's OpenCL device that is the
# processor does not say that it needs its compiler's library, and is silently absent without it.
python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvcc-cu12==12.9.86 \
    intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "moto[server]==5.2.5"
site=$(echo "$tools"/venv/lib/python3*/site-packages/nvidia)
ln -s "$site/cu13/bin/ptxas" "$site/cu13/bin/nvlink" "$tools/"
ln -s "$site/cuda_nvcc/bin/ptxas" "$tools/ptxas-12"
# Each library comes twice; the one with a version is loaded.
rm -f "$tools/venv/lib/libcommon_clang.so" "$tools/venv/lib/icx-lto.so"
mkdir "$tools/icd"
echo "$tools/venv/lib/libintelocl.so" >"$tools/icd/intel.icd"
touch "$done"
