// The turns before a question, as the API takes them.

// Who has not signed in may send 64 KB: these are 45 KB at most. What is longer is cut, and older turns are left out.
const TURNS = 10;
const LONGEST = 1500;
const IDS = 10;

// The letters of a text, of which some are two in JavaScript.
const short = (text) => [...text.trim()].slice(0, LONGEST).join("");

const cited = (one) => [...new Set(one.sentences.flatMap(({ citations }) => citations.map((each) => each.documentId)))];

// `before` are the questions that were asked, with their answers. One that broke off says nothing.
export function historyOf(before) {
  const turns = before
    .filter((one) => one.end?.text)
    .flatMap((one) => [
      { role: "user", text: short(one.question) },
      { role: "assistant", text: short(one.end.text), documentIds: cited(one).slice(0, IDS) },
    ]);
  return turns.slice(-TURNS);
}
