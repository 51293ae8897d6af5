/** The files under `_state/`: each shows one subject of an instance as it is now, for people and their programs. */
import type { Store } from "../store/store.ts";
import { renderInboxState } from "./inbox-state.ts";
import { renderProposals } from "./proposals-state.ts";

/** Gives the whole file, or null while there is nothing to show. What is private to some has no place in it. */
export type Snapshot = { file: string; render(store: Store, instance: string): Promise<string | null> };

export const snapshots: Snapshot[] = [
  { file: "_state/inbox-state.json", render: renderInboxState },
  { file: "_state/proposals.json", render: renderProposals },
];
