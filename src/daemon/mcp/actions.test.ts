import { expect, test } from "bun:test";
import type { Action } from "../../protocol/action.ts";
import { adviceFor } from "./actions.ts";
import { clientTools, tools } from "./tools.ts";

const turn = tools.map(({ name }) => name);
const client = clientTools.map(({ name }) => name);

test.each<[Action, string]>([
  [{ do: "attach", target: "@a" }, "turn_list shows what its agents are doing"],
  [{ do: "stop", target: "@a" }, "workflow_stop stops it"],
  [{ do: "stop", target: "c@a" }, "agent_stop stops it"],
  [{ do: "choose-tag" }, "workflow_start with another `tag` starts a second instance"],
  [{ do: "choose-project", projects: ["/a", "/b"] }, "choose one with `project`"],
  [{ do: "list-workflows" }, "agent_list lists the agents of all workflows"],
  [{ do: "create-agent" }, "agent_create creates one"],
  [{ do: "create-agent", name: "zoe" }, "agent_create creates zoe"],
  [{ do: "list-approvals" }, "approval_list shows what is waiting for a person"],
  [{ do: "answer", approval: "a1" }, "approval_decide with an `answer` answers it"],
  [{ do: "remove", target: "c" }, ""],
  [{ do: "start-fresh" }, ""],
  [{ do: "list-proposals" }, ""],
  [{ do: "read-daemon-log" }, ""],
])("%j names a tool of a client: %s", (action, sentence) => {
  expect(adviceFor({ hint: undefined, actions: [action] }, client)).toBe(sentence);
});

test.each<[Action, string]>([
  [{ do: "list-proposals" }, "proposal_status lists them"],
  [{ do: "read-messages" }, "channel_read shows messages with their ids"],
  [{ do: "list-workflows" }, ""],
  [{ do: "stop", target: "@a" }, ""],
])("%j names a tool of a turn: %s", (action, sentence) => {
  expect(adviceFor({ hint: undefined, actions: [action] }, turn)).toBe(sentence);
});

test("the hint comes first", () => {
  const actions: Action[] = [{ do: "list-proposals" }, { do: "validate" }];
  expect(adviceFor({ hint: "look", actions }, turn)).toBe("look; proposal_status lists them");
});
