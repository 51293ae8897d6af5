/** Limits on sizes, counts and times; nothing in the program is unbounded. */

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** Content of one message, in UTF-8. */
export const messageBytes = 256 * KiB;
/** Agents see the head and tail of a longer message, and a resource with the full text. */
export const longMessageChars = 4_000;
/** Mentions and recipients of one message; beyond that there is `@all`. */
export const namesPerMessage = 1_000;
/** The final text of a turn; a longer one fails the turn permanently. */
export const finalTextBytes = 16 * MiB;
/** One resource. */
export const resourceBytes = 16 * MiB;
/** Default and maximum size of one read of a resource. */
export const resourcePageChars = 50_000;
export const maxResourcePageChars = 1_000_000;
/** One document. */
export const documentBytes = 1 * MiB;
/** Documents of one instance. */
export const documentsPerWorkflow = 1_000;
/** A workflow file. */
export const workflowFileBytes = 1 * MiB;
/** A repository of skills: what is fetched, and what it unpacks to; its files and folders. */
export const skillRepositoryBytes = 128 * MiB;
export const skillRepositoryFiles = 20_000;
/** A prompt file that a workflow file refers to. */
export const promptFileBytes = 256 * KiB;
/** The body of any request: enough for a resource, escaped. */
export const requestBytes = 2 * resourceBytes;
/** Nesting and number of values of a request's JSON: parsed, each bracket costs up to 100 times the memory of its text. */
export const jsonDepth = 200;
export const jsonValues = 250_000;
/** One line of a worker's output: enough for a final text, escaped. */
export const workerLineBytes = 2 * finalTextBytes + 64 * KiB;
/** Output of a shell step; a step that prints more fails. */
export const shellOutputBytes = 16 * MiB;
/** The part of a tool's arguments or result that an event keeps. */
export const eventTextChars = 2_000;
/** Arguments that a person can be asked to approve, as JSON; a call with longer ones is denied. */
export const approvalArgsChars = 100_000;
/** Arguments that lists and events show whole. Longer ones can be approved only after they were read one by one. */
export const approvalShownChars = eventTextChars;
/** JSON Schema against which edited arguments are checked; a longer one is left out, and edits are not checked. */
export const approvalSchemaChars = 16_000;
/** Reasons and answers of people; an agent's question and why it asks. */
export const approvalTextChars = 8_000;
export const questionOptions = 20;
/** Approvals and questions that wait in one instance; further ones are denied. */
export const approvalsPerWorkflow = 1_000;
/** Deliveries of one turn. */
export const batchSize = 50;
/** Maximum number of messages or events in one read. */
export const pageSize = 500;
/** Content of one page of events, so that a stalled reader costs little memory. */
export const pageBytes = 512 * KiB;
export const agentsPerWorkflow = 1_000;
/** Options of one proposal. */
export const optionsPerProposal = 50;
/** Open proposals of one instance. */
export const activeProposals = 100;
/** Open proposals of one agent. */
export const openProposalsPerAgent = 10;
/** Proposals that one agent can create in one `run`, so that a run cannot go on forever. */
export const proposalsPerRun = 50;
/** How long a proposal can wait for votes. */
export const proposalSeconds = 30 * 24 * 3_600;
