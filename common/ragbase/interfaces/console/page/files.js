// The files that somebody drops or chooses.

// Pairs of a path and a file, also of those in folders.
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => [file.name, file]);
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) return [[path, await new Promise((give, fail) => entry.file(give, fail))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((give, fail) => reader.readEntries(give, fail));
    if (!some.length) return (await Promise.all(found.map(filesIn))).flat();
    found.push(...some);
  }
}

export const withPaths = (files) => [...files].map((file) => [file.webkitRelativePath || file.name, file]);

// Let somebody choose one file, or a whole folder.
export function choose(take, { isFolder = false } = {}) {
  const input = Object.assign(document.createElement("input"), { type: "file", webkitdirectory: isFolder });
  input.onchange = () => take(withPaths(input.files));
  input.click();
}
