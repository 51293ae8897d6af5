/** `skill`: loads a skill's instructions, or one of its other files. */
import { z } from "zod";
import { type Skill, readBody, skillFile } from "../../skills/skill.ts";
import { nearest } from "../../text/suggest.ts";
import { resultText } from "./result-text.ts";
import { defineTool, type ToolMaker } from "./tool.ts";
import { walkFiles } from "./files/walk.ts";
import { readWhole } from "./files/whole-file.ts";

const maxFiles = 50;

export function skillTool(skills: Skill[]): ToolMaker {
  return defineTool({
    name: "skill",
    description: "Loads a skill: instructions for a kind of task. Load it before you start such a task.",
    input: z.object({
      name: z.string().min(1).describe("The skill's name."),
      file: z.string().min(1).optional().describe("One of the skill's other files, instead of its instructions."),
    }),
    async run({ name, file }, { signal }) {
      const skill = skills.find((each) => each.name === name);
      if (!skill) throw new Error(unknownSkill(name, skills));
      if (file !== undefined) {
        return { ok: true, text: resultText((await readWhole(skill.folder, file)).toString("utf8")) };
      }
      const other = await otherFiles(skill, signal);
      const remarks = [`The skill is in ${skill.folder}.`];
      if (other.length > 0) remarks.push(`Its other files, which you can read with \`file\`: ${other.join(", ")}`);
      return { ok: true, text: resultText(`${(await readBody(skill)).trim()}\n\n[${remarks.join(" ")}]`) };
    },
  });
}

async function otherFiles({ folder }: Skill, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  for await (const file of walkFiles(folder, "", { ignored: true, signal, onCut: () => undefined })) {
    if (file !== skillFile && files.push(file) >= maxFiles) break;
  }
  return files;
}

function unknownSkill(name: string, skills: Skill[]): string {
  const names = skills.map((skill) => skill.name);
  if (names.length === 0) return "there are no skills";
  const [near] = nearest(name, names, 1);
  return `there is no skill ${name}${near === undefined ? `; available: ${names.join(", ")}` : `: did you mean ${near}?`}`;
}
