// A program of a user with strict settings. It is compiled, not run: a wrong type is an error of the compiler.
import {
  type AnswerResponse,
  ApiError,
  type CallOptions,
  Client,
  type ClientOptions,
  ClientError,
  Conversation,
  type DocumentStatusResponse,
  type Filter,
  NoAnswer,
  type Operator,
  type QueryOptions,
  RagbaseError,
  type SearchResultBody,
  type Turn,
  type Uploaded,
} from "ragbase";

export async function use(endpoint: string, key: string | undefined, signal: AbortSignal | undefined): Promise<string[]> {
  const limits: ClientOptions = { key, timeout: undefined, deadline: 60 };
  const client = new Client(endpoint, limits);
  const bytes: Uint8Array = new TextEncoder().encode("text");
  const uploaded: Uploaded = await client.upload(bytes, { path: "a.txt", replace: undefined, signal });
  const whole: DocumentStatusResponse = await client.wait(uploaded.id, { seconds: undefined, signal });
  const filter: Filter = { pathPrefix: "hr", formats: ["pdf"] };
  const history: readonly Turn[] = new Conversation().history;
  const options: QueryOptions = { filter, history, topK: undefined, expand: "section", signal };
  const found: SearchResultBody[] = (await client.query("When?", options)).results;
  const answer: AnswerResponse = await client.answer("When?", { history, signal });
  for await (const part of client.answerParts("When?", { signal })) {
    if (part.type === "sentence") found.length += part.sentence.citations.length;
    else if (part.type === "evidence") found.length += part.evidence.length;
    else found.length += part.answer.sentences.length;
  }
  const file: Blob = await client.content(uploaded.id, { signal });
  await client.upload(new Blob([file]), { path: "b.txt" });
  const operator: Operator = client.operator;
  for await (const entry of operator.audit({ since: new Date(), action: undefined })) found.length += entry.number;
  const { key: secret } = await operator.createKey("robot", { scopes: ["read"], limits: { requests: 9 }, signal });
  // @ts-expect-error: only these statuses
  client.list({ status: "DONE" });
  // @ts-expect-error: bytes, not their name
  await client.upload("a.txt");
  // @ts-expect-error: a field that no filter has
  await client.query("When?", { filter: { folder: "hr" } });
  return [whole.status, answer.text, secret, ...found.map((one) => one.content)];
}

export function said(error: unknown, _options?: CallOptions): string {
  if (error instanceof ApiError) return `${error.status} ${error.code} ${error.requestId ?? ""}`;
  if (error instanceof NoAnswer) return error.message;
  return error instanceof ClientError || error instanceof RagbaseError ? error.name : String(error);
}
