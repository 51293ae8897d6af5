/** The callers' environments: in memory only, because they hold keys. After a restart the daemon's own stands in. */

export class Environments {
  readonly #ofWorkflow = new Map<string, Record<string, string>>();
  readonly #own: Record<string, string>;

  constructor(own: Record<string, string | undefined>) {
    this.#own = Object.fromEntries(
      Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  /** The environment that a workflow's turns and steps are given. */
  of(workflow: string): Record<string, string> {
    return this.#ofWorkflow.get(workflow) ?? this.#own;
  }

  set(workflow: string, env: Record<string, string> | undefined): void {
    if (env) this.#ofWorkflow.set(workflow, env);
  }

  forget(workflow: string): void {
    this.#ofWorkflow.delete(workflow);
  }
}
