/** Server-sent events, as the server sends them. */

/** Name and data of each event, both empty for a comment. An empty line ends it, and its data is one line. */
export async function* namedEvents(pieces: AsyncIterable<string>): AsyncGenerator<{ name: string; data: string }> {
  let rest = "";
  for await (const piece of pieces) {
    const events = (rest + piece).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const lines = event.split("\n");
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      yield { name: field("event"), data: field("data") };
    }
  }
}
