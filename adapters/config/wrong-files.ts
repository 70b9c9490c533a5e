import { quoted } from './setting.ts'
import type { Settings } from './settings.ts'

/** What finds the problems of files. */
export type FileChecks = Readonly<{
  /** What is wrong with a list of leaked passwords, or undefined. */
  leakedListProblem(file: string): string | undefined
  pagesFolderProblems(settings: Settings): ReadonlyArray<string>
}>

/** One sentence for each unusable file that the settings name. */
export const wrongFiles = (settings: Settings, checks: FileChecks): ReadonlyArray<string> => {
  const { leakedPasswordsFile: file } = settings
  const problem = file === undefined ? undefined : checks.leakedListProblem(file)
  return [
    ...(file === undefined || problem === undefined
      ? []
      : [`PASSWORD_LEAKED_FILE=${quoted(file)}: ${problem}`]),
    ...checks.pagesFolderProblems(settings),
  ]
}
