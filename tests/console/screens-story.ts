import { composeOperations, Dependency, provide } from '../../adapters/index.ts'
import type { NewApplication } from '../../application/applications/register-application.ts'
import { append, aSummary } from '../support/modelled-log.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import type { ScreensHere } from './screens-here.ts'

const HOUR = 3_600
export const PASSWORD = 'correct horse'

/** Ids by name. */
export type Story = Readonly<Record<'ada' | 'bob' | 'carol' | 'dan' | 'eve' | 'fay', string>> &
  Readonly<{ shop: NewApplication; bank: NewApplication }>

/** Signs in, or is refused. */
export const signIn = async (
  { service, settle }: ScreensHere,
  through: NewApplication,
  email: string,
  password = PASSWORD,
): Promise<void> => {
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, through))
  const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
  await service.signIn(CONTEXT, caller, { email, password })()
  await settle()
}

/**
 * Two days. On 1 March 2026 ada signs in at 9:00 and 10:00, and carol at 10:00. On 2 March at 12:00 only ada can sign in: bob is
 * disabled, carol has forgotten the password, dan has no second factor for the bank, the record of eve has an unknown pepper, and fay is removed.
 */
export const tell = async (here: ScreensHere): Promise<Story> => {
  const { service, clock } = here
  const bank = await succeed(
    service.registerApplication(CONTEXT, { name: 'bank', scope: 'users:sign_in', requireAal2: true }),
  )
  clock.passSeconds(HOUR)
  const shop = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }))
  const user = async (name: string) =>
    (
      await succeed(
        service.registerUser(CONTEXT, { email: `${name}@example.com`, password: PASSWORD }, OPERATOR),
      )
    ).id
  const ids = {
    ada: await user('ada'),
    bob: await user('bob'),
    carol: await user('carol'),
    dan: await user('dan'),
    fay: await user('fay'),
  }
  const eve = await registerUnderPepper(here, 'eve@example.com')
  await signIn(here, shop, 'ada@example.com')
  clock.passSeconds(HOUR)
  await signIn(here, shop, 'ada@example.com')
  await signIn(here, shop, 'carol@example.com')
  clock.passSeconds(26 * HOUR)
  await succeed(service.disableUser(CONTEXT, ids.bob))
  await signIn(here, shop, 'bob@example.com')
  await signIn(here, shop, 'carol@example.com', 'forgotten')
  await signIn(here, bank, 'dan@example.com')
  await signIn(here, shop, 'eve@example.com')
  await signIn(here, shop, 'ghost@example.com')
  await succeed(service.removeUser(CONTEXT, ids.fay))
  await signIn(here, shop, 'fay@example.com')
  return { ...ids, eve, shop, bank }
}

/** Registers a user whose password no process without the same pepper can verify. */
const registerUnderPepper = async ({ clock, files }: ScreensHere, email: string): Promise<string> => {
  const peppered = await composeOperations(
    settings({ DATABASE_URL: `sqlite:${files.store}`, PASSWORD_PEPPER: `new:${'pepper-'.repeat(8)}` }),
    provide(Dependency.clock, () => clock.read),
  )
  try {
    return (await succeed(peppered.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))).id
  } finally {
    await peppered.close()
  }
}

/** Refused sign-ins of a user that the log only counts, at the time of the clock. */
export const attack = ({ service, clock }: ScreensHere, count: number, user: string): Promise<void> =>
  append(
    service.store,
    aSummary(
      { wrong_password: count - 1, unknown_email: 1 },
      { at: new Date(clock.read()).toISOString(), user },
    ),
  )
