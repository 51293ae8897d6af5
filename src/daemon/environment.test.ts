import { expect, test } from "bun:test";
import { readEnvironment } from "./environment.ts";

const own = { PATH: "/bin" };
const saying = (text: string) => new Blob([text]).stream();

test("what is said on stdin is the environment", async () => {
  expect(await readEnvironment(saying('{"SOME_KEY":"secret"}'), own)).toEqual({ SOME_KEY: "secret" });
});

test("without a word it is the process's own", async () => {
  expect(await readEnvironment(saying(""), own)).toEqual(own);
  expect(await readEnvironment(undefined, own)).toEqual(own);
});

test("half of one is refused", async () => {
  await expect(readEnvironment(saying('{"SOME_KEY":"sec'), own)).rejects.toThrow();
});
