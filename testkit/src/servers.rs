//! Servers that a test starts, each on a port of its own. They end with the test.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::root;

/// A server for one test.
pub struct Server {
    process: Child,
    /// Where a cache is in it.
    pub url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A Redis, with nothing in it.
///
/// # Panics
/// When `make tools` has not installed it.
pub fn redis() -> Server {
    let start = |port: &str| {
        let mut command = tool("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"]);
        command
    };
    let (process, port) = started(&start);
    Server { process, url: format!("redis://127.0.0.1:{port}/relo") }
}

/// An object store that speaks S3, with an empty bucket.
///
/// # Panics
/// When `make tools` has not installed it.
pub fn s3() -> Server {
    let start = |port: &str| {
        let mut command = tool("venv/bin/moto_server");
        command.args(["--host", "127.0.0.1", "--port", port]);
        command
    };
    let (process, port) = started(&start);
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
    let request = "PUT /bucket HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let options = [
        ("endpoint", format!("http://127.0.0.1:{port}")),
        ("region", "us-east-1".to_owned()),
        ("access_key_id", "somebody".to_owned()),
        ("secret_access_key", "secret".to_owned()),
        ("disable_config_load", "true".to_owned()),
    ];
    let options = options.map(|(key, value)| format!("{key}={value}")).join("&");
    Server { process, url: format!("s3://bucket/relo?{options}") }
}

fn tool(name: &str) -> Command {
    let path = root().join("target/tools").join(name);
    assert!(path.exists(), "{} is missing: `make tools` installs it", path.display());
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Starts a server on a free port, and waits until it listens. Somebody else may take the port first.
fn started(start: &dyn Fn(&str) -> Command) -> (Child, u16) {
    for _ in 0..5 {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.expect("a port is free").port();
        let mut process = start(&port.to_string()).spawn().expect("it starts");
        let deadline = Instant::now() + Duration::from_secs(120);
        while process.try_wait().expect("it is a process").is_none() {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return (process, port);
            }
            assert!(Instant::now() < deadline, "it does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("it ends at once, on five ports");
}
