/** Requests whose answers are values, and the addresses that a server names. */

import { isLoopback } from "./endpoint.js";
import { UnreadableAnswer } from "./errors.js";
import { type ApiRequest, errorOf, type Exchange, isRecord, jsonOf, type Reply, type Stream } from "./exchange.js";

const NOT_FOUND = 404;
/** Items of one page of a list: the most that a server gives. */
const PAGE = "100";

export class TypedExchange {
  readonly #exchange: Exchange;
  readonly #allowPlainHttp: boolean;

  constructor(exchange: Exchange, allowPlainHttp: boolean) {
    this.#exchange = exchange;
    this.#allowPlainHttp = allowPlainHttp;
  }

  /** The answer of the server, which must have these fields. Throws UnreadableAnswer. */
  async read<T extends object>(fields: readonly (keyof T & string)[], request: ApiRequest): Promise<T> {
    return this.value(fields, good(await this.#exchange.ask(request)));
  }

  /** The pages of a list, each when it is wanted. */
  async *pages<T extends { nextCursor?: string }>(
    fields: readonly (keyof T & string)[],
    request: ApiRequest,
  ): AsyncGenerator<T> {
    let parameters: Record<string, string> = { limit: PAGE, ...request.parameters };
    for (;;) {
      const page = await this.read<T>(fields, { ...request, parameters });
      yield page;
      if (page.nextCursor === undefined) return;
      parameters = { ...parameters, cursor: page.nextCursor };
    }
  }

  /** If an answer was lost, the next attempt finds that it is gone already. */
  async remove(request: Omit<ApiRequest, "method">): Promise<void> {
    const reply = await this.#exchange.ask({ ...request, method: "DELETE" });
    if (!isOk(reply) && !(reply.status === NOT_FOUND && reply.repeated)) throw errorOf(reply);
  }

  /** A text, with every character of it. Throws UnreadableAnswer if it is not UTF-8, as one that was cut in a character. */
  async text(request: ApiRequest): Promise<string> {
    const body = good(await this.#exchange.ask(request));
    try {
      // A mark at its beginning (BOM) is one of the characters that places in the text count.
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    } catch {
      throw this.#unreadable("the text is not UTF-8");
    }
  }

  /** The answer, and its body as it comes. Throws ApiError if the answer is an error. */
  async stream(request: ApiRequest): Promise<Stream> {
    const stream = await this.#exchange.stream(request);
    good(stream.reply);
    return stream;
  }

  /** The value of JSON with at least these fields. Throws UnreadableAnswer. */
  value<T extends object>(fields: readonly (keyof T & string)[], body: ArrayBuffer | string): T {
    const value = jsonOf(body);
    const wrong = isRecord(value) ? fields.filter((field) => value[field] === undefined) : ["the whole"];
    if (wrong.length > 0) throw this.#unreadable(`wrong: ${wrong.join(", ")}`);
    return value as T;
  }

  /**
   * An address that the server names, for a request. It is a secret, so it is not used without encryption. A server
   * behind a proxy may not know that it is asked by https. Throws UnreadableAnswer.
   */
  named(url: string): Pick<ApiRequest, "url" | "isOwn"> {
    const own = new URL(this.#exchange.endpoint);
    const address = URL.canParse(url) ? new URL(url) : undefined;
    if (address?.host === own.host) {
      if (own.protocol === "https:") address.protocol = own.protocol;
      return { url: address.href, isOwn: true };
    }
    if (address?.protocol === "https:" || (address && isLoopback(address.hostname)) || (address && this.#allowPlainHttp)) {
      return { url };
    }
    throw new UnreadableAnswer(`${this.#exchange.endpoint} names an address without https for the file.`);
  }

  #unreadable(why: string): UnreadableAnswer {
    return new UnreadableAnswer(
      `${this.#exchange.endpoint} gave an answer that this version of ragbase cannot read (${why}). Check the ` +
        "endpoint, or install the version of the server.",
    );
  }
}

/** The body. Throws ApiError if the answer is an error. */
export function good(reply: Reply): ArrayBuffer {
  if (!isOk(reply)) throw errorOf(reply);
  return reply.body;
}

export function isOk(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300;
}
