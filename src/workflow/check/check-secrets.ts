/** Finds keys that stand in a workflow in clear: what is written there is stored, shown and shared. */
import { holdsKey, isSecretName } from "../../text/redact.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { visitTexts } from "../json.ts";

/** Where keys are looked for: what is handed to programs and servers, not what is said to models. */
const handed = ["env", "headers"];
const secretHeader = /^(authorization|cookie)$/i;
/** No word of a language is like this; a path may be. */
const random = /^(?![./~])(?=.*[A-Za-z])(?=.*\d)[\w.~+/=-]{20,}$/;

/** A key by its form is refused; what is a secret by its name alone may be none. */
export function checkSecrets(workflow: unknown): Finding[] {
  const findings: Finding[] = [];
  visitTexts(workflow, [], (text, path) => {
    const isServers = path.includes("mcp_servers");
    if (!isServers && !handed.includes(String(path.at(-2)))) return;
    const at = { path, hint: isServers ? variableHint(path) : `write "\${{ env.${variableOf(path)} }}", and set that` };
    if (holdsKey(text)) {
      findings.push({ severity: "error", message: "this is a key: no key belongs in a file", ...at });
    } else if (isSecret(String(path.at(-1))) && random.test(text.replace(/^(Bearer|Basic) /i, ""))) {
      findings.push({ severity: "warning", message: "this looks like a secret: it is stored as it stands", ...at });
    }
  });
  return findings;
}

function isSecret(name: string): boolean {
  return secretHeader.test(name) || isSecretName(name.replaceAll("-", "_"));
}

function variableHint(path: Path): string {
  if (handed.includes(String(path.at(-2)))) return `write $${variableOf(path)}, and set that in the environment`;
  return "in env and headers, $NAME reads the environment: hand it over there";
}

/** A name that the variable could have. */
function variableOf(path: Path): string {
  const name = String(path.at(-1));
  return /^\w+$/.test(name) && path.at(-2) === "env" ? name : "MY_KEY";
}
