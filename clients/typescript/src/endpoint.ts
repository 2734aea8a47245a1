/** The address of a server, and whether a key may be sent there. */

import { ConfigurationError } from "./errors.js";

const EXAMPLE = "such as https://rag.example.com or http://127.0.0.1:8080";

/** The address without a slash at its end. Throws ConfigurationError, whose text does not repeat what may be secret. */
export function checkedEndpoint(endpoint: string): string {
  const address = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (address === undefined || !["http:", "https:"].includes(address.protocol)) {
    throw new ConfigurationError(`The endpoint is no address of a server. Give one ${EXAMPLE}.`);
  }
  if (address.username || address.password || endpoint.includes("?") || endpoint.includes("#")) {
    throw new ConfigurationError(
      `The endpoint has a user, a query or a fragment. Give only the address, ${EXAMPLE}, and the key apart.`,
    );
  }
  return address.href.replace(/\/+$/, "");
}

/** Throws ConfigurationError if no header can carry the key. */
export function checkedKey(key: string): string {
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    throw new ConfigurationError("The key is empty or has characters that no header can carry. Copy it again.");
  }
  return key;
}

/** Throws ConfigurationError if everybody on the way could read a key: over http, to another machine. */
export function checkSecret(endpoint: string): void {
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === "http:" && !isLoopback(hostname)) {
    throw new ConfigurationError(
      `A key would go to ${hostname} without encryption, so that others could read it. Use https.`,
    );
  }
}

/** Whether it is this machine, whatever a name server says. `hostname` is that of a URL, which writes IPv4 in full. */
export function isLoopback(hostname: string): boolean {
  return /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]" || /^(.*\.)?localhost$/.test(hostname);
}
