/** The program from outside: real processes, a real daemon, exit codes and what goes to which stream. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPlace, type Place } from "../../test/fixtures/place.ts";
import { until } from "../../test/fixtures/until.ts";
import type { Event } from "../protocol/event.ts";
import { homeFiles } from "../protocol/home.ts";
import { selfCommand } from "../protocol/self.ts";
import { version } from "../protocol/version.ts";

const slow = 30_000;

type Result = { code: number; stdout: string; stderr: string };

function start(place: Place, args: string[], options: { stdin?: string; cwd?: string } = {}) {
  return Bun.spawn(selfCommand(...args), {
    cwd: options.cwd ?? place.project,
    env: place.env,
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function give(place: Place, args: string[], options?: { stdin?: string; cwd?: string }): Promise<Result> {
  const child = start(place, args, options);
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
}

function write(place: Place, name: string, text: string): void {
  writeFileSync(join(place.project, name), text);
}

function daemonPid(place: Place): number {
  return JSON.parse(readFileSync(join(place.home, homeFiles.daemon), "utf8")).pid;
}

/** What a child has said so far. */
function listen(stream: ReadableStream<Uint8Array>): { text(): string } {
  let heard = "";
  void (async () => {
    for await (const chunk of stream) heard += new TextDecoder().decode(chunk);
  })();
  return { text: () => heard };
}

const handOver = `
name: hello
agents:
  alice:
    backend: mock
    script:
      - - tool: { name: channel_send, args: { message: "@bob are you there?" } }
        - say: I have asked.
      - - say: "@user Bob is here."
  bob:
    backend: mock
    script:
      - - say: "@alice I am here."
kickoff: "@alice please greet Bob."
`;
const waits = `
name: slow
agents:
  sleeper:
    backend: mock
    script:
      - - wait: 2s
        - say: "@user awake"
kickoff: "@sleeper sleep"
`;
const answers = `
name: desk
agents:
  clerk:
    backend: mock
    script:
      - { on: break, do: [{ fail: { kind: permanent } }] }
      - { on: wait, do: [{ wait: 1m }] }
      - { on: ".", do: [{ say: "From ten to six." }] }
`;

