/** Replaces `$NAME` in the headers and environments of MCP servers, so that workflow files contain no keys. */
import { ToolSetupError } from "../tool-setup-error.ts";

const variable = /\$(?:(\$)|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/**
 * Replaces the variables in every value; `$$` is a dollar sign. A variable that is not set parks the turn until a
 * person sets it.
 */
export function fillVariables(
  values: Record<string, string>,
  env: Record<string, string>,
  label: string,
): Record<string, string> {
  const fill = (text: string) =>
    text.replaceAll(variable, (_, dollar?: string, braced?: string, bare?: string) => {
      if (dollar !== undefined) return "$";
      const name = braced ?? bare ?? "";
      const value = env[name];
      if (value === undefined || value === "") {
        throw new ToolSetupError(
          "credentials",
          `${label} needs $${name}, which is not set: set it in the environment, then resume`,
        );
      }
      return value;
    });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}
