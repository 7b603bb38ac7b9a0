#!/usr/bin/env bash
# The Inspector lists and calls every tool, and holds each answer against its output schema.
source "$(dirname "${BASH_SOURCE[0]}")/place.sh"
serve_with_key
inspect() {
  mcp-inspector --cli "$url" --transport http --header "Authorization: Bearer $key" "$@" > answer 2>&1
}
inspect --method tools/list
for tool in search get_item later timeline list_sources; do
  wanted "\"name\": \"$tool\"" answer
done
inspect --method tools/call --tool-name search --tool-arg query=invoice --tool-arg explain=true
wanted '"items_searched": 4' answer
inspect --method tools/call --tool-name get_item --tool-arg item_id=1 --tool-arg include_original=true
wanted '"found": true' answer
inspect --method tools/call --tool-name later --tool-arg item_id=1
wanted '"matched_by": "subject"' answer
inspect --method tools/call --tool-name timeline --tool-arg project=biling
wanted '"near_projects"' answer
inspect --method tools/call --tool-name list_sources
wanted 'agent-codex-work-mac' answer
inspect --method resources/list
wanted 'jezero://library' answer
inspect --method prompts/list
wanted 'check_decision' answer
echo "inspector: every tool listed and called"
