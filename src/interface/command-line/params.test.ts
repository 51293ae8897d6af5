import { expect, test } from "bun:test";
import { reservedFlags, reservedLetters } from "../../workflow/check/check-params.ts";
import { command as run } from "../commands/run.ts";
import { command as start } from "../commands/start.ts";
import { globalOptions } from "./options.ts";

test("every flag of run and start is reserved, so that no param can hide it", () => {
  const flags = [run.options, start.options, globalOptions]
    .flatMap((table) => Object.values(table))
    .map(({ flags: text }) => text);
  const words = flags.map((text) => /--(?:no-)?([\w-]+)/.exec(text)?.[1] ?? "");
  const letters = flags.flatMap((text) => /^-(\w),/.exec(text)?.[1] ?? []);
  expect(words.filter((word) => !reservedFlags.includes(word))).toEqual([]);
  // A param can have `-d` with run. With start, `-d` keeps its meaning, and the param has only its long flag.
  expect(letters.filter((letter) => !reservedLetters.includes(letter))).toEqual(["d"]);
  expect(Object.values(run.options).some(({ flags: text }) => text.startsWith("-d"))).toBe(false);
});
