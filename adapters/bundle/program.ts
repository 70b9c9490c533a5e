import type { Composition } from '../cli/composition.ts'

export { run } from '../cli/program.ts'

/** Loads all that a command needs besides its own code. `--help` does without it. */
export const loadComposition = async (): Promise<Composition> =>
  (await import('../composition/compose.ts')).composition

/** Loads the checks of `doctor`. */
export const loadChecks = async () => (await import('../cli/commands.ts')).findingsOf
