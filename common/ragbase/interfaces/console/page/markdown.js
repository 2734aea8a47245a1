// An answer to paste elsewhere: its supported sentences, each with the numbers of its sources, and where those are.
import { address } from "./api.js";
import { citationsOf, indexOf } from "./answer.js";
import { toPlace } from "./places.js";

// What means something in Markdown is only itself.
const plain = (text) => text.replace(/[\\`*_[\]<>#|]/g, "\\$&");

const link = (citation) => address(toPlace(citation)).href;

export function markdown(one) {
  const cited = citationsOf([one]);
  const numbered = (citation) => `[${indexOf(citation, cited) + 1}](${link(citation)})`;
  const sentence = ({ text, citations }) => [plain(text), ...citations.map(numbered)].join(" ");
  const source = (citation, index) =>
    `${index + 1}. [${plain(citation.filename)}](${link(citation)}): “${plain(citation.text)}”`;
  const sentences = one.sentences.filter((sentence) => sentence.supported).map(sentence);
  return `**${plain(one.question)}**\n\n${sentences.join(" ")}\n\n${cited.map(source).join("\n")}\n`;
}
