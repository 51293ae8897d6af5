/** Finds code that starts Bun without the flags that prevent it from running code of the current folder. */
import type { Sources } from "./sources.ts";

/** The files that define Bun's path and flags, for TypeScript and for shell scripts. */
const definitions = ["src/system/self.ts", "bin/runtime"];
/** They test how Bun is found, or test this check. */
const tests = [
  "test/e2e/package.test.ts",
  "test/launcher-package.test.ts",
  "test/launcher.test.ts",
  "test/tidy.test.ts",
];

/** Ways to refer to Bun in code; `fork` starts the current runtime. */
const inCode = [
  String.raw`\bprocess\.(?:execPath|argv0|argv\[0\])`,
  String.raw`\bBun\.argv\[0\]`,
  String.raw`\bBun\.which\(\s*["'\x60]bunx?["'\x60]`,
  String.raw`\[\s*["'\x60]bunx?["'\x60]`,
  String.raw`\bfork\b[^"';]*\bfrom "(?:node:)?child_process"`,
];
const path = String.raw`node_modules\/(?:\.bin\/bunx?\b|bun\/bin\/)`;
/** Testing the file and asking for the version are harmless: Bun reads nothing of the folder then. */
const inShell = String.raw`"\$bun"(?! (?:\$flags |--version|\]))`;

export function runtimeProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => !definitions.includes(file) && !tests.includes(file))
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
