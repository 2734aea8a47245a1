/** The parts of requests: paths, parameters and bodies. */

/** The path of one thing below /api. Throws TypeError for an id that would make it the path of another. */
export function pathOf(kind: "documents" | "golden-questions" | "keys" | "dead-letters", id: string): string {
  if (["", ".", ".."].includes(id)) throw new TypeError(`The id is ${JSON.stringify(id)}. Give one of /api/${kind}.`);
  return `/api/${kind}/${encodeURIComponent(id)}`;
}

/** The parameters that have a value. */
export function given(parameters: Record<string, string | number | undefined>): Record<string, string> {
  const all = Object.entries(parameters);
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, `${value}`]])));
}

/** A body without what is undefined, and its type. */
export function json(value: object): { headers: Record<string, string>; body: string } {
  return { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}
