//! What the tools say of themselves.

use serde_json::{Value, json};

use super::peer::Peer;

fn tools(peer: &Peer) -> Vec<Value> {
    peer.ask("tools/list", &json!({}))["tools"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn the_five_tools_are_read_only() {
    let peer = Peer::of_the_pages();
    let tools = tools(&peer);
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["search", "get_item", "later", "timeline", "list_sources"]
    );
    for tool in &tools {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["readOnlyHint"], json!(true));
        assert_eq!(annotations["destructiveHint"], json!(false));
        assert_eq!(annotations["openWorldHint"], json!(false));
    }
}

#[test]
fn documented_arguments_come_first_and_only_two_are_required() {
    let peer = Peer::of_the_pages();
    for (tool, documented) in tools(&peer).iter().zip([
        &["query", "project", "source", "since", "limit"][..],
        &["item_id", "include_original"],
        &["item_id", "query", "limit"],
        &["project", "source", "since", "until", "limit"],
        &[],
    ]) {
        let input = &tool["inputSchema"];
        let names: Vec<&String> = input["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names[..documented.len()], *documented, "{tool}");
        let required = input.get("required").cloned().unwrap_or(json!([]));
        let expected: Vec<&str> = documented
            .iter()
            .copied()
            .filter(|name| *name == "item_id" || (*name == "query" && documented.len() == 5))
            .collect();
        assert_eq!(required, json!(expected));
    }
}

#[test]
fn every_argument_has_a_plain_type_a_default_and_an_example() {
    let peer = Peer::of_the_pages();
    for tool in tools(&peer) {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["type"].is_string(), "{name}: {schema}");
            let told = schema["description"].as_str().unwrap();
            let required = ["item_id", "query"].contains(&name.as_str());
            assert!(
                required || told.to_lowercase().contains("default"),
                "{name}: {told}"
            );
            let example = ["xample", "such as", "default)"]
                .iter()
                .any(|word| told.contains(word))
                || told.contains("(2026-");
            assert!(example, "{name}: {told}");
        }
    }
}

#[test]
fn every_argument_of_a_schema_is_taken_and_no_other() {
    let peer = Peer::of_the_pages();
    for tool in tools(&peer) {
        let name = tool["name"].as_str().unwrap();
        let listed: Vec<String> = tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let listed = match listed.is_empty() {
            true => "no argument".to_owned(),
            false => listed.join(", "),
        };
        let (told, _) = peer.error(name, &json!({"nonsense": 1}));
        assert_eq!(
            told,
            format!(
                "Error executing tool {name}: 'nonsense' is no argument of this tool, which takes \
                 {listed}; got '1'"
            )
        );
    }
}

/// Whether a value has the shape of a schema, as far as the schemas here go.
fn fits(value: &Value, schema: &Value) -> bool {
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    types.iter().any(|one| match *one {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value
            .as_array()
            .is_some_and(|list| list.iter().all(|one| fits(one, &schema["items"]))),
        "object" => value.as_object().is_some_and(|object| {
            object.iter().all(|(key, one)| {
                let known = schema["properties"].get(key);
                match known.or_else(|| schema.get("additionalProperties")) {
                    Some(schema) => fits(one, schema),
                    None => schema.get("properties").is_none(),
                }
            })
        }),
        _ => false,
    })
}

#[test]
fn every_answer_has_the_shape_of_its_output_schema_and_no_key_besides() {
    let peer = Peer::of_the_pages();
    let tools = tools(&peer);
    for (name, arguments) in [
        (
            "search",
            json!({"query": "invoice", "explain": true, "max_tokens": 9, "fields": ["snippet", "matched", "score", "title"]}),
        ),
        ("search", json!({"query": "invoice"})),
        ("search", json!({"query": "zebra go", "project": "biling"})),
        ("search", json!({"query": 1})),
        ("get_item", json!({"item_id": 1, "original_chars": 5})),
        ("get_item", json!({"item_id": 3, "include_original": true})),
        ("get_item", json!({"item_id": 99})),
        ("later", json!({"item_id": 1})),
        ("later", json!({"item_id": 3, "max_tokens": 1})),
        ("timeline", json!({"max_tokens": 1})),
        ("timeline", json!({"project": "x"})),
        ("list_sources", json!({})),
    ] {
        let result = peer.call(name, &arguments);
        let tool = tools
            .iter()
            .find(|tool| tool["name"] == json!(name))
            .unwrap();
        let answer = &result["structuredContent"];
        assert!(
            fits(answer, &tool["outputSchema"]),
            "{name} {arguments}: {answer}"
        );
    }
}

#[test]
fn a_description_says_when_to_use_a_tool_and_when_another() {
    let peer = Peer::of_the_pages();
    for tool in tools(&peer) {
        let told = tool["description"].as_str().unwrap();
        assert!(told.contains("Use it"), "{told}");
        let siblings = ["search", "get_item", "later", "timeline", "list_sources"]
            .iter()
            .filter(|name| json!(name) != tool["name"] && told.contains(**name));
        assert!(siblings.count() > 0, "{told}");
    }
}
