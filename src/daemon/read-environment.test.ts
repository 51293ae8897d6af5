import { expect, test } from "bun:test";
import { readEnvironment } from "./read-environment.ts";

const own = { PATH: "/bin" };
const stdinOf = (text: string) => new Blob([text]).stream();

test("the environment is read from stdin", async () => {
  expect(await readEnvironment(stdinOf('{"SOME_KEY":"secret"}'), own)).toEqual({ SOME_KEY: "secret" });
});

test("an empty stdin means the process's own environment", async () => {
  expect(await readEnvironment(stdinOf(""), own)).toEqual(own);
  expect(await readEnvironment(undefined, own)).toEqual(own);
});

test("an incomplete environment is refused", async () => {
  await expect(readEnvironment(stdinOf('{"SOME_KEY":"sec'), own)).rejects.toThrow();
});
