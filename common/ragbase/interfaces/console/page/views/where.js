import { shown, t } from "../words.js";

// Where in a document a passage is, for people.
export const where = ({ page, row, heading }) =>
  [page && t("page", { number: page }), row && t("row", { number: row }), heading && shown(heading)]
    .filter(Boolean)
    .join(" · ");
