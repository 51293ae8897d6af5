/** The programs that backends drive: everything that differs between them and is used outside a backend's own code. */

/** Every fact is required, so that a new program cannot miss one. */
export type ProgramFacts = {
  /** The product's name. */
  name: string;
  /** The executable to look for on PATH. */
  program: string;
  install: string;
  login: string;
  /** Arguments that make it report whether it is logged in; they must work outside a project. Undefined if it cannot. */
  status: { args: readonly string[]; loggedIn: RegExp; loggedOut: RegExp } | undefined;
  /** Environment variables that replace a login. */
  variables: readonly string[];
  /** Keys of model providers that it also reads from its environment. */
  providerKeys: readonly string[];
  /** Environment variables with its settings. Variables with keys are excluded, whatever their names. */
  settings: RegExp;
  /** Environment variables of other accounts that it can use, by the variable that makes it use them. */
  accounts: Readonly<Record<string, RegExp>>;
  /** Whether its models are named `provider/model`, so that the name of a backend can also be a provider. */
  modelHasProvider: boolean;
  /**
   * How it reports an unknown session. People delete sessions, and so do the programs after a while. Undefined if its
   * turns are independent.
   */
  lostSession: RegExp | undefined;
  /** Flags that let it bypass approvals and mocks. */
  bypass: readonly BypassFlag[];
};

/** Its value follows `=` or is the next argument; values that `unless` matches bypass nothing. */
export type BypassFlag = { names: readonly string[]; unless?: RegExp };

export const programs = {
  claude: {
    name: "Claude Code",
    program: "claude",
    install: "install it with `npm install -g @anthropic-ai/claude-code`",
    login: "run `claude` and enter /login, or set ANTHROPIC_API_KEY",
    status: { args: ["auth", "status"], loggedIn: /"loggedIn":\s*true/, loggedOut: /"loggedIn":\s*false/ },
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    providerKeys: [],
    // Exclude what Claude Code sets for a Claude Code that it starts itself: ours is independent of it.
    settings:
      /^(ANTHROPIC|CLAUDE(?!_CODE_(ENTRYPOINT|CHILD|SESSION|MESSAGING))|DISABLE)_\w+$|^(BASH_(DEFAULT|MAX)_\w+|MCP_(TOOL_)?TIMEOUT|API_TIMEOUT_MS|MAX_THINKING_TOKENS|CLOUD_ML_REGION)$/,
    // The clouds that it uses instead of Anthropic, if it is configured to.
    accounts: {
      CLAUDE_CODE_USE_BEDROCK: /^AWS_\w+$/,
      CLAUDE_CODE_USE_VERTEX: /^(GOOGLE_APPLICATION_CREDENTIALS|GCLOUD_PROJECT|GOOGLE_CLOUD_PROJECT|VERTEX_\w+)$/,
    },
    modelHasProvider: false,
    lostSession: /no conversation found with session id/i,
    bypass: [
      { names: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"] },
      { names: ["--permission-mode"], unless: /^(?:default|plan|dontAsk)$/ },
      { names: ["--allowedTools", "--allowed-tools", "--settings"] },
    ],
  },
  codex: {
    name: "Codex",
    program: "codex",
    install: "install it with `npm install -g @openai/codex`",
    login: "run `codex login`, or set CODEX_API_KEY",
    status: { args: ["login", "status"], loggedIn: /^logged in/im, loggedOut: /^not logged in/im },
    variables: ["CODEX_API_KEY"],
    providerKeys: ["OPENAI_API_KEY"],
    settings: /^(CODEX_\w+|OPENAI_BASE_URL|RUST_LOG)$/,
    accounts: {},
    modelHasProvider: false,
    lostSession: /no rollout found for thread id|missing source rollout/i,
    bypass: [
      { names: ["--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto"] },
      { names: ["--sandbox", "-s"], unless: /^read-only$/ },
      { names: ["--config", "-c"], unless: /^(?!\s*["']?(?:sandbox|approval|profile|permission|default_permission))/ },
      // A profile can set another sandbox.
      { names: ["--profile", "-p"] },
    ],
  },
  cursor: {
    name: "Cursor",
    program: "cursor-agent",
    install: "install it as described at https://cursor.com/cli",
    login: "run `cursor-agent login`, or set CURSOR_API_KEY",
    status: { args: ["status"], loggedIn: /(?<!not )logged in/i, loggedOut: /not logged in/i },
    variables: ["CURSOR_API_KEY"],
    providerKeys: [],
    settings: /^CURSOR_\w+$/,
    accounts: {},
    modelHasProvider: false,
    lostSession: undefined,
    bypass: [{ names: ["--force", "-f", "--yolo"] }],
  },
  opencode: {
    name: "OpenCode",
    program: "opencode",
    install: "install it with `npm install -g opencode-ai`",
    login: "run `opencode auth login`, or set the API key of a provider",
    status: { args: ["auth", "list"], loggedIn: /[1-9]\d* (credential|environment)/, loggedOut: /\b0 credentials/ },
    variables: [],
    // Its shell inherits its environment: it gets its key in a file.
    providerKeys: [],
    settings: /^OPENCODE_\w+$/,
    accounts: {},
    modelHasProvider: true,
    lostSession: /session not found/i,
    bypass: [],
  },
} as const satisfies Record<string, ProgramFacts>;

/** The backends that drive a program. */
export type ProgramBackend = keyof typeof programs;
export const programBackends = Object.keys(programs).filter(isProgramBackend);

/** Those of them that can resume a session. */
export type ThreadBackend = {
  [Name in ProgramBackend]: (typeof programs)[Name]["lostSession"] extends RegExp ? Name : never;
}[ProgramBackend];

export function isProgramBackend(name: string): name is ProgramBackend {
  return Object.hasOwn(programs, name);
}

/** The facts about a program, typed the same for all. */
export function programFacts(name: ProgramBackend): ProgramFacts {
  return programs[name];
}

/** The program that a prefix of the model selects: `claude/sonnet` is the model `sonnet` on the backend `claude`. */
export function programPrefix(model: string): ProgramBackend | undefined {
  return programBackends.find((name) => model.startsWith(`${name}/`));
}
