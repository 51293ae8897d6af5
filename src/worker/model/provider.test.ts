import { expect, test } from "bun:test";
import { agentEnvironment, resolveProvider } from "./provider.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";

const settings = { name: "lab", base_url: "https://lab.test/v1", api_key: "$LAB_KEY" };

test("a string is the provider's name", () => {
  expect(resolveProvider(undefined, {})).toEqual({});
  expect(resolveProvider("openai", {})).toEqual({ name: "openai" });
});

test("reads $NAME from the environment, for the key and for the base URL", () => {
  const env = { LAB_KEY: "k-123", LAB_URL: "http://127.0.0.1:1/v1" };
  expect(resolveProvider(settings, env)).toEqual({
    name: "lab",
    baseUrl: "https://lab.test/v1",
    apiKey: "k-123",
    keyVariable: "LAB_KEY",
  });
  expect(resolveProvider({ ...settings, base_url: "$LAB_URL" }, env)).toMatchObject({ baseUrl: env.LAB_URL });
});

const unset: Record<string, string>[] = [{}, { LAB_KEY: "" }];

test.each(unset)("a variable that is not set is a missing credential, with its name", (env) => {
  expect(resolveProvider(settings, env)).toEqual({
    failure: { kind: "credentials", message: expect.stringContaining("set LAB_KEY in the environment") },
  });
});

test("the agent's env takes precedence over the caller's", () => {
  const spec = turnSpec(
    { url: "", token: "" },
    { env: { LAB_KEY: "own" } },
    { env: { LAB_KEY: "caller", OTHER: "1" } },
  );
  expect(agentEnvironment(spec)).toEqual({ LAB_KEY: "own", OTHER: "1" });
});
