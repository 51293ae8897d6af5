/** Lists approvals and questions: of all instances, one instance or one agent; and reads one of them whole. */
import type { Approval, ApprovalState } from "../../../protocol/approval.ts";
import { AppError } from "../../../protocol/error.ts";
import type { Origin } from "../../../protocol/http/origin.ts";
import { pageSize } from "../../../protocol/limits.ts";
import { shownArguments } from "../../../text/shown-arguments.ts";
import { findTarget } from "../operate/find-target.ts";
import type { Kernel } from "../kernel.ts";

export async function listApprovals(
  kernel: Pick<Kernel, "store">,
  { target, origin, state }: { target?: string; origin: Origin; state: ApprovalState },
): Promise<Approval[]> {
  const { store } = kernel;
  if (target === undefined) {
    return (await store.approvals({ project: origin.project, state, limit: pageSize })).map(toListed);
  }
  const { instance, agent } = await findTarget(kernel, target, origin);
  const filter = { instance: instance.id, agent: agent ?? undefined, state, limit: pageSize };
  return (await store.approvals(filter)).map(toListed);
}

export async function readApproval({ store }: Pick<Kernel, "store">, id: string): Promise<Approval> {
  const approval = await store.approval(id);
  if (!approval) throw unknownApproval(id);
  return approval;
}

export function unknownApproval(id: string): AppError {
  return new AppError("not-found", `no approval or question ${id}`, { actions: [{ do: "list-approvals" }] });
}

/** Without the hash unless everything is shown: a decision on long arguments needs it. Questions are always shown whole. */
function toListed(approval: Approval): Approval {
  const { args, whole } = shownArguments(approval.args);
  return whole || approval.kind === "question" ? approval : { ...approval, args, whole, hash: null };
}
