import { expect, test } from "bun:test";
import type { Action } from "../../protocol/action.ts";
import { AppError } from "../../protocol/error.ts";
import { adviceFor } from "./actions.ts";

function advice(...actions: Action[]): string {
  return adviceFor({ hint: undefined, actions });
}

test.each<[Action, string]>([
  [{ do: "attach", target: "@a:b" }, "agent-worker attach @a:b shows it live"],
  [{ do: "start", target: "@a" }, "agent-worker start @a starts it"],
  [{ do: "start-fresh" }, "run or start it with --fresh to start over"],
  [{ do: "stop", target: "c@a" }, "agent-worker stop c@a stops it"],
  [{ do: "remove", target: "c" }, "agent-worker rm c removes it"],
  [{ do: "choose-tag" }, "--tag <tag> starts another instance"],
  [{ do: "choose-project", projects: ["/a", "/b"] }, "choose one with --project <folder>"],
  [{ do: "list-workflows" }, "agent-worker ls lists workflows and agents"],
  [{ do: "create-agent" }, "agent-worker new <name> creates one"],
  [{ do: "create-agent", name: "zoe" }, "agent-worker new zoe creates it"],
  [{ do: "list-tools", target: "c@a" }, "agent-worker tool list c@a shows its tools, and where each comes from"],
  [{ do: "add-tool", target: "c@a", tool: "bash" }, "agent-worker tool add c@a bash gives it that tool"],
  [{ do: "import-tools", target: "c@a" }, "agent-worker tool import c@a <file> adds the tools of a module"],
  [{ do: "read-messages" }, "agent-worker peek shows messages with their ids"],
  [{ do: "list-approvals" }, "agent-worker pending shows what is waiting for you"],
  [{ do: "answer", approval: "a1" }, 'agent-worker answer a1 "…" answers it'],
  [{ do: "list-proposals" }, "agent-worker proposals lists them"],
  [{ do: "validate" }, "agent-worker validate <file> shows every error"],
  [{ do: "overwrite" }, "--force replaces it"],
  [{ do: "read-daemon-log" }, "agent-worker daemon logs shows the details"],
])("%j is shown as a command", (action, sentence) => {
  expect(advice(action)).toBe(sentence);
});

test("the hint comes first, then each action", () => {
  const error = new AppError("conflict", "no", {
    hint: "wait",
    actions: [{ do: "stop", target: "@a" }, { do: "choose-tag" }],
  });
  expect(adviceFor(error)).toBe("wait; agent-worker stop @a stops it; --tag <tag> starts another instance");
});

test("nothing to advise is an empty text", () => {
  expect(advice()).toBe("");
});

test("an unknown subcommand, from a later version, is left out", () => {
  const error = AppError.fromBody(
    JSON.parse('{"error":{"code":"usage","message":"no","actions":[{"do":"dance"},{"do":"validate"}]}}'),
  );
  expect(error && adviceFor(error)).toBe("agent-worker validate <file> shows every error");
});
