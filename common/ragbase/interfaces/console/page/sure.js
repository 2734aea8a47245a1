// How sure a result is, in a word (docs/ranking.md).
import { t } from "./words.js";

const WORDS = {
  "exact identifier": "sureExact",
  strong: "sureStrong",
  fair: "sureFair",
  weak: "sureWeak",
  "near miss": "sureNear",
};

// A newer server may have another one.
export const sure = (word) => (Object.hasOwn(WORDS, word) ? t(WORDS[word]) : word);