describe("the command line", () => {
  test("answers --version and --help without a daemon", async () => {
    await using place = await createPlace();
    expect(await give(place, ["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const help = await give(place, []);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("First steps");
    expect((await give(place, ["help", "send"])).stdout).toContain("Usage: agent-worker send");
    expect(place.processes()).toEqual([]);
  });

  test("suggests the command that was meant, and says it as JSON when asked", async () => {
    await using place = await createPlace();
    const wrong = await give(place, ["statsu"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("did you mean 'status'?") });
    const asJson = await give(place, ["statsu", "--json"]);
    expect(asJson).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(asJson.stdout).error.code).toBe("usage");
  });

  test(
    "understands flags before the command, aliases, and the form with `agent`",
    async () => {
      await using place = await createPlace();
      for (const line of [
        ["--json", "ls"],
        ["ps", "--json"],
        ["agent", "list", "--json"],
        ["--project", "/x", "list", "--json"],
      ]) {
        const { code, stdout } = await give(place, line);
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toEqual({ workflows: [] });
      }
    },
    slow,
  );

  test.each([["--help"], ["--version"], ["ls --help"], ["ls --json"], ["logs"]])(
    "says nothing when the reader of %s has gone",
    async (line) => {
      await using place = await createPlace();
      await give(place, ["daemon", "start"]);
      const shell = ["bash", "-c", `${selfCommand(...line.split(" ")).join(" ")} | true`];
      const child = Bun.spawn(shell, { env: place.env, stdout: "pipe", stderr: "pipe" });
      expect(await child.stderr.text()).toBe("");
    },
    slow,
  );
});

describe("run", () => {
  test(
    "shows the log on stderr and puts only the output on stdout",
    async () => {
      await using place = await createPlace();
      write(place, "hello.yaml", handOver);
      const { code, stdout, stderr } = await give(place, ["run", "hello.yaml"]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "@user Bob is here.\n" });
      expect(stderr).toContain("started the daemon\n");
      expect(stderr).toContain("bob     @alice I am here.");
      expect(stderr).toContain("✓ completed in");
      expect(stderr).toContain("→ agent-worker peek @hello");
    },
    slow,
  );

  test(
    "gives one result with --json, and every event with --events",
    async () => {
      await using place = await createPlace();
      write(place, "hello.yaml", handOver);
      const one = await give(place, ["run", "hello.yaml", "--json", "--quiet"]);
      expect(JSON.parse(one.stdout)).toMatchObject({ status: "completed", exitCode: 0, output: "@user Bob is here." });
      expect(one.stderr).toBe("");
      const all = await give(place, ["run", "hello.yaml", "--events", "--tag", "second"]);
      const events: Event[] = all.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(events[0]).toMatchObject({ type: "workflow-start", tag: "second" });
      expect(events.at(-1)).toMatchObject({ type: "workflow-end", data: { exitCode: 0 } });
    },
    slow,
  );

  test(
    "refuses a kickoff that addresses nobody, before anything starts",
    async () => {
      await using place = await createPlace();
      write(place, "idle.yaml", handOver.replace("@alice please", "please"));
      const { code, stderr } = await give(place, ["run", "idle.yaml"]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/idle\.yaml:\d+:\d+: error: .*addresses nobody/);
      expect(JSON.parse((await give(place, ["ls", "--json"])).stdout)).toEqual({ workflows: [] });
    },
    slow,
  );

  test.each([
    ["a missing file", "missing.yaml", undefined],
    ["an empty file", "empty.yaml", ""],
    ["a binary file", "binary.yaml", "\0\x01\x02"],
    ["a file with an unknown key", "typo.yaml", handOver.replace("kickoff:", "kickof:")],
  ])(
    "refuses %s with exit code 2 and no trace",
    async (_, name, text) => {
      await using place = await createPlace();
      if (text !== undefined) write(place, name, text);
      const { code, stdout, stderr } = await give(place, ["run", name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(name);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
    slow,
  );

  test(
    "is stopped by Ctrl-C: exit code 130, the work parked",
    async () => {
      await using place = await createPlace();
      write(place, "slow.yaml", waits);
      const child = start(place, ["run", "slow.yaml"]);
      const log = listen(child.stderr);
      await until(() => log.text().includes("starts on"), 10_000);
      child.kill("SIGINT");
      expect(await child.exited).toBe(130);
      expect(log.text()).toContain("■ stopped");
      const { stdout } = await give(place, ["inbox", "@slow", "--json"]);
      expect(JSON.parse(stdout).deliveries).toEqual([expect.objectContaining({ state: "parked", agent: "sleeper" })]);
    },
    slow,
  );

  test(
    "outlives its daemon: a new one goes on, and every event is shown once",
    async () => {
      await using place = await createPlace();
      write(place, "slow.yaml", waits);
      const child = start(place, ["run", "slow.yaml", "--events"]);
      const events = listen(child.stdout);
      await until(() => events.text().includes('"turn-start"'), 10_000);
      process.kill(daemonPid(place), "SIGKILL");
      expect(await child.exited).toBe(0);
      const stored = events
        .text()
        .trimEnd()
        .split("\n")
        .map((line): Event => JSON.parse(line))
        .filter(({ seq }) => seq > 0);
      const places = stored.map(({ seq }) => seq);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(stored.at(-1)).toMatchObject({ type: "workflow-end", data: { status: "completed" } });
    },
    slow,
  );

  test(
    "ends with an error when its daemon is told to stop",
    async () => {
      await using place = await createPlace();
      write(place, "slow.yaml", waits);
      const child = start(place, ["run", "slow.yaml"]);
      const log = listen(child.stderr);
      await until(() => log.text().includes("starts on"), 10_000);
      expect((await give(place, ["daemon", "stop"])).code).toBe(0);
      expect(await child.exited).toBe(5);
      expect(log.text()).toContain("the daemon was stopped");
      expect((await give(place, ["daemon", "status"])).code).toBe(5);
    },
    slow,
  );
});

describe("send", () => {
  test(
    "prints the answer with --wait, in both forms and from stdin",
    async () => {
      await using place = await createPlace();
      write(place, "desk.yaml", answers);
      expect(await give(place, ["start", "desk.yaml", "-d"])).toMatchObject({ code: 0, stdout: "started @desk\n" });
      const lines: [string[], string?][] = [
        [["send", "clerk@desk", "When?", "--wait"]],
        [["send", "When?", "--to", "clerk@desk", "--wait"]],
        [["send", "clerk@desk", "-", "--wait"], "When?"],
        [["send", "@desk", "@clerk when?", "--wait"]],
      ];
      for (const [line, stdin] of lines) {
        expect(await give(place, line, { stdin })).toMatchObject({ code: 0, stdout: "From ten to six.\n" });
      }
    },
    slow,
  );

  test(
    "says why when no answer can come",
    async () => {
      await using place = await createPlace();
      write(place, "desk.yaml", answers);
      await give(place, ["start", "desk.yaml", "-d"]);
      const dead = await give(place, ["send", "clerk@desk", "break", "--wait"]);
      expect(dead).toMatchObject({ code: 1, stderr: expect.stringMatching(/gave up.*\n.*redrive m/) });
      const late = await give(place, ["send", "clerk@desk", "wait", "--wait", "--timeout", "300ms"]);
      expect(late).toMatchObject({ code: 124, stderr: expect.stringMatching(/no answer within.*\n.*discard m/) });
      await give(place, ["stop", "@desk"]);
      const parked = await give(place, ["send", "clerk@desk", "hello", "--wait"]);
      expect(parked).toMatchObject({ code: 1, stderr: expect.stringMatching(/parked.*\n.*start @desk/) });
    },
    slow,
  );

  test(
    "tells a message's story with why",
    async () => {
      await using place = await createPlace();
      write(place, "desk.yaml", answers);
      await give(place, ["start", "desk.yaml", "-d"]);
      const sent = await give(place, ["send", "clerk@desk", "break", "--wait", "--json"]);
      const id: string = JSON.parse(sent.stdout).error.details.message;
      const { stdout, stderr } = await give(place, ["why", id]);
      expect(stdout).toContain("✗ dead after 1 attempt");
      expect(stderr).toContain(`agent-worker redrive ${id}`);
      expect(await give(place, ["discard", id])).toMatchObject({ code: 0, stdout: "discarded 1 delivery\n" });
    },
    slow,
  );
});

describe("targets", () => {
  test(
    "mean the instance of the folder one is in, and the default where none is given",
    async () => {
      await using place = await createPlace();
      const inner = join(place.project, "inner");
      mkdirSync(inner);
      write(place, "desk.yaml", answers);
      await give(place, ["start", "desk.yaml", "-d"]);
      await give(place, ["start", "../desk.yaml", "-d"], { cwd: inner });
      const outside = await give(place, ["status", "@desk"], { cwd: place.home });
      expect(outside).toMatchObject({ code: 2, stderr: expect.stringContaining("--project") });
      expect(JSON.parse((await give(place, ["status", "--json"], { cwd: inner })).stdout).project).toBe(inner);
      expect(JSON.parse((await give(place, ["status", "@desk", "--json"])).stdout).project).toBe(place.project);
      const chosen = await give(place, ["status", "@desk", "--project", inner, "--json"], { cwd: place.home });
      expect(JSON.parse(chosen.stdout).project).toBe(inner);
    },
    slow,
  );

  test(
    "`new` makes a standalone agent, and the first one is the default",
    async () => {
      await using place = await createPlace();
      write(place, "script.yaml", '- - say: "Hello yourself."\n');
      const made = await give(place, ["new", "alice", "-b", "mock", "--script", "script.yaml"]);
      expect(made).toMatchObject({ code: 0, stdout: "created alice, the default target\n" });
      expect(await give(place, ["send", "hello", "--wait"])).toMatchObject({ code: 0, stdout: "Hello yourself.\n" });
      expect(await give(place, ["rm", "alice"])).toMatchObject({ code: 0 });
      expect(await give(place, ["use"])).toMatchObject({ code: 2 });
    },
    slow,
  );
});

test(
  "nothing of the folder in which a command is given is run",
  async () => {
    await using place = await createPlace();
    const canary = join(place.path, "canary");
    write(place, "preload.ts", `await Bun.write(${JSON.stringify(canary)}, "");`);
    write(place, "bunfig.toml", 'preload = ["./preload.ts"]\n');
    write(place, ".env", "AGENT_WORKER_HOME=/nonexistent/home\n");
    expect((await give(place, ["ls"])).code).toBe(0);
    expect(await Bun.file(canary).exists()).toBe(false);
  },
  slow,
);
