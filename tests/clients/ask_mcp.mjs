// Ask with the official MCP client: questions come as JSON on standard input, what searchKnowledge finds goes to
// standard output. It asks over streamable HTTP, or, if the environment has COMMAND, a server that it starts.

import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { ENDPOINT, KEY, COMMAND } = process.env;

function transport() {
  if (COMMAND === undefined) {
    const requestInit = { headers: { Authorization: `Bearer ${KEY}` } };
    return new StreamableHTTPClientTransport(new URL(`${ENDPOINT}/mcp`), { requestInit });
  }
  const [command, ...args] = JSON.parse(COMMAND);
  return new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...process.env } });
}

const client = new Client({ name: "ask_mcp", version: "1" });
await client.connect(transport());
const { tools } = await client.listTools(); // with their schemas, the client checks what the tools answer
if (!tools.some((tool) => tool.name === "searchKnowledge" && tool.outputSchema)) throw new Error("No searchKnowledge.");
const found = [];
for (const query of JSON.parse(await text(process.stdin))) {
  const answer = await client.callTool({ name: "searchKnowledge", arguments: { query } });
  if (answer.isError) throw new Error(JSON.stringify(answer.content));
  found.push(answer.structuredContent.results);
}
process.stdout.write(JSON.stringify(found));
await client.close();
