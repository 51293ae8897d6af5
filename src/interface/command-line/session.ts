/** What one command has at hand: where it was given, how it speaks, and the way to the daemon. */
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
  /** The caller's environment; with `--home` as the home. */
  env: Environment;
  home: string;
  cwd: string;
  /** `--project`, in full. */
  project: string | undefined;
  /** `--tag`, or `--instance`. */
  tag: string | undefined;
  /** Begins to look for the daemon, in silence, while something else is done. */
  prepare(): void;
  /** The daemon, found or started; the same one for the whole command. */
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
  const news: string[] = [];
  let connected = false;
  const say = (text: string) => output.note(output.stderr.style.dim(text));
  const discovery = { home, env, announce: (text: string) => void (connected ? say(text) : news.push(text)) };

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
      // Whoever connects hears of it.
      connection.catch(() => undefined);
    },
    async connect() {
      const client = await (connection ??= open());
      connected = true;
      for (const text of news.splice(0)) say(text);
      return client;
    },
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new AppError("usage", "the folder that this command was given in no longer exists", {
      hint: "change to another one",
      cause,
    });
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // An instance outlives its folder, and can still be named by it.
    return resolve(folder);
  }
}
