/** Finds CLI commands in text outside the interface: other clients, such as web pages and models, get that text too. */
import { commandTable } from "../../src/interface/cli.ts";
import { isTest, type Sources } from "./sources.ts";

const home = "src/interface/";
const names = commandTable.flatMap(({ name, aliases }) => [name, ...aliases]).join("|");
/** A command, or a template that fills in its name. */
const command = new RegExp(`\\bagent-worker (?:(?:${names})\\b|\\$\\{)`);
const comment = /^\s*(?:\/\/|\/?\*)/;

export function commandProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith("src/") && !path.startsWith(home) && !isTest(path))
    .flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index) => {
        if (comment.test(line) || !command.test(line)) return [];
        return [`${path}:${index + 1}: name commands only in ${home}; use an action from src/protocol/action.ts`];
      }),
    );
}
