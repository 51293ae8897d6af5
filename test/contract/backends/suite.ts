/** The body of each case; a case without a body does not compile. */
import type { CaseName } from "./cases.ts";
import { argv, cancellation, nothingLeft, stubbornChild, systemPromptArgv, timeLimit, userFiles } from "./ending.ts";
import * as failing from "./failing.ts";
import type { Check } from "./stage.ts";
import {
  contextTools,
  cost,
  handOff,
  ownTools,
  skills,
  streaming,
  systemPrompt,
  lostThread,
  thread,
  toolEvents,
  usage,
} from "./working.ts";

const working = {
  systemPrompt,
  streaming,
  toolEvents,
  contextTools,
  ownTools,
  skills,
  handOff,
  thread,
  lostThread,
  usage,
  cost,
};
const ending = { cancellation, timeLimit, stubbornChild, nothingLeft, argv, systemPromptArgv, userFiles };

export const checks: Record<CaseName, Check> = { ...working, ...failing, ...ending };
