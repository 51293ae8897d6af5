/** The schema, as an append-only list: a shipped entry never changes; `user_version` counts those applied. */

export const migrations: string[] = [
  `
  CREATE TABLE workflows (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tag TEXT NOT NULL,
    project TEXT NOT NULL,
    dir TEXT NOT NULL,
    definition TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('run', 'start')),
    state TEXT NOT NULL CHECK (state IN ('running', 'ended', 'stopped', 'interrupted')),
    phase TEXT NOT NULL CHECK (phase IN ('setup', 'working')),
    run INTEGER NOT NULL,
    -- The channel's order is a counter here, not a sequence of the database: numbers are given and become visible together.
    next_seq INTEGER NOT NULL DEFAULT 1,
    run_first_seq INTEGER NOT NULL DEFAULT 1,
    -- Fencing numbers rise for the whole instance, so that an agent that was away does not begin anew.
    last_fence INTEGER NOT NULL DEFAULT 0,
    concurrency INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    result TEXT,
    UNIQUE (project, name, tag)
  ) STRICT;

  CREATE TABLE agents (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE NOCASE,
    position INTEGER NOT NULL,
    definition TEXT NOT NULL,
    cwd TEXT,
    stopped INTEGER NOT NULL DEFAULT 0,
    status TEXT,
    next_entry INTEGER NOT NULL DEFAULT 0,
    -- The lease: who works as this agent now. Every claim raises the fence; every write of a turn must show it.
    fence INTEGER NOT NULL DEFAULT 0,
    lease_node TEXT,
    lease_until INTEGER,
    turn TEXT,
    PRIMARY KEY (workflow, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    agent TEXT NOT NULL,
    run INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'waiting', 'succeeded', 'failed', 'split')),
    attempt INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    parent TEXT,
    hop INTEGER NOT NULL,
    -- Whether messages that arrive while it runs may be handed to it.
    open INTEGER NOT NULL,
    token_hash TEXT,
    pid INTEGER,
    pid_start TEXT,
    reason TEXT,
    text TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL,
    used INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    attempt_started_at INTEGER NOT NULL,
    ended_at INTEGER,
    -- The event that tells of its end: the order of ends, which no clock gives.
    ended_seq INTEGER
  ) STRICT;
  CREATE INDEX turns_running ON turns (workflow, token_hash) WHERE state = 'running';
  CREATE INDEX turns_of_run ON turns (workflow, run);

  CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    run INTEGER NOT NULL,
    sender TEXT NOT NULL,
    recipients TEXT NOT NULL,
    content TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'system', 'proposal', 'log')),
    -- 0 is high, so that the inbox's index is in the order it is read.
    priority INTEGER NOT NULL,
    private INTEGER NOT NULL,
    in_reply_to TEXT,
    hop INTEGER NOT NULL,
    turn TEXT,
    -- The attempt that wrote it, and the latest one that sent the same again and was given this one back.
    fence INTEGER,
    echoed_fence INTEGER,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (workflow, seq)
  ) STRICT;
  CREATE UNIQUE INDEX messages_once ON messages (workflow, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX messages_of_turn ON messages (turn) WHERE turn IS NOT NULL;

  CREATE TABLE deliveries (
    message TEXT NOT NULL REFERENCES messages ON DELETE CASCADE,
    agent TEXT NOT NULL COLLATE NOCASE,
    workflow TEXT NOT NULL,
    seq INTEGER NOT NULL,
    run INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'claimed', 'done', 'dead', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    acked INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    park_kind TEXT,
    turn TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (message, agent)
  ) STRICT, WITHOUT ROWID;
  -- Holds only what is open, so that its cost does not grow with history. A query must say state <> 'done' to use it.
  CREATE INDEX deliveries_open ON deliveries (workflow, agent, state, priority, seq) WHERE state <> 'done';
  CREATE INDEX deliveries_of_turn ON deliveries (turn, seq) WHERE turn IS NOT NULL;

  CREATE TABLE task_steps (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    run INTEGER NOT NULL,
    step TEXT NOT NULL,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    captured_as TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
    output TEXT NOT NULL DEFAULT '',
    started_at INTEGER NOT NULL,
    PRIMARY KEY (workflow, run, step)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    run INTEGER NOT NULL,
    type TEXT NOT NULL,
    agent TEXT,
    turn TEXT,
    message TEXT,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_of_workflow ON events (workflow, seq);
  CREATE INDEX events_of_message ON events (message) WHERE message IS NOT NULL;
  CREATE INDEX events_of_turn ON events (turn) WHERE turn IS NOT NULL;
  `,
  // Resources, and the long messages that have one.
  `
  CREATE TABLE resources (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (id, workflow)
  ) STRICT;
  CREATE INDEX resources_of_workflow ON resources (workflow);
  ALTER TABLE messages ADD COLUMN resource TEXT;
  -- Ranges of the content that are interpolated values, as JSON.
  ALTER TABLE messages ADD COLUMN value_ranges TEXT;
  `,
  // Documents.
  `
  CREATE TABLE documents (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    file TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    author TEXT NOT NULL,
    turn TEXT,
    created_at INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    PRIMARY KEY (workflow, file, version)
  ) STRICT;
  -- The newest version that a turn has seen: what its next write is made from.
  CREATE TABLE document_bases (
    turn TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    file TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (turn, file)
  ) STRICT, WITHOUT ROWID;
  `,
  // Params, and tasks: whether some are left, when the kickoff came after them, and which were skipped.
  `
  ALTER TABLE workflows ADD COLUMN params TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE workflows ADD COLUMN tasks_open INTEGER NOT NULL DEFAULT 0;
  -- The kickoff's event: what ended after it is what it led to.
  ALTER TABLE workflows ADD COLUMN kickoff_seq INTEGER;
  ALTER TABLE task_steps ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;
  -- Taken over from an earlier run, for what it captured.
  ALTER TABLE task_steps ADD COLUMN inherited INTEGER NOT NULL DEFAULT 0;
  `,
  // Schedules: a slot moves on in the transaction that uses it.
  `
  CREATE TABLE schedules (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    agent TEXT NOT NULL COLLATE NOCASE,
    schedule TEXT NOT NULL,
    prompt TEXT,
    -- The slot that comes next, when that was counted, the slot that was used last, and the last message that was sent.
    next_at INTEGER,
    counted_at INTEGER NOT NULL,
    last_at INTEGER,
    last_message TEXT,
    PRIMARY KEY (workflow, agent),
    FOREIGN KEY (workflow, agent) REFERENCES agents (workflow, name) ON DELETE CASCADE ON UPDATE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
  `,
  // Proposals, their votes, and the elected agents.
  `
  CREATE TABLE proposals (
    -- A proposal is a message.
    id TEXT PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    creator TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'resolved', 'expired', 'cancelled')),
    -- Counts votes and changes of votes: what was decided from an older one is decided anew.
    revision INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    deadline INTEGER,
    -- The message that reminded those who had not voted.
    reminder TEXT,
    result TEXT,
    -- Whether the decision has been written down among the documents.
    decision TEXT CHECK (decision IN ('due', 'written', 'failed')),
    turn TEXT,
    fence INTEGER,
    echoed_fence INTEGER
  ) STRICT;
  CREATE INDEX proposals_of_workflow ON proposals (workflow, seq);
  CREATE INDEX proposals_active ON proposals (workflow, deadline) WHERE status = 'active';
  CREATE INDEX proposals_unwritten ON proposals (workflow, seq) WHERE decision IN ('due', 'failed');

  CREATE TABLE votes (
    proposal TEXT NOT NULL REFERENCES proposals ON DELETE CASCADE,
    voter TEXT NOT NULL COLLATE NOCASE,
    choice TEXT NOT NULL,
    reason TEXT,
    turn TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (proposal, voter)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE workflows ADD COLUMN document_owner TEXT;
  ALTER TABLE workflows ADD COLUMN coordinator TEXT;
  `,
  // Tools that people gave an agent by command, and answers in place of tools.
  `
  ALTER TABLE agents ADD COLUMN tooling TEXT NOT NULL DEFAULT '{}';
  `,
  // Feedback, which refers to no instance: it outlives them.
  `
  CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    project TEXT NOT NULL,
    turn TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  `,
  // Approvals and questions: what waits for a person, and whether there is one.
  `
  ALTER TABLE workflows ADD COLUMN attended INTEGER NOT NULL DEFAULT 1;
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    run INTEGER NOT NULL,
    agent TEXT NOT NULL COLLATE NOCASE,
    turn TEXT NOT NULL,
    -- The attempt that asked: another one asks for itself.
    fence INTEGER NOT NULL,
    request TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('tool', 'question')),
    tool TEXT NOT NULL,
    -- For people; the decision is bound to the hash of the exact arguments.
    args TEXT NOT NULL,
    hash TEXT NOT NULL,
    cwd TEXT,
    why TEXT,
    question TEXT,
    options TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'answered', 'denied', 'cancelled')),
    asked_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT CHECK (decided_by IN ('user', 'deadline', 'nobody', 'turn')),
    reason TEXT,
    approved_hash TEXT,
    edited TEXT,
    answer TEXT
  ) STRICT;
  CREATE UNIQUE INDEX approvals_once ON approvals (turn, fence, request) WHERE request IS NOT NULL;
  CREATE INDEX approvals_waiting ON approvals (workflow, turn) WHERE state = 'waiting';
  CREATE INDEX approvals_unheard ON approvals (workflow, run) WHERE decided_by IN ('deadline', 'nobody');
  `,
  // Conversations: what one turn leaves for the next of the same agent, with `history: thread`.
  `
  CREATE TABLE conversations (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    agent TEXT NOT NULL COLLATE NOCASE,
    turn TEXT NOT NULL,
    content TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workflow, agent)
  ) STRICT;
  `,
  // Approvals: the schema of the arguments that are asked about, by which others are checked.
  `
  ALTER TABLE approvals ADD COLUMN input_schema TEXT;
  `,
  // Documents: the text comes last, for SQLite walks through a long one to reach what lies behind it.
  `
  CREATE TABLE documents_in_order (
    workflow TEXT NOT NULL REFERENCES workflows ON DELETE CASCADE,
    file TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    author TEXT NOT NULL,
    turn TEXT,
    created_at INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (workflow, file, version)
  ) STRICT;
  INSERT INTO documents_in_order
    SELECT workflow, file, version, hash, bytes, author, turn, created_at, deleted, content FROM documents;
  DROP TABLE documents;
  ALTER TABLE documents_in_order RENAME TO documents;
  `,
  // Approvals: how many secrets are masked in what a person sees.
  `
  ALTER TABLE approvals ADD COLUMN masked INTEGER NOT NULL DEFAULT 0;
  `,
];
