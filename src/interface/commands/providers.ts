/** `providers`: shows which model providers have an API key; never shows the keys. */
import { factsOf, type ProviderName, providerNames } from "../../protocol/backend/model.ts";
import { defineCommand } from "../command-line/command.ts";
import { renderTable } from "../render/table.ts";

type ProviderState = {
  name: ProviderName;
  ready: boolean;
  /** The variable that holds its key, if one is set. */
  key: string | null;
  /** All variables that can hold its key. */
  keys: readonly string[];
  /** The variable with another address for it, if one is set. */
  address: string | null;
  /** The model that `model: auto` means in this environment. */
  auto: string | null;
};

export const command = defineCommand({
  arguments: {},
  options: {},
  details:
    "Reads the environment of this shell, which workflows that you start here also get. No key is shown or sent.",
  examples: [
    ["agent-worker providers", "see which providers can be used from here"],
    ["agent-worker providers --json", "print it as JSON"],
  ],
  async run({ session: { output, env } }) {
    const states = describeProviders(env);
    if (output.json) return output.printJson({ providers: states });
    const { style, width } = output.stdout;
    const rows = states.map((state) => [state.ready ? style.green("●") : style.dim("○"), state.name, describe(state)]);
    output.print(renderTable(rows, { width }));
    if (!states.some(({ key }) => key !== null)) {
      output.next("export ANTHROPIC_API_KEY=…", "then start the workflow from the same shell");
    }
  },
});

export function describeProviders(env: Record<string, string | undefined>): ProviderState[] {
  const states = providerNames.map((name) => {
    const { keys, address, model } = factsOf(name);
    const key = keys.find((variable) => env[variable]) ?? null;
    const override = address !== undefined && env[address] ? address : null;
    return {
      name,
      ready: keys.length === 0 || key !== null,
      key,
      keys,
      address: override,
      auto: key && (model ?? null),
    };
  });
  const first = states.find(({ key }) => key !== null);
  return states.map((state) => (state === first ? state : { ...state, auto: null }));
}

function describe({ name, key, keys, address, auto }: ProviderState): string {
  const parts = [
    key !== null ? `${key} is set` : keys.length > 0 ? `no key: set ${keys[0]}` : needs[name],
    address !== null && `at the address in ${address}`,
    auto !== null && `model: auto means ${name}/${auto}`,
  ];
  return parts.filter((part) => typeof part === "string").join(" · ");
}

const needs: Partial<Record<ProviderName, string>> = {
  "openai-compatible": "needs provider: { name, base_url, api_key } in the workflow file",
  ollama: "needs no key; expects Ollama to run on this machine",
};
