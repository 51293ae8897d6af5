/** An instance's full history, page by page: messages, proposals and documents. */
import type { Transcript } from "../../../protocol/http/history.ts";
import { Proposal } from "../../../protocol/proposal.ts";
import type { Instance } from "../../store/data.ts";
import { listKnown } from "../documents/documents.ts";
import type { Kernel } from "../kernel.ts";

/** The messages after a seq; documents are on the first page. */
export async function exportTranscript(
  kernel: Pick<Kernel, "store" | "openDocuments">,
  instance: Instance,
  { after, limit }: { after: number; limit: number },
): Promise<Transcript> {
  const { store } = kernel;
  const messages = await store.messages(instance.id, "client", { after, limit });
  const last = messages.at(-1)?.seq ?? after;
  // Each proposal is a message too, so one page of messages contains at most `limit` of them.
  const proposals = await store.proposals(instance.id, { after, until: last, limit });
  return {
    workflow: await store.workflowInfo(instance.id),
    ...(after === 0 ? await listKnown(kernel, instance) : { documents: [], trouble: null }),
    proposals: proposals.toReversed().map((each) => Proposal.parse(each)),
    messages,
    next: messages.length === limit ? last : null,
  };
}
