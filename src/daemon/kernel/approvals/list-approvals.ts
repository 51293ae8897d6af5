/** Lists approvals and questions: of all instances, one instance or one agent. */
import type { Approval, ApprovalState } from "../../../protocol/approval.ts";
import type { Origin } from "../../../protocol/http/origin.ts";
import { pageSize } from "../../../protocol/limits.ts";
import { findTarget } from "../operate/find-target.ts";
import type { Kernel } from "../kernel.ts";

export async function listApprovals(
  kernel: Pick<Kernel, "store">,
  { target, origin, state }: { target?: string; origin: Origin; state: ApprovalState },
): Promise<Approval[]> {
  const { store } = kernel;
  if (target === undefined) return store.approvals({ project: origin.project, state, limit: pageSize });
  const { instance, agent } = await findTarget(kernel, target, origin);
  return store.approvals({ instance: instance.id, agent: agent ?? undefined, state, limit: pageSize });
}
