/** The home folder of Codex in a turn with skills: Codex finds skills only there, and no setting changes that. */
import { join } from "node:path";
import { homeFiles, homeFolder } from "../../../system/home.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { agentEnvironment } from "../../model/provider.ts";
import { openLinkedHome } from "../../program/linked-home.ts";
import { mayPlaceSkills, skillsToPlace } from "../../program/placed-skills.ts";

/** Where it looks for skills itself. */
const skillFolders = [".agents/skills", "~/.agents/skills"];

/** Whether it lists the agent's skills to its model. */
export function codexListsSkills(spec: TurnSpec): boolean {
  return mayPlaceSkills(spec) && agentEnvironment(spec)["HOME"] !== undefined;
}

/**
 * Only Codex itself uses this folder: it keeps its own files in their usual place, and its commands get the user's
 * home.
 */
export type CodexHome = AsyncDisposable & { env: Record<string, string>; settings: Record<string, unknown> };

export async function openCodexHome(spec: TurnSpec, { skills, env }: TurnInput): Promise<CodexHome> {
  const { HOME: home, CODEX_HOME: own } = env;
  const placed = skillsToPlace(spec, skills, skillFolders);
  if (home === undefined || placed.length === 0)
    return { env: {}, settings: {}, [Symbol.asyncDispose]: async () => {} };
  const linked = await openLinkedHome(home, placed, join(homeFolder(spec.env), homeFiles.homes));
  return {
    env: { HOME: linked.path, CODEX_HOME: own || join(home, ".codex") },
    settings: { "shell_environment_policy.set.HOME": home },
    [Symbol.asyncDispose]: () => linked[Symbol.asyncDispose](),
  };
}
