import { quoted } from './setting.ts'
import type { Settings } from './settings.ts'

/** What is wrong with a file or a folder, or undefined. */
export type FileProblem = (path: string) => string | undefined

/** One sentence for each unusable file that the settings name. */
export const wrongFiles = (
  { leakedPasswordsFile: file }: Settings,
  listProblem: FileProblem,
): ReadonlyArray<string> => {
  const problem = file === undefined ? undefined : listProblem(file)
  return file === undefined || problem === undefined
    ? []
    : [`PASSWORD_LEAKED_FILE=${quoted(file)}: ${problem}`]
}
