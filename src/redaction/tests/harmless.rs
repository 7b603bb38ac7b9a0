//! What must stay as it is.

use crate::redaction::Engine;

const HARMLESS: &[&str] = &[
    "commit 4f9d2b7c1e8a3d5f6b0c9e7a2d4f8b1c3e5a7d90",
    "id: 9b2c1d9e-8f7a-4b6c-9d0e-1f2a3b4c5d6e",
    r#"{"type":"tool_use","id":"toolu_01A2b3C4d5E6f7G8h9J0kLmN","name":"Bash"}"#,
    r#"{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","request":"req_011CQz7yWvQ2mP5nR8sT3uV6"}"#,
    r#""call_id": "call_Zx9Wv8Ut7Sr6Qp5On4Ml3Kj2""#,
    r#""integrity": "sha512-z7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5wQ8rT2yU4iO6pA0sD1fG3hJ5kL7zX9cV==""#,
    "checksum = \"8e3f5d7c9b1a2e4d6f8c0b3a5d7e9f1c2b4a6d8e0f3c5b7a9d1e3f5c7b9a0d2e\"",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "class=\"sk-loading-spinner sk-fading-circle-wrapper\"",
    "let token: TokenStream = input.parse()?;",
    "token: authentication failed",
    "max_tokens=4096, temperature=0.7",
    "IDENTITY_TOKEN=\"bailu\"",
    "password: String, secret: Option<String>,",
    "if password == other.password { return token(secret); }",
    "--- PASS: TestResolveAgentForRewind/empty_type_falls_back (0.00s)",
    "--- PASS: TestTrail8BashMultiDigitDuplexFD (0.00s)",
    "pub const SCTP_AUTH_KEY: c_int = 0x00000013;",
    "DEVSTAT_TYPE_PASS = 0x100,",
    "pub const FLAG_PASSPHRASE: u32 = 4128u32;",
    "suitable to pass as `srcSize` to the decoder",
    "(identified by `property_value`)",
    "export OPENAI_API_KEY=sk-...",
    "ANTHROPIC_API_KEY=your-api-key-here",
    "Authorization: Bearer ${GITHUB_TOKEN}",
    "Authorization: Bearer $TOKEN",
    "api_key: ${{ secrets.DEPLOY_KEY }}",
    "const key = process.env.STRIPE_SECRET_KEY;",
    "key: \"ctrl+shift+down\"",
    "key: 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "\"signature\": \"EqQBCgIYAhIkN2QxMmYzZTQtYjVhNi03YzhkLTlmMGUtMWEyYjNjNGQ1ZTZm\"",
    "https://example.com:8080/path@v1.2.3/file",
    "git@github.com:owner/name.git",
    "postgres://user:password@localhost:5432/app",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIUTq7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5wQ8\n-----END CERTIFICATE-----",
    "-----BEGIN RSA PRIVATE KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIq7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5 me@host",
    "enter your password: ",
    "The token is invalid or has expired.",
    "use --password to set one, -p for the port",
    "curl -u $USER:$PASS https://example.com",
    "model: claude-sonnet-4-20250514",
    "tests passed: 128, tokens: 20480",
];

#[test]
fn what_only_looks_like_a_secret_stays() {
    let engine = Engine::embedded();
    let changed: Vec<String> = HARMLESS
        .iter()
        .map(|text| (text, engine.redact(text)))
        .filter(|(text, hidden)| hidden.as_str() != **text)
        .map(|(text, hidden)| format!("{text}\n  became {hidden}"))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}
