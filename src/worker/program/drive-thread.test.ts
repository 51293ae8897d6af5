import { expect, test } from "bun:test";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { failed } from "../backends/backend.ts";
import { driveThread } from "./drive-thread.ts";

const place = { url: "http://127.0.0.1:1/mcp", token: "turn-token" };
const gone = "No conversation found with session ID: s1";

/** The events of a program that prints these lines: `say` is its text, and the last `fail` its outcome. */
async function play(script: (spec: TurnSpec) => string, conversation: string | undefined) {
  const spec = turnSpec(place, { backend: "claude", command: ["/bin/sh", "-c"] }, { conversation });
  const { signal } = new AbortController();
  const turn = driveThread("claude", spec, { env: spec.env, provider: {}, signal }, (from) => {
    let failure: string | undefined;
    return {
      call: { args: [script(from)], env: {}, input: "" },
      reader: {
        *read({ say, fail }) {
          if (typeof say === "string") yield { type: "text-delta", text: say };
          if (typeof fail === "string") failure = fail;
        },
        fatal: () => undefined,
        usage: () => undefined,
        outcome: () => (failure === undefined ? { status: "succeeded", text: "" } : failed("transient", failure)),
      },
    };
  });
  return Array.fromAsync(turn);
}

const print = (line: object) => `echo '${JSON.stringify(line)}'`;
const failing = ({ conversation }: TurnSpec) => print(conversation === undefined ? { say: "hello" } : { fail: gone });

test("a lost session is reported, and the turn starts without one", async () => {
  expect(await play(failing, '{"session":"s1"}')).toMatchObject([
    { type: "thread-lost", reason: "Claude Code: No conversation found with session ID" },
    { type: "text-delta", text: "hello" },
    { type: "turn-end", outcome: { status: "succeeded" } },
  ]);
});

test.each([
  [
    "a program that has already printed text",
    () => `${print({ say: "hm" })}; ${print({ fail: gone })}`,
    '{"session":"s1"}',
  ],
  ["a program that had no session to resume", () => print({ fail: gone }), undefined],
  ["a program that failed for another reason", () => print({ fail: "API Error: 503" }), '{"session":"s1"}'],
])("the failure of %s is not a lost session", async (_, script, conversation) => {
  const events = await play(script, conversation);
  expect(events.map(({ type }) => type)).not.toContain("thread-lost");
  expect(events.at(-1)).toMatchObject({ outcome: { status: "failed" } });
});
