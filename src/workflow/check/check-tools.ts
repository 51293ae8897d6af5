/** Checks an agent's tools, MCP servers and skills: files exist, nothing is listed twice, sources of skills are valid. */
import { parseSkillSource, skillSourceForms, skillSourceText } from "../../protocol/definition/skill-source.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { visitTexts } from "../json.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";

/** Undefined if the file exists; it is never opened. */
export type FindFile = (path: string) => { problem: string; similar?: string | undefined } | undefined;

export function checkTools(agent: unknown, path: Path, findFile: FindFile = () => undefined): Finding[] {
  return [
    ...checkList(fieldOf(agent, "tools"), [...path, "tools"], findFile),
    ...entriesOf(fieldOf(agent, "mcp_servers")).flatMap(([name, server]) =>
      checkServer(server, [...path, "mcp_servers", name], findFile),
    ),
    ...checkSkills(fieldOf(agent, "skills"), [...path, "skills"], findFile),
  ];
}

function checkList(tools: unknown, path: Path, findFile: FindFile): Finding[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown, index): Finding[] => {
    const at = [...path, index];
    if (typeof tool !== "string") return [];
    if (tools.indexOf(tool) < index) return [{ severity: "error", message: `'${tool}' is listed twice`, path: at }];
    return isPath(tool) && /\.[mc]?[jt]s$/.test(tool) ? checkFile(tool, at, findFile) : [];
  });
}

function checkServer(server: unknown, path: Path, findFile: FindFile): Finding[] {
  const findings: Finding[] = [];
  visitTexts(server, path, (text, at) => {
    if (!text.includes("${{")) return;
    const hint = "in env and headers, $NAME reads the environment";
    findings.push({ severity: "warning", message: "${{ }} is not interpolated here", path: at, hint });
  });
  const command = fieldOf(server, "command");
  if (typeof command !== "string") return findings;
  if (/\s/.test(command) && fieldOf(server, "args") === undefined) {
    const [program, ...args] = command.trim().split(/\s+/);
    const hint = `write command: ${program} and args: [${args.join(", ")}]`;
    findings.push({
      severity: "warning",
      message: "this is the name of one program, with spaces in it",
      path: [...path, "command"],
      hint,
    });
  }
  return isPath(command) ? [...findings, ...checkFile(command, [...path, "command"], findFile)] : findings;
}

function checkSkills(skills: unknown, path: Path, findFile: FindFile): Finding[] {
  if (!Array.isArray(skills)) return [];
  return skills.flatMap((skill: unknown, index): Finding[] => {
    const text = skillSourceText(skill) ?? "";
    const at = [...path, index];
    if (text === "") return [];
    const source = parseSkillSource(text);
    if ("problem" in source) return [{ severity: "error", message: source.problem, path: at, hint: skillSourceForms }];
    return source.kind === "folder" && !source.path.startsWith("~") ? checkFile(source.path, at, findFile) : [];
  });
}

function checkFile(file: string, path: Path, findFile: FindFile): Finding[] {
  const missing = findFile(file);
  if (!missing) return [];
  const guess = missing.similar === undefined ? "" : `: did you mean '${missing.similar}'?`;
  const hint = "paths are relative to the workflow file";
  return [{ severity: "error", message: `${missing.problem}${guess}`, path, hint }];
}

/** Whether it is written as a path, not as a name to look up. */
function isPath(text: string): boolean {
  return /^(\.{1,2})?\//.test(text);
}
