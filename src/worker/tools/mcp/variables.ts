/** `$NAME` in the headers and environments of MCP servers, so that no key has to stand in a workflow file. */
import { ToolTrouble } from "../trouble.ts";

const variable = /\$(?:(\$)|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Every value with its variables filled in; `$$` is a dollar. What is not set parks the turn, for a person can set it. */
export function fillVariables(
  values: Record<string, string>,
  env: Record<string, string>,
  whose: string,
): Record<string, string> {
  const fill = (text: string) =>
    text.replaceAll(variable, (_, dollar?: string, braced?: string, bare?: string) => {
      if (dollar !== undefined) return "$";
      const name = braced ?? bare ?? "";
      const value = env[name];
      if (value === undefined || value === "") {
        throw new ToolTrouble(
          "credentials",
          `${whose} needs $${name}, which is not set: set it in the environment, then resume`,
        );
      }
      return value;
    });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}
