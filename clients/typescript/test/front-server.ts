/** A server in front of the real one: it gives the answers that a test wants, and after them it passes everything on. */

import { createServer, type IncomingMessage, request as httpRequest, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export class FrontServer {
  /** Method and path of each request, in their order. */
  readonly requests: string[] = [];
  readonly authorizations: (string | undefined)[] = [];
  readonly #answers: Answering[];
  readonly #server: Server;

  /** `behind` is the address of the real server. */
  constructor(behind: string, ...answers: Answering[]) {
    this.#answers = answers;
    this.#server = createServer((request, response) => {
      this.requests.push(`${request.method} ${request.url}`);
      this.authorizations.push(request.headers.authorization);
      (this.#answers.shift() ?? passOn(behind))(request, response);
    });
  }

  /** Give these answers, too. */
  add(...answers: Answering[]): void {
    this.#answers.push(...answers);
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** An answer to a request that was read to its end. */
export function reply(status: number, body = "", headers: Record<string, string> = {}): Answering {
  return (request, response) => {
    request.resume().on("end", () => response.writeHead(status, headers).end(body));
  };
}

/** The real server does what was asked, but its answer gets lost. */
export function lost(behind: string): Answering {
  return (request, response) =>
    forward(behind, request, (answer) => {
      answer.destroy();
      response.destroy();
    });
}

export function passOn(behind: string): Answering {
  return (request, response) =>
    forward(behind, request, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
}

function forward(behind: string, request: IncomingMessage, answered: (answer: IncomingMessage) => void): void {
  const { method, headers } = request;
  request.pipe(httpRequest(new URL(request.url ?? "", behind), { method, headers }, answered));
}
