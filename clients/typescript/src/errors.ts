/** What can go wrong between a client and a server. No text of them has the key or a signed address in it. */

/** The base of all errors of this package. */
export class RagbaseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** An endpoint or a key that cannot be one. */
export class ConfigurationError extends RagbaseError {}

/** What no other attempt makes possible. `code` is of the table in docs/http-api.md. */
export class PermanentError extends RagbaseError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The base of the errors of requests. */
export class ClientError extends RagbaseError {}

/**
 * The server answered with an error: `status` of HTTP, `code` (the table in docs/http-api.md; empty if the answer is not
 * of ragbase) and `message`. `requestId` names the request in the server's log, if the answer has it.
 */
export class ApiError extends ClientError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** There was no connection, it broke, or the answer did not come in time. */
export class NoAnswer extends ClientError {}

/** The answer is not what this version of the client expects: it may be of another server. */
export class UnreadableAnswer extends ClientError {}
