/** The sizes and times at which the program says no; nothing in it is unbounded. */

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** Written content of one message, in UTF-8 bytes. */
export const messageBytes = 256 * KiB;
/** Longer messages are shown to agents as head and tail, with a resource that holds the whole. */
export const longMessageChars = 4_000;
/** Names that one message mentions or is addressed to; for more there is `@all`. */
export const namesPerMessage = 1_000;
/** A turn's final text; more fails the turn permanently. */
export const finalTextBytes = 16 * MiB;
/** One resource. */
export const resourceBytes = 16 * MiB;
/** What one reading of a resource gives unless asked for less or more, and what it gives at most. */
export const resourcePageChars = 50_000;
export const resourcePageMostChars = 1_000_000;
/** One document. */
export const documentBytes = 1 * MiB;
/** Documents of one workflow instance. */
export const documentsPerWorkflow = 1_000;
/** A workflow file. */
export const workflowFileBytes = 1 * MiB;
/** A prompt file that a workflow file names. */
export const promptFileBytes = 256 * KiB;
/** A request body at any door: a resource, escaped. */
export const requestBytes = 2 * resourceBytes;
/** One line of a worker's output: a final text, escaped. */
export const workerLineBytes = 2 * finalTextBytes + 64 * KiB;
/** What a shell step may print before the rest is cut off and the step fails. */
export const shellOutputBytes = 16 * MiB;
/** What an event keeps of a tool's arguments or result. */
export const eventTextChars = 2_000;
/** What is shown to people of the arguments that they decide about. */
export const approvalArgsChars = 16_000;
/** The schema by which other arguments are checked; of a tool with a longer one they are not. */
export const approvalSchemaChars = 16_000;
/** Reasons, edits and answers of people; an agent's question and why it asks. */
export const approvalTextChars = 8_000;
export const questionOptions = 20;
/** What waits for a person in one instance; more is denied. */
export const approvalsPerWorkflow = 1_000;
/** Deliveries that one turn holds at most. */
export const batchSize = 50;
/** Messages or events given by one read unless asked for fewer. */
export const pageSize = 500;
/** Content that one page of events carries, so that a reader who stalls costs little. */
export const pageBytes = 512 * KiB;
export const agentsPerWorkflow = 1_000;
/** Options of one proposal. */
export const optionsPerProposal = 50;
/** Proposals of one instance that are open at a time. */
export const activeProposals = 100;
/** Those of them that one agent asked. */
export const openProposalsPerAgent = 10;
/** Proposals that one agent asks in one `run`, so that asking again and again comes to an end. */
export const proposalsPerRun = 50;
/** How long a proposal may wait for votes. */
export const proposalSeconds = 30 * 24 * 3_600;
