//! The `jezero` program: hands over to `cli` and exits with the code that it returns.

fn main() {}
