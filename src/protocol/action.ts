/** What a user can do about an error, as data. Each interface turns an action into a command, a button or the name of a tool. */
import { z } from "zod";

/** A workflow or an agent, as people write it: `@review`, `coder@review:pr-1`. */
const target = z.string();

export const Action = z.discriminatedUnion("do", [
  z.object({ do: z.literal("attach"), target }).describe("Watch it live."),
  z.object({ do: z.literal("start"), target }).describe("Start it."),
  z.object({ do: z.literal("start-fresh") }).describe("Start it again without its history."),
  z.object({ do: z.literal("stop"), target }).describe("Stop it."),
  z.object({ do: z.literal("remove"), target }).describe("Remove it."),
  z.object({ do: z.literal("choose-tag") }).describe("Start another instance, with another tag."),
  z
    .object({ do: z.literal("choose-project"), projects: z.array(z.string()) })
    .describe("Choose one of these projects."),
  z.object({ do: z.literal("list-workflows") }).describe("List workflows and agents."),
  z.object({ do: z.literal("create-agent"), name: z.string().optional() }).describe("Create a standalone agent."),
  z.object({ do: z.literal("list-tools"), target }).describe("List an agent's tools."),
  z.object({ do: z.literal("add-tool"), target, tool: z.string() }).describe("Give an agent a built-in tool."),
  z.object({ do: z.literal("import-tools"), target }).describe("Give an agent the tools of a module."),
  z.object({ do: z.literal("read-messages") }).describe("Read the latest messages, to find an id."),
  z.object({ do: z.literal("list-approvals") }).describe("List what is waiting for a person."),
  z
    .object({ do: z.literal("read-approval"), approval: z.string() })
    .describe("Read one approval, with its arguments whole."),
  z.object({ do: z.literal("answer"), approval: z.string() }).describe("Answer an agent's question."),
  z.object({ do: z.literal("list-proposals") }).describe("List proposals."),
  z.object({ do: z.literal("validate") }).describe("Check the workflow file."),
  z.object({ do: z.literal("overwrite") }).describe("Do it again and replace what is there."),
  z.object({ do: z.literal("read-daemon-log") }).describe("Read the daemon's log."),
]);
export type Action = z.infer<typeof Action>;
