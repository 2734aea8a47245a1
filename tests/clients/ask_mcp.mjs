// Ask with the official client of the Model Context Protocol for JavaScript: questions come as JSON on standard input, what
// the tools found goes to standard output.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { text } from "node:stream/consumers";

const { ENDPOINT, KEY, PATH, RAGBASE_HOME } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const client = new Client({ name: "test", version: "1" });
await client.connect(
  process.argv[2] === "stdio"
    ? new StdioClientTransport({ command: "ragbase", args: ["mcp"], env: { PATH, ...(RAGBASE_HOME && { RAGBASE_HOME }) } })
    : new StreamableHTTPClientTransport(new URL(`${ENDPOINT}/mcp`), { requestInit: { headers } }),
);
const { prompts } = await client.listPrompts();
const { tools } = await client.listTools(); // from here on, the client checks each result against the tool's schema
const found = [];
for (const query of JSON.parse(await text(process.stdin))) {
  const ours = await client.callTool({ name: "searchKnowledge", arguments: { query } });
  const theirs = await client.callTool({ name: "search", arguments: { query } });
  found.push({ ours: ours.structuredContent.results, theirs: theirs.structuredContent.results });
}
process.stdout.write(JSON.stringify({ tools: tools.map((tool) => tool.name), prompts: prompts.map((one) => one.name), found }));
await client.close();
