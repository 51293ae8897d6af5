/** The JSON Schema of the workflow file, for editors: generated from the schema that files are checked with. */
import { z } from "zod";
import { WorkflowDefinition } from "../protocol/definition/definition.ts";
import { isRecord, type JsonRecord } from "../text/json.ts";

/** What an editor shows for a key; the reference has the details. */
const descriptions: Record<string, string> = {
  name: "The workflow's name (default: the file's name without extension)",
  agents: "The team: at least one agent, by name",
  "agents.*.backend": "The backend that runs this agent",
  "agents.*.model": "The model, such as anthropic/claude-sonnet-4-5",
  "agents.*.provider": "The provider that hosts the model: a name, or a map with its URL and key",
  "agents.*.max_tokens": "Maximum number of tokens in one response",
  "agents.*.max_steps": "Maximum number of steps in the tool loop of one turn",
  "agents.*.history": "Whether each turn starts fresh or continues the agent's thread",
  "agents.*.command": "Program and arguments, for backends that run a program",
  "agents.*.system_prompt": "Text, or the path of an .md or .txt file relative to this one",
  "agents.*.description": "One line for its teammates",
  "agents.*.tools": "Its tools besides the channel: built-in tools, and modules such as ./my-tools.ts",
  "agents.*.mcp_servers": "MCP servers whose tools it can use: programs and URLs, by name",
  "agents.*.skills":
    "Skills in addition to those of the project and the home folder: folders and repositories; false: none",
  "agents.*.timeout": "Maximum duration of one turn",
  "agents.*.idle_timeout": "Maximum time without progress in one turn",
  "agents.*.retry": "How often and how soon a failed turn is retried",
  "agents.*.cwd": "The working directory of its tools",
  "agents.*.env": "Added to the environment of its tools",
  "agents.*.schedule": "When it gets a scheduled message: an interval such as 5m, or a cron expression",
  "agents.*.schedule_prompt": "The text of the scheduled message",
  "agents.*.ref": "A standalone agent to borrow",
  "agents.*.prompt": "Text to append to the prompt of a borrowed agent",
  "agents.*.script": "What a mock does, turn by turn",
  context: "What the team shares; false: nothing, so only tasks can send messages to the agents",
  params: "Typed inputs of run and start, passed as flags",
  setup: "Shell steps, run in order before anything else",
  tasks: "Steps that run in order before the kickoff",
  kickoff: "The first message, from user; it wakes the agents that it @mentions",
  schedule: "For agents without their own schedule: an interval such as 1h, or a cron expression",
  limits: "Limits of the whole workflow",
};

/** JSON Schema draft 2020-12, which most editors support. */
export function workflowJsonSchema(): JsonRecord {
  const generated = z.toJSONSchema(WorkflowDefinition, {
    io: "input",
    override({ jsonSchema }) {
      // A default in milliseconds is not how a file writes a duration.
      if (jsonSchema.type === "string" && typeof jsonSchema.default === "number") delete jsonSchema.default;
    },
  });
  // The only recursive schema gets a readable name.
  const schema: JsonRecord = JSON.parse(JSON.stringify(generated).replaceAll("__schema0", "task"));
  for (const [path, description] of Object.entries(descriptions)) describe(schema, path.split("."), description);
  const { required, ...rest } = schema;
  return {
    ...rest,
    title: "agent-worker workflow",
    description: "A team of agents and its work",
    // The default is the name of the file.
    required: Array.isArray(required) ? required.filter((key) => key !== "name") : [],
  };
}

/** Adds a description to the schema of one key; `*` is every key of a map. */
function describe(schema: unknown, [key, ...rest]: string[], description: string): void {
  if (!isRecord(schema) || key === undefined) return;
  const inner =
    key === "*" ? schema.additionalProperties : isRecord(schema.properties) ? schema.properties[key] : undefined;
  if (rest.length > 0) return describe(inner, rest, description);
  if (isRecord(inner)) inner.description ??= description;
}
