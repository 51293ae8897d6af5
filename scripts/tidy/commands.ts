/** Finds commands of the command line in texts of other parts: they also speak to a web page, to programs and to models. */
import { commandTable } from "../../src/interface/cli.ts";
import { isTest, type Sources } from "./sources.ts";

const home = "src/interface/";
const names = commandTable.flatMap(({ name, aliases }) => [name, ...aliases]).join("|");
/** A command, or a place where its name is filled in. */
const command = new RegExp(`\\bagent-worker (?:(?:${names})\\b|\\$\\{)`);
const comment = /^\s*(?:\/\/|\/?\*)/;

export function commandProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith("src/") && !path.startsWith(home) && !isTest(path))
    .flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index) => {
        if (comment.test(line) || !command.test(line)) return [];
        return [`${path}:${index + 1}: commands are named in ${home}; give an action of src/protocol/action.ts`];
      }),
    );
}
