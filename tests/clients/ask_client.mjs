// Ask with the TypeScript client: questions come as JSON on standard input, the results go to standard output.

import { text } from "node:stream/consumers";
import { Client } from "ragbase";

const client = new Client(process.env.ENDPOINT, { key: process.env.KEY });
const found = [];
for (const question of JSON.parse(await text(process.stdin))) found.push((await client.query(question)).results);
process.stdout.write(JSON.stringify(found));
