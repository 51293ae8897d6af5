/** Finds SQL outside the store. */
import type { Sources } from "./sources.ts";

const home = "src/daemon/store/";

/** The start of a string that is an SQL statement, not prose. */
const statement = new RegExp(
  `["'\`]\\s*(?:${[
    "select\\s[^\"'`]*?\\sfrom\\s",
    "insert\\s+(?:or\\s+\\w+\\s+)?into\\s+\\w",
    "replace\\s+into\\s+\\w",
    "update\\s+(?:or\\s+\\w+\\s+)?\\w+\\s+set\\s",
    "delete\\s+from\\s+\\w",
    "(?:create|drop|alter)\\s+(?:unique\\s+|temp\\s+|virtual\\s+)?(?:table|index|trigger|view)\\s",
    "with\\s+(?:recursive\\s+)?\\w+(?:\\s*\\([^)]*\\))?\\s+as\\s*\\(",
    "pragma\\s+\\w",
    "begin\\s+(?:deferred|immediate|exclusive|transaction)",
  ].join("|")})`,
  "gi",
);

export function sqlProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith("src/") && !path.startsWith(home))
    .flatMap(([path, text]) =>
      [...text.matchAll(statement)].map(({ index }) => {
        const line = text.slice(0, index).split("\n").length;
        return `${path}:${line}: SQL belongs in ${home}`;
      }),
    );
}
