import * as E from 'fp-ts/lib/Either.js'
import { languages } from './languages.ts'
import { NO_FOLDER, type PagesFolder, pagesFolder } from './pages-folder.ts'

/** `pagesFolder` is a path. */
type Wished = Readonly<{ pagesFolder: string | undefined; language: string }>

/**
 * Reads the folder of the settings, or says in a sentence each what is wrong with it and with the language.
 *
 * @param quoted shows the value of a setting without a secret
 */
export const wishedFolder = (
  { pagesFolder: path, language }: Wished,
  quoted: (text: string) => string,
): E.Either<ReadonlyArray<string>, PagesFolder> => {
  const read = path === undefined ? E.right(NO_FOLDER) : pagesFolder(path)
  if (E.isLeft(read))
    return E.left(read.left.map((problem) => `PAGES_FOLDER=${quoted(path ?? '')}: ${problem}`))
  const { available } = languages(read.right.texts, 'en')
  return available.includes(language)
    ? read
    : E.left([`PAGES_LANGUAGE must be one of ${available.join(', ')}, got "${language}"`])
}

/** One sentence for each language in the folder that lacks texts. English ones stand in for them. */
export const missingTexts = ({ missing }: Pick<PagesFolder, 'missing'>): ReadonlyArray<string> =>
  Object.entries(missing).map(([language, keys]) => `texts/${language}.json lacks ${keys.join(', ')}`)
