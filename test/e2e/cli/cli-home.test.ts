/** An unusable home, and a daemon that does not answer: reported in one sentence, with exit code 5, and no data lost. */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonFile } from "../../../src/protocol/discovery.ts";
import type { MessageList } from "../../../src/protocol/http/workflows.ts";
import { version } from "../../../src/protocol/version.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";
import { mountSmallDisk } from "../../fixtures/small-disk.ts";

const desk = "agents:\n  clerk: { backend: mock, script: [{ on: '.', do: [{ say: Yes. }] }] }\n";

/** A command looks for its daemon for ten seconds before it gives up. */
const slow = 40_000;

function daemonFile(program: Program): DaemonFile {
  return DaemonFile.parse(JSON.parse(readFileSync(join(program.home, "daemon.json"), "utf8")));
}

/** Prints what was skipped, so that it does not look like a passed check. */
function skip(what: string): void {
  process.stderr.write(`SKIPPED: ${what}\n`);
}

describe("a daemon that does not answer", () => {
  test.concurrent(
    "is reported after a timeout, and is not replaced",
    async () => {
      await using program = await openProgram();
      await program.give(["daemon", "start"]);
      const { pid } = daemonFile(program);
      process.kill(pid, "SIGSTOP");
      const { exitCode, stderr } = await program.give(["ls"]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 5,
        stderr: expect.stringMatching(new RegExp(`the daemon \\(pid ${pid}\\) does not answer\n.*daemon logs`)),
      });
      process.kill(pid, "SIGCONT");
      expect((await program.give(["ls"])).exitCode).toBe(0);
      expect(daemonFile(program).pid).toBe(pid);
    },
    slow,
  );

  test.concurrent("is not waited for if another program listens on its port", async () => {
    await using program = await openProgram();
    const stranger = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const hint = {
      pid: process.pid,
      host: "127.0.0.1",
      port: stranger.port,
      token: "0".repeat(64),
      version,
      startedAt: 0,
    };
    writeFileSync(join(program.home, "daemon.json"), JSON.stringify(hint));
    const { exitCode, stderr } = await program.give(["ls"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("started the daemon") });
    expect(daemonFile(program).port).not.toBe(stranger.port);
    stranger.stop(true);
  });
});

describe("a home", () => {
  test.concurrent("that is a file is refused", async () => {
    await using program = await openProgram();
    const file = program.write("home", "");
    const { exitCode, stderr } = await program.give(["ls", "--home", file]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringMatching(/home.*\n.*--home/) });
  });

  test.concurrent("that cannot be created is refused, with a JSON error with --json", async () => {
    await using program = await openProgram();
    const { exitCode, stdout } = await program.give(["ls", "--home", "/proc/nowhere/home", "--json"]);
    expect({ exitCode, body: JSON.parse(stdout) }).toEqual({
      exitCode: 5,
      body: { error: expect.objectContaining({ code: "daemon-unreachable" }) },
    });
  });

  test.concurrent("that is not writable is refused", async () => {
    if (process.getuid?.() === 0) return skip("a home without write permission, because root may write everywhere");
    await using program = await openProgram();
    const home = join(program.path, "locked");
    mkdirSync(home);
    chmodSync(home, 0o500);
    const { exitCode, stderr } = await program.give(["ls", "--home", home]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringMatching(/cannot write .*\n.*--home/) });
  });

  test.concurrent("on a read-only disk is refused", async () => {
    await using program = await openProgram();
    using disk = mountSmallDisk(program.home, 64);
    if (!disk) return skip("a read-only home, because a tmpfs could not be mounted (this needs root)");
    Bun.spawnSync(["mount", "-o", "remount,ro", program.home]);
    const { exitCode, stderr } = await program.give(["ls"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringMatching(/cannot write .*\n.*--home/) });
  });
});

describe("a full disk", () => {
  test.concurrent("refuses a message with a clear error, keeps earlier ones, and accepts messages again once there is space", async () => {
    await using program = await openProgram();
    using disk = mountSmallDisk(program.home, 4 * 1024);
    if (!disk) return skip("a full disk, because a tmpfs could not be mounted (this needs root)");
    program.write("desk.yaml", desk);
    await program.give(["start", "desk.yaml", "-d"]);
    expect(await program.give(["send", "clerk@desk", "first", "--wait"])).toMatchObject({ exitCode: 0 });
    disk.fill();
    const text = "x".repeat(100_000);
    let refused = await program.give(["send", "@desk", text]);
    for (let more = 0; refused.exitCode === 0 && more < 10; more++)
      refused = await program.give(["send", "@desk", text]);
    expect(refused).toEqual({ exitCode: 1, stdout: "", stderr: expect.stringContaining("free some disk space") });
    const kept = await program.ask<MessageList>("peek", "@desk");
    disk.free();
    expect(await program.give(["send", "clerk@desk", "last", "--wait"])).toMatchObject({
      exitCode: 0,
      stdout: "Yes.\n",
    });
    const { messages } = await program.ask<MessageList>("peek", "@desk");
    expect(messages.slice(0, kept.messages.length)).toEqual(kept.messages);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  });

  test.concurrent(
    "keeps a daemon from starting, and the error says why",
    async () => {
      await using program = await openProgram();
      using disk = mountSmallDisk(program.home, 64);
      if (!disk) return skip("a first start on a full disk, because a tmpfs could not be mounted (this needs root)");
      disk.fill();
      const { exitCode, stderr } = await program.give(["ls"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringMatching(/full|space/) });
    },
    slow,
  );
});
