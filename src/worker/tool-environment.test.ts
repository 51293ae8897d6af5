import { expect, test } from "bun:test";
import { toolEnvironment } from "./tool-environment.ts";

test("passes what programs need, and no possible secrets", () => {
  const caller = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    ANTHROPIC_API_KEY: "secret",
    MY_TOKEN: "secret",
    LD_PRELOAD: "/evil.so",
    BASH_ENV: "/evil",
  };
  expect(toolEnvironment(caller, {})).toEqual({ PATH: "/bin", HOME: "/home/a", LC_ALL: "C" });
});

test("the agent's env takes precedence", () => {
  expect(toolEnvironment({ CI: "0" }, { CI: "1", TARGET: "x" })).toMatchObject({ CI: "1", TARGET: "x" });
});

test("there is always a PATH", () => {
  expect(toolEnvironment({}, {}).PATH).toContain("/bin");
});
