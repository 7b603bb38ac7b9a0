//! The `jezero` program: hands over to the command line and exits with the code that it returns.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(jezero::cli::main(std::env::args_os()) as u8)
}
