/** The programs that backends drive: how to find each, install it and log in. */
import type { BackendName } from "./backend-name.ts";

export type ProgramFacts = {
  /** The product's name. */
  name: string;
  /** The executable to look for on PATH. */
  program: string;
  install: string;
  login: string;
  /** Arguments that make it report whether it is logged in; they must work outside a project. */
  status?: { args: string[]; loggedIn: RegExp; loggedOut: RegExp };
  /** Environment variables that replace a login. */
  variables: readonly string[];
};

export const programs = {
  claude: {
    name: "Claude Code",
    program: "claude",
    install: "install it with `npm install -g @anthropic-ai/claude-code`",
    login: "run `claude` and enter /login, or set ANTHROPIC_API_KEY",
    status: { args: ["auth", "status"], loggedIn: /"loggedIn":\s*true/, loggedOut: /"loggedIn":\s*false/ },
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  },
  codex: {
    name: "Codex",
    program: "codex",
    install: "install it with `npm install -g @openai/codex`",
    login: "run `codex login`, or set CODEX_API_KEY",
    status: { args: ["login", "status"], loggedIn: /^logged in/im, loggedOut: /^not logged in/im },
    variables: ["CODEX_API_KEY"],
  },
  cursor: {
    name: "Cursor",
    program: "cursor-agent",
    install: "install it as described at https://cursor.com/cli",
    login: "run `cursor-agent login`, or set CURSOR_API_KEY",
    status: { args: ["status"], loggedIn: /(?<!not )logged in/i, loggedOut: /not logged in/i },
    variables: ["CURSOR_API_KEY"],
  },
  opencode: {
    name: "OpenCode",
    program: "opencode",
    install: "install it with `npm install -g opencode-ai`",
    login: "run `opencode auth login`, or set the API key of a provider",
    status: { args: ["auth", "list"], loggedIn: /[1-9]\d* (credential|environment)/, loggedOut: /\b0 credentials/ },
    variables: [],
  },
} as const satisfies Partial<Record<BackendName, ProgramFacts>>;

export type ProgramBackend = keyof typeof programs;
