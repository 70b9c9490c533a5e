import { some } from 'fp-ts/lib/Option.js'
import { Agent, request } from 'undici'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide } from '../../adapters/index.ts'
import { systemRandom } from '../../adapters/node/environment.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import { sealRegistration } from '../../application/recording/registration-links.ts'
import { eventually } from '../support/eventually.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { type MemoryMailer, memoryMailer } from '../support/memory-mailer.ts'
import { settings } from '../support/settings.ts'
import { type PageAnswer, type PagesService, startPages } from './pages-service.ts'

export const REGISTER = '/account/register'

export const WITH_REGISTRATION = { ...mailLinkSettings(), ACCOUNT_PAGES: 'on', PAGES_REGISTRATION: 'on' }

export type RegisterDesk = PagesService &
  Readonly<{
    mailer: MemoryMailer
    /** The path of the link in the last mail of a registration to this address, which may be on its way. */
    linkTo: (address: string) => Promise<string>
    newLink: typeof newLink
  }>

/** Pages on which strangers register. Mails end in memory. */
export const startRegistering = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<RegisterDesk> => {
  const mailer = memoryMailer()
  const pages = await startPages(
    { ...WITH_REGISTRATION, ...environment },
    provide(Dependency.mailer, () => some(mailer)),
    ...modules,
  )
  const linkTo = (address: string) =>
    eventually(`a registration mail to ${address}`, async () => linkIn(mailer, address))
  return {
    ...pages,
    mailer,
    linkTo,
    newLink,
  }
}

/** The path of a link as the sender makes it, with the key of `mailLinkSettings`. Most tests need no mail, for which they would wait. */
export const newLink = (email: string): string => {
  const sealing = aesSealing([{ secret: '1'.repeat(64) }], { now: () => 0 })
  const settings = { emailConfirmationTtlSeconds: 86_400 }
  const dependencies = { sealing, clock: Date.now, random: systemRandom, settings }
  return `${REGISTER}?token=${sealRegistration(dependencies, { userId: systemRandom.uuid(), email })}`
}

const linkIn = ({ received }: MemoryMailer, address: string): string | undefined => {
  const letter = received.filter(({ kind, to }) => kind === 'registration' && to === address).at(-1)
  return letter && /^https:\/\/service\.test(\/account\/register\?token=\S+)$/m.exec(letter.text)?.[1]
}

/** The token of a link. */
export const tokenOf = (link: string): string =>
  new URL(link, 'https://service.test').searchParams.get('token') ?? ''

/** Another instance on the same store. */
export const startInstance = async (
  environment: Environment,
  ...modules: ReadonlyArray<Module>
): Promise<Pick<PagesService, 'service' | 'get' | 'post' | 'stop'>> => {
  const service = await compose(
    settings({ ACCOUNT_PAGES: 'on', ...environment }),
    provide(Dependency.mailer, () => some(memoryMailer())),
    ...modules,
  )
  const baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`
  const dispatcher = new Agent()
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body: string | null = null,
  ): Promise<PageAnswer> => {
    const answer = await request(`${baseUrl}${path}`, { dispatcher, method, body, headers })
    return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() }
  }
  return {
    service,
    get: (path, headers) => send('GET', path, headers),
    post: (path, form, headers) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(form as Record<string, string>).toString(),
      ),
    stop: async () => {
      await dispatcher.close()
      await service.stop()
    },
  }
}
