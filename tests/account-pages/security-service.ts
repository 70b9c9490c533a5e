import { right } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { codeOfLink, type PageAnswer, type PagesService, startPages } from './pages-service.ts'

export const PATH = '/account/security'

/** The middle of a step of 30 seconds, near enough. */
export const START = Date.parse('2026-11-20T12:00:15Z')

/** A second person, whose e-mail is verified. */
export const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }

type Values = Readonly<Record<string, string>>

/** The page at a service whose clock the test sets. */
export type SecurityService = Omit<PagesService, 'post'> &
  Readonly<{
    time: { now: number }
    post: (form: Values, headers?: Values) => Promise<PageAnswer>
    /** Posts to another page. */
    postTo: PagesService['post']
    /** Sends step 1, by default of Eve. */
    signIn: (credentials?: Values) => Promise<PageAnswer>
    /** Sends one step with the proof that a page gave. */
    step: (step: string, from: PageAnswer | string, more?: Values) => Promise<PageAnswer>
    /** Enrols an app after a sign-in, and returns its secret and what the page showed. */
    enrol: (from: PageAnswer) => Promise<Readonly<{ secret: string; shown: PageAnswer }>>
    /** The code of an app, so many steps from now. */
    code: (secret: string, steps?: number) => string
    data: (type: EventType) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
    eveId: string
  }>

/** @param store to look at, as well as the service */
export const startSecurity = async (
  store: Store,
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<SecurityService> => {
  const time = { now: START }
  const running = await startPages(
    { ...FACTOR_SETTINGS, ...environment },
    ...modules,
    provide(Dependency.clock, () => () => time.now),
    provide(Dependency.steadyClock, () => async () => right(time.now)),
  )
  const { id } = await succeed(
    running.service.registerUser(CONTEXT, { ...EVE, emailVerified: true }, OPERATOR),
  )
  const post: SecurityService['post'] = (form, headers) => running.post(PATH, form, headers)
  const step: SecurityService['step'] = (name, from, more) =>
    post({ step: name, proof: typeof from === 'string' ? from : proofIn(from), ...more })
  const code = (secret: string, steps = 0) => totpAt(secret, time.now, steps)
  return {
    ...running,
    time,
    eveId: id,
    post,
    postTo: running.post,
    signIn: (credentials = EVE) => post({ step: 'sign_in', ...credentials }),
    step,
    code,
    enrol: async (from) => {
      const form = await step('add_totp', from)
      const secret = secretIn(form)
      const more = { enrolment: hiddenIn(form, 'enrolment'), totp: code(secret) }
      return { secret, shown: await step('complete_totp', form, more) }
    },
    data: async (type) => (await eventsOf(store, type)).map((entry) => ({ ...entry.data })),
  }
}

/** The value of a hidden input. */
export const hiddenIn = ({ html }: PageAnswer, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(html)?.[1] ?? ''

export const proofIn = (page: PageAnswer): string => hiddenIn(page, 'proof')

/** The secret that the page shows in groups. */
export const secretIn = ({ html }: PageAnswer): string =>
  /<code id="secret">([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? ''

/** The recovery codes that the page shows. */
export const codesIn = ({ html }: PageAnswer): ReadonlyArray<string> =>
  [...html.matchAll(/<li><code>([a-z2-7-]{29})<\/code><\/li>/g)].map(([, code = '']) => code)

export const headingOf = ({ html }: PageAnswer): string => /<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? ''

/** What a page is: its status and heading. */
export const seen = (page: PageAnswer) => [page.status, headingOf(page)]

export const LIST = [200, 'Your second factors']
export const SECOND_STEP = [200, 'Enter a code']
/** Whether the visit has ended. The page has a code and the form of step 1. */
export const isEnded = ({ status, html }: PageAnswer): boolean =>
  status === 422 && codeOfLink(html) === 8 && html.includes('name="step" value="sign_in"')

/** Seals like the service under test. */
export const SEALING = aesSealing([{ secret: 'key-encryption-key-of-tests-'.repeat(2) }], { now: () => 0 })
