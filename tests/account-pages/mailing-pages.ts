import { some } from 'fp-ts/lib/Option.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { Letter } from '../../application/ports/mail.ts'
import { eventually } from '../support/eventually.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { memoryMailer } from '../support/memory-mailer.ts'
import { FOR_PAGES } from '../support/settings.ts'
import { type PagesService, startPages } from './pages-service.ts'

export type MailingPages = PagesService &
  Readonly<{
    letters: ReadonlyArray<Letter>
    /** The path of the link in the letter that this address gets. */
    linkTo: (address: string, page: string) => Promise<string>
  }>

/** Pages of a service that mails links. */
export const startMailingPages = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<MailingPages> => {
  const mailer = memoryMailer()
  const pages = await startPages(
    { ...mailLinkSettings(), ...FOR_PAGES, ...environment },
    provide(Dependency.mailer, () => some(mailer)),
    ...modules,
  )
  const { received: letters } = mailer
  const start = `${FOR_PAGES.PUBLIC_URL}/account/`
  return {
    ...pages,
    letters,
    linkTo: (address, page) =>
      eventually(`a link to ${page} for ${address}`, async () => {
        const [link] = letters
          .filter(({ to }) => to === address)
          .flatMap(({ text }) => text.split(/\s/).filter((word) => word.startsWith(`${start}${page}?`)))
        return link?.slice(`${FOR_PAGES.PUBLIC_URL}`.length)
      }),
  }
}
