// Ask the official client of the Model Context Protocol for JavaScript to complete what comes as JSON on standard input.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { text } from "node:stream/consumers";

const { ENDPOINT, KEY } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(`${ENDPOINT}/mcp`), { requestInit: { headers } }));
const found = [];
for (const request of JSON.parse(await text(process.stdin))) {
  found.push((await client.complete(request)).completion);
}
process.stdout.write(JSON.stringify({ isDeclared: "completions" in client.getServerCapabilities(), found }));
await client.close();
