import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone, none, some } from 'fp-ts/lib/Option.js'
import { quoted } from '../config/setting.ts'
import { hostOf, productNameOf, type Settings, WrongSettings } from '../config/settings.ts'
import { letterWriter } from '../mail/letters/letter.ts'
import { languages } from '../texts/languages.ts'
import { NO_FOLDER, type PagesFolder, pagesFolder } from '../texts/pages-folder.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** What sends mails, and what writes them. */
export const mail: ReadonlyArray<Module> = [
  provide(Dependency.pagesFolder, needs('settings'), ({ settings }) => {
    const problems = pagesFolderProblems(settings)
    const read = settings.pagesFolder === undefined ? undefined : pagesFolder(settings.pagesFolder)
    if (problems.length > 0 || (read !== undefined && isLeft(read)))
      throw new WrongSettings(problems.join('\n  '))
    return read?.right ?? NO_FOLDER
  }),
  provide(Dependency.languages, needs('settings', 'pagesFolder'), ({ settings, pagesFolder: { texts } }) =>
    languages(texts, settings.language),
  ),
  provide(Dependency.mailer, needs('settings', 'clock'), async ({ settings, clock }) => {
    if (settings.mail === undefined) return none
    const { smtpMailer } = await import('../mail/smtp/smtp.ts') // with nodemailer
    return some(smtpMailer({ ...settings.mail, hostName: hostOf(settings), clock }))
  }),
  provide(
    Dependency.mail,
    needs('settings', 'languages', 'pagesFolder', 'mailer'),
    ({ settings, languages: known, pagesFolder: folder, mailer }) =>
      settings.mail === undefined || isNone(mailer)
        ? none
        : some({
            mailer: mailer.value,
            writeLetter: letterWriter({
              name: productNameOf(settings) ?? settings.mail.name,
              contact: settings.mail.contact,
              url: settings.publicUrl,
              from: settings.mail.from.address,
              languages: known,
              template: folder.mail,
            }),
          }),
  ),
]

/** One sentence for each thing that is wrong with the folder and the language of the settings. */
export const pagesFolderProblems = ({ pagesFolder: path, language }: Settings): ReadonlyArray<string> => {
  const read = path === undefined ? undefined : pagesFolder(path)
  if (read !== undefined && isLeft(read))
    return read.left.map((problem) => `PAGES_FOLDER=${quoted(path ?? '')}: ${problem}`)
  const { available } = languages(read?.right.texts ?? {}, 'en')
  return available.includes(language)
    ? []
    : [`PAGES_LANGUAGE must be one of ${available.join(', ')}, got "${language}"`]
}

/** One sentence for each language in the folder that lacks texts. English ones stand in for them. */
export const missingTexts = ({ pagesFolder: path }: Settings): ReadonlyArray<string> => {
  const read = path === undefined ? undefined : pagesFolder(path)
  const { missing }: Pick<PagesFolder, 'missing'> =
    read === undefined || isLeft(read) ? NO_FOLDER : read.right
  return Object.entries(missing).map(([language, keys]) => `texts/${language}.json lacks ${keys.join(', ')}`)
}
