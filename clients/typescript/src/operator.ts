/** Operator: the deployment as a whole, for who runs it (docs/http-api.md). */

import type { CallOptions } from "./call-options.js";
import { given, json, pathOf } from "./requests.js";
import type { TypedExchange } from "./typed-exchange.js";
import type {
  AuditLine,
  AuditResponse,
  Checks,
  CreatedKey,
  CreateKeyRequest,
  DeadLetterDetail,
  DeadLettersResponse,
  DeadLetterSummary,
  EvaluationRunBody,
  EvaluationsResponse,
  KeysResponse,
  KeySummary,
  RateResponse,
  ReconciliationResponse,
  ReplayResponse,
  SourcesResponse,
  TenantCounts,
  TenantsResponse,
  UsedRate,
} from "./types.js";

export interface AuditOptions extends CallOptions {
  action?: string | undefined;
  /** A caller, or the beginning of one. */
  caller?: string | undefined;
  /** An id, or a name on the server. */
  document?: string | undefined;
  since?: Date | undefined;
}

/** Without `expires`, in days, the setting `key_days` of the server holds. `limits` are those of a day. */
export type KeyOptions = CallOptions & Omit<CreateKeyRequest, "name">;

/** A key needs the scopes read and write, and no tenant and no prefixes. */
export class Operator {
  readonly #typed: TypedExchange;

  constructor(typed: TypedExchange) {
    this.#typed = typed;
  }

  /** Whether each part of the deployment works, and what waits for somebody. */
  health(options: CallOptions = {}): Promise<Checks> {
    return this.#typed.read(["ok", "checks"], { method: "GET", path: "/api/health", signal: options.signal });
  }

  /** How much of the embedding service's rate is used; undefined without a limit. */
  async rate(options: CallOptions = {}): Promise<UsedRate | undefined> {
    const request = { method: "GET", path: "/api/rate", signal: options.signal };
    return (await this.#typed.read<RateResponse>([], request)).rate;
  }

  /** The scheduled sources, with their last run and the next. */
  sources(options: CallOptions = {}): Promise<SourcesResponse> {
    return this.#typed.read(["sources"], { method: "GET", path: "/api/sources", signal: options.signal });
  }

  /** The last comparison of bucket, records and index. */
  reconciliation(options: CallOptions = {}): Promise<ReconciliationResponse> {
    return this.#typed.read([], { method: "GET", path: "/api/reconciliation", signal: options.signal });
  }

  /** What the last runs of `ragbase eval` have found, oldest first. */
  async evaluations(options: CallOptions = {}): Promise<EvaluationRunBody[]> {
    const request = { method: "GET", path: "/api/evaluations", signal: options.signal };
    return (await this.#typed.read<EvaluationsResponse>(["runs"], request)).runs;
  }

  /** Who did what, newest first. It is fetched a page at a time. */
  async *audit(options: AuditOptions = {}): AsyncGenerator<AuditLine, void> {
    const { action, caller, document, since, signal } = options;
    const parameters = given({ action, caller, document, since: since?.toISOString() });
    const request = { method: "GET", path: "/api/audit", parameters, signal };
    for await (const page of this.#typed.pages<AuditResponse>(["entries"], request)) yield* page.entries;
  }

  /** The tenants, by name. A tenant's key sees that tenant alone. */
  async *tenants(options: CallOptions = {}): AsyncGenerator<TenantCounts, void> {
    const request = { method: "GET", path: "/api/tenants", signal: options.signal };
    for await (const page of this.#typed.pages<TenantsResponse>(["tenants"], request)) yield* page.tenants;
  }

  /** All API keys, oldest first, with what was used of their limits today. */
  async *keys(options: CallOptions = {}): AsyncGenerator<KeySummary, void> {
    const request = { method: "GET", path: "/api/keys", signal: options.signal };
    for await (const page of this.#typed.pages<KeysResponse>(["keys"], request)) yield* page.keys;
  }

  /**
   * A new API key: only this answer has its secret, as `key`. Without `scopes`, it may read. A key makes none that lasts
   * longer than itself.
   */
  createKey(name: string, options: KeyOptions = {}): Promise<CreatedKey> {
    const { signal, ...wanted } = options;
    const request = { method: "POST", path: "/api/keys", repeatable: false, signal };
    return this.#typed.read(["id", "key"], { ...json({ name, ...wanted }), ...request });
  }

  /** Refuse this API key from the next request on. */
  revokeKey(id: string, options: CallOptions = {}): Promise<void> {
    return this.#typed.remove({ path: pathOf("keys", id), signal: options.signal });
  }

  /** All undeliverable messages with this text in their code or reason, newest first. */
  async *deadLetters(options: CallOptions & { reason?: string | undefined } = {}): AsyncGenerator<DeadLetterSummary, void> {
    const parameters = given({ reason: options.reason });
    const request = { method: "GET", path: "/api/dead-letters", parameters, signal: options.signal };
    const pages = this.#typed.pages<DeadLettersResponse>(["deadLetters"], request);
    for await (const page of pages) yield* page.deadLetters;
  }

  /** A dead letter with its message. */
  deadLetter(id: string, options: CallOptions = {}): Promise<DeadLetterDetail> {
    return this.#typed.read(["id", "message"], { method: "GET", path: pathOf("dead-letters", id), signal: options.signal });
  }

  /** Send a dead letter through the pipeline again. */
  replay(id: string, options: CallOptions = {}): Promise<ReplayResponse> {
    const path = `${pathOf("dead-letters", id)}/replay`;
    return this.#typed.read(["fate"], { method: "POST", path, repeatable: false, signal: options.signal });
  }
}
