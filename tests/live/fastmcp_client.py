"""FastMCP asks for everything: tools, an error, resources, prompts."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError


async def check(transport):
    async with Client(transport) as client:
        names = [tool.name for tool in await client.list_tools()]
        assert names == ["search", "get_item", "later", "timeline", "list_sources"], names
        found = await client.call_tool("search", {"query": "invoice export", "limit": 2})
        assert found.structured_content["count"] == 2, found
        try:
            await client.call_tool("timeline", {"since": "yesterday"})
        except ToolError as error:
            assert "got 'yesterday'" in str(error), error
        else:
            raise AssertionError("a wrong date was taken")
        library = await client.read_resource("jezero://library")
        assert '"items": 4' in library[0].text, library
        prompt = await client.get_prompt("catch_up", {"project": "billing"})
        assert '"billing"' in prompt.messages[0].content.text, prompt


url, key, program, config = sys.argv[1:]
headers = {"Authorization": f"Bearer {key}"}
asyncio.run(check(StreamableHttpTransport(url, headers=headers)))
asyncio.run(check(StdioTransport(program, ["-c", config, "mcp"])))
