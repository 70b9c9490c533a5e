import { isNone, some } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aFactor, aOneTimeToken } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

export const EMAILS = ['bob@example.com', 'cleo@example.com', 'dan@example.com'] as const

const EVE = 'eve@example.com'

/** A world with every event that changes a row. */
export const eventfulWorld = async (): Promise<World> => {
  const world = await newWorld()
  const { service, ada } = world
  const [bob, cleo, dan] = EMAILS
  for (const email of EMAILS) {
    await succeed(service.registerUser(CONTEXT, { email, password: 'secret' }, OPERATOR))
  }
  await useOneTimeTokens(world)
  await useFactors(world)
  const here = await world.signIn()
  await world.signIn()
  const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
  await succeed(service.changePassword(CONTEXT, here.caller, change))
  const last = await world.signIn('new')
  await succeed(service.renewSession(CONTEXT, world.caller, { token: last.token }))
  await succeed(service.signOut(CONTEXT, (await world.signIn('new')).caller))
  await succeed(service.endOtherSessions(CONTEXT, last.caller))
  for (const email of [cleo, dan])
    await succeed(service.changeUserRoles(CONTEXT, email, { add: ['editor'], remove: [] }))
  await claimAndRename(world)
  await succeed(service.disableUser(CONTEXT, bob))
  await succeed(service.removeUser(CONTEXT, cleo))
  await succeed(service.setPassword(CONTEXT, { user: dan, password: 'set' }))
  await succeed(service.setPassword(CONTEXT, { user: ada.email, password: 'set' }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, world.shop))
  await succeed(service.revokeToken(CONTEXT, world.shop.application.id, token))
  const request = { id: world.shop.application.id, overlapSeconds: 60 }
  await succeed(service.rotateApplicationKey(CONTEXT, request))
  const other = await succeed(
    service.registerApplication(CONTEXT, { name: 'other', scope: 'users:register' }),
  )
  await succeed(service.revokeApplication(CONTEXT, other.application.id))
  await succeed(service.rotateKeys(CONTEXT, { purposes: ['user'], atOnce: false }))
  await succeed(service.rotateKeys(CONTEXT, { purposes: ['application'], atOnce: true }))
  await fail(service.signIn(CONTEXT, world.caller, { email: bob, password: 'secret' }))
  await world.background.settle()
  return world
}

/** Eve claims an account that another person registered, and is renamed. */
const claimAndRename = async ({ service, caller }: World): Promise<void> => {
  const email = EVE
  const { id } = await succeed(service.registerUser(CONTEXT, { email, password: 'secret' }, OPERATOR))
  const claim = { userId: undefined, email, method: 'fed', emailVerified: true }
  await succeed(service.signInVouched(CONTEXT, caller, claim))
  const patch = { name: 'Eve', metadata: { plan: 'gold' } }
  await succeed(service.changeAttributes(CONTEXT, { userId: id, patch }, OPERATOR))
}

/** One token is used, and one of the other purpose is not. */
const useOneTimeTokens = async ({ store, clock, ada, shop }: World): Promise<void> => {
  const record = recorder({ store, clock: clock.read, random: systemRandom, digests: nodeDigests })
  const user = async () => {
    const found = await succeed(store.findUser(ada.id))
    if (isNone(found)) throw new Error('the user does not exist')
    return found.value
  }
  const tokenFor = async (purpose: OneTimeToken['purpose']) => {
    const { id, email, passwordVersion } = await user()
    return aOneTimeToken({
      purpose,
      userId: id,
      applicationId: shop.application.id,
      passwordVersion,
      email,
    })
  }
  const application = { kind: 'application', id: shop.application.id } as const
  const token = await tokenFor('email_confirmation')
  await succeed(record([{ _tag: 'EmailConfirmationStarted', token }], application, CONTEXT))
  const used = await succeed(store.findOneTimeToken(token.digest))
  if (isNone(used)) throw new Error('the token does not exist')
  await succeed(record([{ _tag: 'EmailConfirmed', ...used.value }], { kind: 'user', id: ada.id }, CONTEXT))
  const recovery = await tokenFor('recovery')
  await succeed(record([{ _tag: 'RecoveryStarted', token: recovery }], application, CONTEXT))
}

/** Dan has factors and a sign-in that waits. Cleo's are removed with her. */
const useFactors = async ({ store, clock, shop }: World): Promise<void> => {
  const record = recorder({ store, clock: clock.read, random: systemRandom, digests: nodeDigests })
  const user = async (email: string) => {
    const found = await succeed(store.findUserByEmail(email))
    if (isNone(found)) throw new Error('the user does not exist')
    return found.value
  }
  const enrol = async (email: string) => {
    const factor = aFactor({ userId: (await user(email)).id, version: 0 })
    await succeed(record([{ _tag: 'FactorEnrolled', user: await user(email), factor }], OPERATOR, CONTEXT))
    return { ...factor, version: 1 }
  }
  const [, cleo, dan] = EMAILS
  await enrol(cleo)
  const factor = await enrol(dan)
  const { id: userId, ...changed } = await user(dan)
  const codes = aFactor({ userId, kind: 'recovery_codes', name: '', mark: 0, counter: 10, version: 0 })
  const used = { ...factor, createdAtSeconds: Math.floor(clock.read() / 1000), mark: factor.mark + 1 }
  await succeed(
    record(
      [
        { _tag: 'RecoveryCodesGenerated', user: { id: userId, ...changed }, codes },
        { _tag: 'FactorUsed', user: { id: userId, ...changed }, factor: used },
      ],
      OPERATOR,
      CONTEXT,
    ),
  )
  const token = aOneTimeToken({
    purpose: 'sign_in',
    userId,
    applicationId: shop.application.id,
    email: '',
    label: some('Firefox on Linux'),
  })
  const application = { kind: 'application', id: shop.application.id } as const
  await succeed(
    record([{ _tag: 'SecondFactorRequested', user: await user(dan), token }], application, CONTEXT),
  )
}

/** Returns the result of `checkLog` for a store in this world. */
export const check = ({ clock }: World, store: Store) =>
  succeed(checkLog({ store, clock: clock.read, digests: nodeDigests })).then(
    ({ disagreements }) => disagreements,
  )
