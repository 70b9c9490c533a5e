import { right } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type BrowserDesk, browserDesk, hiddenIn } from './browser-desk.ts'
import { type PageAnswer, type PagesService, startPages } from './pages-service.ts'

export const PATH = '/account/security'

/** The middle of a step of 30 seconds, near enough. */
export const START = Date.parse('2026-11-20T12:00:15Z')

/** A second person, whose e-mail is verified. */
export const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }

type Values = Readonly<Record<string, string>>

/** A browser at the page. It signs Eve in. */
export type SecurityDesk = BrowserDesk &
  Readonly<{
    list: () => Promise<PageAnswer>
    step: (step: string, more?: Values) => Promise<PageAnswer>
    /** Starts to enrol an app, and returns what its form sends with the right code. */
    start: () => Promise<Readonly<{ secret: string; form: Values; shown: PageAnswer }>>
    /** Enrols an app, and returns its secret and what the page showed. */
    enrol: () => Promise<Readonly<{ secret: string; shown: PageAnswer }>>
    /** Asks for new recovery codes with the button of the list. */
    renewCodes: () => Promise<PageAnswer>
  }>

/** The page at a service whose clock the test sets. */
export type SecurityService = PagesService &
  Readonly<{
    time: { now: number }
    /** A new browser, at this instance or at another one. */
    desk: (instance?: Pick<PagesService, 'get' | 'post'>) => SecurityDesk
    /** The code of an app, so many steps from now. */
    code: (secret: string, steps?: number) => string
    data: (type: EventType) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
    eveId: string
  }>

/** The modules of a service whose clock the test sets. */
export const clockOf = (time: Readonly<{ now: number }>): ReadonlyArray<Module> => [
  provide(Dependency.clock, () => () => time.now),
  provide(Dependency.steadyClock, () => async () => right(time.now)),
]

/** @param store to look at, as well as the service */
export const startSecurity = async (
  store: Store,
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<SecurityService> => {
  const time = { now: START }
  const running = await startPages({ ...FACTOR_SETTINGS, ...environment }, ...modules, ...clockOf(time))
  const { id } = await succeed(
    running.service.registerUser(CONTEXT, { ...EVE, emailVerified: true }, OPERATOR),
  )
  const code = (secret: string, steps = 0) => totpAt(secret, time.now, steps)
  return {
    ...running,
    time,
    eveId: id,
    code,
    desk: (instance = running) => securityDesk(browserDesk({ ...instance, ada: { ...EVE, id } }), code),
    data: async (type) => (await eventsOf(store, type)).map((entry) => ({ ...entry.data })),
  }
}

const securityDesk = (browser: BrowserDesk, code: SecurityService['code']): SecurityDesk => {
  const list = () => browser.get(PATH)
  const step: SecurityDesk['step'] = (name, more) => browser.post(PATH, { step: name, ...more })
  const start: SecurityDesk['start'] = async () => {
    const shown = await step('add_totp')
    const secret = secretIn(shown)
    const [enrolment, factor_id] = [hiddenIn(shown, 'enrolment'), hiddenIn(shown, 'factor_id')]
    return { secret, shown, form: { enrolment, factor_id, totp: secret === '' ? '' : code(secret) } }
  }
  return {
    ...browser,
    list,
    step,
    start,
    enrol: async () => {
      const { secret, form } = await start()
      return { secret, shown: await step('complete_totp', form) }
    },
    renewCodes: async () => step('recovery_codes', { version: hiddenIn(await list(), 'version') }),
  }
}

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

/** Where the page leads a person whose session ended meanwhile. */
export const EXPIRED = [303, '/account/sign-in?continue=%2Faccount%2Fsecurity&notice=expired']
/** Where it leads a person who must prove again who that is. */
export const STEP_UP = [303, '/account/step-up?continue=%2Faccount%2Fsecurity']

/** A success with a notice. */
export const told = (notice: string) => [303, `${PATH}?notice=${notice}`]
