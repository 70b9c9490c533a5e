import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { identityProvidersIn } from './identity-providers.ts'
import { quoted } from './setting.ts'
import type { Settings } from './settings.ts'

/** What finds the problems of files. */
export type FileChecks = Readonly<{
  /** What is wrong with a list of leaked passwords, or undefined. */
  leakedListProblem(file: string): string | undefined
  /**
   * One sentence for each thing that is wrong with the folder and the language of the settings. If nothing is, then one for each language
   * of the folder that lacks texts.
   */
  checkTexts(settings: Settings): Either<ReadonlyArray<string>, ReadonlyArray<string>>
}>

/** One sentence for each unusable file that the settings name. */
export const wrongFiles = (settings: Settings, checks: FileChecks): ReadonlyArray<string> => {
  const { leakedPasswordsFile: file, identityProvidersFile } = settings
  const problem = file === undefined ? undefined : checks.leakedListProblem(file)
  const providers =
    identityProvidersFile === undefined ? undefined : identityProvidersIn(identityProvidersFile)
  const texts = checks.checkTexts(settings)
  return [
    ...(file === undefined || problem === undefined
      ? []
      : [`PASSWORD_LEAKED_FILE=${quoted(file)}: ${problem}`]),
    ...(providers !== undefined && isLeft(providers) ? providers.left : []),
    ...(isLeft(texts) ? texts.left : []),
  ]
}
