/** The files under `_state/`: each shows the current state of one subject of an instance, for people and programs. */
import type { Store } from "../store/store.ts";
import { renderInboxState } from "./inbox-state.ts";
import { renderProposals } from "./proposals-state.ts";

/** Renders the whole file, or null while there is nothing to show. It must not contain private messages. */
export type Snapshot = { file: string; render(store: Store, instance: string): Promise<string | null> };

export const snapshots: Snapshot[] = [
  { file: "_state/inbox-state.json", render: renderInboxState },
  { file: "_state/proposals.json", render: renderProposals },
];
