/** The JSON Schema of the workflow file, for editors: made from the schema that files are checked with. */
import { z } from "zod";
import { WorkflowDefinition } from "../protocol/definition/definition.ts";
import { isRecord, type JsonRecord } from "../text/json.ts";

/** What an editor shows beside a key; the reference page tells the rest. */
const descriptions: Record<string, string> = {
  name: "The workflow's name; the file's name without extension unless said",
  agents: "The team: at least one agent, by name",
  "agents.*.backend": "The runtime that plays this agent",
  "agents.*.model": "The model, such as anthropic/claude-sonnet-4-5",
  "agents.*.provider": "Who hosts the model: a name, or its address and key",
  "agents.*.max_tokens": "The longest that one response may be",
  "agents.*.max_steps": "How many steps one turn's tool loop may take",
  "agents.*.history": "Whether its next turn sees its earlier conversation",
  "agents.*.command": "Program and arguments, for backends that drive one",
  "agents.*.system_prompt": "Text, or the path of an .md or .txt file beside this one",
  "agents.*.description": "One line for its teammates",
  "agents.*.tools": "What it may use besides the channel: built-in tools, and modules such as ./my-tools.ts",
  "agents.*.mcp_servers": "MCP servers whose tools it may use: programs and addresses, by name",
  "agents.*.skills": "Skills besides those of the project and the home folder: folders and repositories; false: none",
  "agents.*.timeout": "The longest that one turn may take",
  "agents.*.idle_timeout": "The longest that one turn may go without a sign of progress",
  "agents.*.retry": "How often and how soon a failed turn is tried again",
  "agents.*.cwd": "Where its tools work",
  "agents.*.env": "Added to the environment of its tools",
  "agents.*.schedule": "When the clock sends it a message: an interval such as 5m, or a cron expression",
  "agents.*.schedule_prompt": "What the clock says",
  "agents.*.ref": "A standalone agent, borrowed as it is",
  "agents.*.prompt": "What a borrowed agent is told besides its own prompt",
  "agents.*.script": "What a mock does, turn by turn",
  context: "What the team shares; false: nothing, so only tasks can speak to the agents",
  params: "Typed inputs of run and start, given as flags",
  setup: "Shell steps, run in order before anything else",
  tasks: "Steps that run in order before the kickoff",
  kickoff: "The first message, from user; it wakes whom it @mentions",
  schedule: "For agents without one of their own: an interval such as 1h, or a cron expression",
  limits: "What the kernel stops",
};

/** Draft 2020-12, as most editors read it. */
export function workflowJsonSchema(): JsonRecord {
  const made = z.toJSONSchema(WorkflowDefinition, {
    io: "input",
    override({ jsonSchema }) {
      // The program's own form of a duration, in milliseconds, is not what a file says.
      if (jsonSchema.type === "string" && typeof jsonSchema.default === "number") delete jsonSchema.default;
    },
  });
  // The one shape that refers to itself gets a name that says what it is.
  const schema: JsonRecord = JSON.parse(JSON.stringify(made).replaceAll("__schema0", "task"));
  for (const [path, description] of Object.entries(descriptions)) describe(schema, path.split("."), description);
  const { required, ...rest } = schema;
  return {
    ...rest,
    title: "agent-worker workflow",
    description: "A team of agents, and what it is to do",
    // A file is named by its file name.
    required: Array.isArray(required) ? required.filter((key) => key !== "name") : [],
  };
}

/** Adds a description to the schema of one key; `*` stands for every key of a map. */
function describe(schema: unknown, [key, ...rest]: string[], description: string): void {
  if (!isRecord(schema) || key === undefined) return;
  const inner =
    key === "*" ? schema.additionalProperties : isRecord(schema.properties) ? schema.properties[key] : undefined;
  if (rest.length > 0) return describe(inner, rest, description);
  if (isRecord(inner)) inner.description ??= description;
}
