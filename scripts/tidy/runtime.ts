/** Finds places that start Bun without the flags that keep it from running code of the current folder. */
import type { Sources } from "./sources.ts";

/** Puts Bun's path and flags together, for TypeScript and for shell scripts. */
const homes = ["src/system/self.ts", "bin/runtime"];
/** They name Bun to test where it is found, or to test this check. */
const tests = [
  "test/e2e/package.test.ts",
  "test/launcher-package.test.ts",
  "test/launcher.test.ts",
  "test/tidy.test.ts",
];

/** Ways to name Bun in code; `fork` starts the runtime that it is called in. */
const inCode = [
  String.raw`\bprocess\.(?:execPath|argv0|argv\[0\])`,
  String.raw`\bBun\.argv\[0\]`,
  String.raw`\bBun\.which\(\s*["'\x60]bunx?["'\x60]`,
  String.raw`\[\s*["'\x60]bunx?["'\x60]`,
  String.raw`\bfork\b[^"';]*\bfrom "(?:node:)?child_process"`,
];
const path = String.raw`node_modules\/(?:\.bin\/bunx?\b|bun\/bin\/)`;
/** A test of the file and a question for the version are harmless: Bun opens nothing of the folder then. */
const inShell = String.raw`"\$bun"(?! (?:\$flags |--version|\]))`;

export function runtimeProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => !homes.includes(file) && !tests.includes(file))
    .flatMap(([file, text]) => {
      const isCode = file.endsWith(".ts");
      const pattern = new RegExp([path, ...(isCode ? inCode : [inShell])].join("|"), "g");
      const remedy = isCode
        ? "start Bun with `bun` or `selfCommand` of src/system/self.ts"
        : "start Bun with scripts/bun";
      return [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineOf(text, index)}: ${remedy}`);
    });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
