/** What one command works with: folders, environment, output, and the connection to the daemon. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFolder } from "../../system/home.ts";
import type { Client, Environment } from "../client/client.ts";
import { connectClient } from "../client/connect.ts";
import type { Globals } from "./options.ts";
import { createOutput, type Output } from "../render/output.ts";

export type Session = {
  globals: Globals;
  output: Output;
  /** The caller's environment, with `--home` applied. */
  env: Environment;
  home: string;
  cwd: string;
  /** `--project`, as an absolute path. */
  project: string | undefined;
  /** `--tag`, or `--instance`. */
  tag: string | undefined;
  /** Starts to connect in the background, without output. */
  prepare(): void;
  /** Finds or starts the daemon. Later calls return the same client. */
  connect(): Promise<Client>;
};

export function openSession(globals: Globals): Session {
  const env: Environment = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  if (globals.home !== undefined) env.AGENT_WORKER_HOME = resolve(globals.home);
  const home = homeFolder(env);
  const output = createOutput(globals, env);
  const cwd = currentFolder();
  const project = globals.project === undefined ? undefined : realFolder(globals.project);
  const earlyNotes: string[] = [];
  let connected = false;
  const note = (text: string) => output.note(output.stderr.style.dim(text));
  const discovery = { home, env, announce: (text: string) => void (connected ? note(text) : earlyNotes.push(text)) };

  const open = () => connectClient(discovery, { cwd, ...(project !== undefined && { project }) });
  let connection: Promise<Client> | undefined;
  return {
    globals,
    output,
    env,
    home,
    cwd,
    project,
    tag: globals.tag ?? globals.instance,
    prepare() {
      connection ??= open();
      // `connect` throws the same error.
      connection.catch(() => undefined);
    },
    async connect() {
      const client = await (connection ??= open());
      connected = true;
      for (const text of earlyNotes.splice(0)) note(text);
      return client;
    },
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new AppError("usage", "the current folder no longer exists", {
      hint: "change to another folder",
      cause,
    });
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // An instance outlives its folder, and can still be addressed by it.
    return resolve(folder);
  }
}
