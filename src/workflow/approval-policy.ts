/**
 * Decides which tool calls need approval: applies an agent's `approval` policy to one call.
 *
 * An entry names a tool (`bash`), some of its calls (`bash(git push*)`) or several tools (`*`, `github_*`). `*` matches
 * any text, and names are case-insensitive. Entries about calls take precedence over entries about a tool, and those over
 * entries with `*` in the name. When several entries match, the strictest mode wins. A call that no entry matches is
 * made without asking.
 */
import type { ApprovalMode } from "../protocol/approval.ts";
import { canonicalJson } from "../system/canonical-json.ts";
import { possibleCommands } from "./shell/possible-commands.ts";

export type ApprovalPolicy = Record<string, ApprovalMode>;

const entryForm = /^([\w*.:/-]{1,200})(?:\(([^]{1,1000})\))?$/;
const strictness: ApprovalMode[] = ["auto", "ask", "deny"];
/**
 * The argument that a pattern of calls is matched against: for our tools and for Claude Code's. For any other tool it
 * is matched against all arguments as JSON, because we cannot know which of them matter.
 */
const subjectKeys: Record<string, string> = {
  bash: "command",
  read_file: "path",
  write_file: "path",
  edit_file: "path",
  list_files: "path",
  search_code: "path",
  Bash: "command",
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "path",
  Grep: "path",
};
/** Syntax that combines or nests commands: the shell would run more than the pattern has matched. */
const compound = /[;&|<>`\n\r\\()]|\$[({]/;
const separators = /(?:[;&|\n\r`(){}]|\$\()+/;
/** What can precede a command: shell keywords and variable assignments. */
const prelude =
  /^\s*(?:(?:if|then|elif|else|while|until|do|time|!)\s+|[A-Za-z_]\w*\+?=(?:"[^"]*"|'[^']*'|[^\s"'])*\s+)/;
const maxPreludes = 20;

/** Why `entry` is not a valid key of a policy; undefined if it is valid. */
export function policyEntryProblem(entry: string): string | undefined {
  if (entryForm.test(entry)) return undefined;
  return `'${entry}' is not a policy entry: name a tool (bash), some of its calls ("bash(git push*)") or all tools ("*")`;
}

/** The tool that an entry names; undefined if it matches several. */
export function toolOfPolicyEntry(entry: string): string | undefined {
  const name = entryForm.exec(entry)?.[1];
  return name === undefined || name.includes("*") ? undefined : name;
}

/** What a call acts on, such as one file, in all its spellings. */
export type Subject = {
  /** What it really is, such as the path of a file with links resolved: an `auto` pattern must match one of these. */
  resolved: string[];
  /** How the call spells it: `ask` and `deny` patterns match these too. */
  asGiven: string[];
};

export type Call = {
  tool: string;
  /** Other names of the tool, such as our name for one of Claude Code's. */
  also?: string[];
  args: Record<string, unknown>;
  /** Set if the caller knows more than the arguments show. */
  subjects?: Subject[] | undefined;
};

export function decideCall(policy: ApprovalPolicy | undefined, call: Call): ApprovalMode {
  return modeFor(policy, call) ?? "auto";
}

/** Undefined if no entry matches. For a tool with several names, `*` counts only if no entry names one of them. */
export function modeFor(policy: ApprovalPolicy | undefined, call: Call): ApprovalMode | undefined {
  const found = [call.tool, ...(call.also ?? [])].map((name) => matchingModes(policy, name, call));
  const named = found.flatMap(({ byCall, byTool }) => (byCall.length > 0 ? byCall : byTool));
  return strictest(named.length > 0 ? named : found.flatMap(({ byWildcard }) => byWildcard));
}

function matchingModes(policy: ApprovalPolicy | undefined, tool: string, call: Call) {
  const found: Record<"byCall" | "byTool" | "byWildcard", ApprovalMode[]> = { byCall: [], byTool: [], byWildcard: [] };
  for (const [entry, mode] of Object.entries(policy ?? {})) {
    const [, name = "", calls] = entryForm.exec(entry) ?? [];
    if (!matches(name.toLowerCase(), tool.toLowerCase())) continue;
    if (calls !== undefined && !matchesCall(calls, call, mode)) continue;
    found[calls !== undefined ? "byCall" : name.includes("*") ? "byWildcard" : "byTool"].push(mode);
  }
  return found;
}

function strictest(modes: ApprovalMode[]): ApprovalMode | undefined {
  return strictness.findLast((mode) => modes.includes(mode));
}

/** The argument that a pattern of calls is matched against; undefined if it is all of them. */
export function subjectKey(tool: string): string | undefined {
  return Object.hasOwn(subjectKeys, tool) ? subjectKeys[tool] : undefined;
}

/**
 * An `auto` pattern must match the whole command. For `ask` and `deny` it is enough if any command in it matches,
 * however it is spelled, or if that cannot be ruled out because a word is known only when the command runs.
 */
function matchesCall(pattern: string, call: Call, mode: ApprovalMode): boolean {
  const { tool, subjects = subjectsIn(call) } = call;
  if (subjects.length === 0) return mode !== "auto";
  const isCommand = subjectKey(tool) === "command";
  if (mode === "auto") {
    return subjects.every(({ resolved }) =>
      resolved.some((text) => !(isCommand && compound.test(text)) && matches(pattern, text)),
    );
  }
  const texts = subjects.flatMap(({ resolved, asGiven }) => [...resolved, ...asGiven]);
  const parts = isCommand ? texts.flatMap((text) => [text, ...text.split(separators)].flatMap(withoutPrelude)) : [];
  if ([...texts, ...parts].some((text) => matches(pattern, text.trim()))) return true;
  const commands = isCommand ? texts.flatMap((text) => possibleCommands(text)) : [];
  return commands.some(({ text, open }) => (open ? mayMatch(pattern, text) : matches(pattern, text)));
}

/** Whether a text of which only the beginning is known can match. */
function mayMatch(pattern: string, beginning: string): boolean {
  const [start = ""] = pattern.split("*");
  return start.startsWith(beginning) || beginning.startsWith(start);
}

/** The command as given, then with one more keyword or assignment removed from its start each time. */
function withoutPrelude(command: string): string[] {
  const found = [command];
  for (let rest = command; found.length <= maxPreludes; found.push(rest)) {
    const [start] = prelude.exec(rest) ?? [];
    if (start === undefined) break;
    rest = rest.slice(start.length);
  }
  return found;
}

/** Derived from the arguments alone; empty if they do not show it. */
function subjectsIn({ tool, args }: Call): Subject[] {
  const key = subjectKey(tool);
  if (key === undefined) return [{ resolved: [canonicalJson(args)], asGiven: [] }];
  const given = args[key] ?? (key === "path" ? "." : undefined);
  if (typeof given !== "string") return [];
  return [{ resolved: [key === "command" ? given.trim() : normalizePath(given.trim())], asGiven: [] }];
}

/** Removes `.` and `..`, so that a path cannot escape the folder that a pattern names. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  const isAbsolute = path.startsWith("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return `${isAbsolute ? "/" : ""}${parts.join("/")}`;
}

/** `*` matches any text; the space before a final `*` is optional, so that `git push *` also matches `git push`. */
function matches(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matches(pattern.slice(0, -2), text)) return true;
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined) return text === pattern;
  if (!text.startsWith(start) || !text.endsWith(end)) return false;
  // Taking the first match of each part is enough, so there is no backtracking.
  let index = start.length;
  for (const part of parts) {
    const found = text.indexOf(part, index);
    if (found < 0) return false;
    index = found + part.length;
  }
  return index <= text.length - end.length;
}
