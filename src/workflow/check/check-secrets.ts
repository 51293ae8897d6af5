/** Finds keys in plain text in a workflow, because its file is stored, displayed and shared. */
import { containsKey, isSecretName } from "../../text/redact.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { visitTexts } from "../json.ts";

/** Where to look for keys: in what is passed to programs and servers, not in prompts. */
const passed = ["env", "headers"];
const secretHeader = /^(authorization|cookie)$/i;
/** Looks random: not a word; a path is excluded. */
const random = /^(?![./~])(?=.*[A-Za-z])(?=.*\d)[\w.~+/=-]{20,}$/;

/** A value with the format of a key is an error; one that only its name marks as a secret is a warning. */
export function checkSecrets(workflow: unknown): Finding[] {
  const findings: Finding[] = [];
  visitTexts(workflow, [], (text, path) => {
    const isServers = path.includes("mcp_servers");
    if (!isServers && !passed.includes(String(path.at(-2)))) return;
    const variable = variableOf(path);
    const hint = isServers ? variableHint(path) : `write "\${{ env.${variable} }}", and set that variable`;
    const at = { path, hint };
    if (containsKey(text)) {
      findings.push({ severity: "error", message: "this is a key: do not put keys in a file", ...at });
    } else if (isSecret(String(path.at(-1))) && random.test(text.replace(/^(Bearer|Basic) /i, ""))) {
      findings.push({
        severity: "warning",
        message: "this looks like a secret, and it is stored in plain text",
        ...at,
      });
    }
  });
  return findings;
}

function isSecret(name: string): boolean {
  return secretHeader.test(name) || isSecretName(name.replaceAll("-", "_"));
}

function variableHint(path: Path): string {
  if (passed.includes(String(path.at(-2)))) return `write $${variableOf(path)}, and set that variable`;
  return "pass it in env or headers, where $NAME reads the environment";
}

/** A suitable name for the environment variable. */
function variableOf(path: Path): string {
  const name = String(path.at(-1));
  return /^\w+$/.test(name) && path.at(-2) === "env" ? name : "MY_KEY";
}
