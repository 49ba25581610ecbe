//! Compiles the few calls of MPI that are made, with the compiler of the MPI that is there.
//!
//! What MPI's handles are differs between implementations, so bindings would have to be generated
//! from its header, with libclang. A few lines of C see the header itself and need the compiler of
//! the MPI only (`mpicc`, or what `MPICC` names).

use std::env;
use std::path::PathBuf;
use std::process::{Command, exit};

fn main() {
    println!("cargo:rerun-if-changed=src/calls.c");
    println!("cargo:rerun-if-env-changed=MPICC");
    let compiler = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let object = out.join("calls.o");
    let mut compile = Command::new(&compiler);
    compile.args(["-O2", "-fPIC", "-Wall", "-Werror", "-c", "src/calls.c", "-o"]).arg(&object);
    run(&mut compile, &compiler);
    let library = out.join("libgage_mpi_calls.a");
    run(Command::new("ar").arg("crs").arg(&library).arg(&object), "ar");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=gage_mpi_calls");
    // The command that the compiler runs names the libraries, with every MPI.
    let shown = run(Command::new(&compiler).arg("-show"), &compiler);
    for flag in shown.split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        } else if flag.starts_with("-Wl,") {
            println!("cargo:rustc-link-arg={flag}");
        }
    }
}

/// The output of a command that must succeed.
fn run(command: &mut Command, name: &str) -> String {
    match command.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => {
            eprintln!("{name}: {}", String::from_utf8_lossy(&output.stderr));
            exit(1);
        }
        Err(error) => {
            eprintln!(
                "{name}: {error}; gage-mpi needs an MPI with its compiler, in Debian libopenmpi-dev"
            );
            exit(1);
        }
    }
}
