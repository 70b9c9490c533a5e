import { expect } from 'chai'
import { left, map } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { compose, Dependency, type Module, provide, type Service } from '../../adapters/index.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Change } from '../../application/ports/store.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import { type RegistrationLink, sealRegistration } from '../../application/recording/registration-links.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { newId } from '../testkit/builders.ts'
import { tally, wholeLog } from '../testkit/outcome.ts'
import { CONTEXT, NOW, newWorld } from './world.ts'

const EVE = 'eve@example.com'
const DAY = 86_400
const SETTINGS = { ...mailLinkSettings(), PUBLIC_URL: 'https://service.test', PAGES_REGISTRATION: 'on' }
const CHOSEN = { newPassword: 'chosen', newPasswordCheck: 'chosen', label: 'Firefox on Linux' }
const BROWSER: RequestContext = { ...CONTEXT, browser: { cookie: 'digest', formerSessionId: none } }

const SEALING = aesSealing([{ secret: '1'.repeat(64) }], { now: () => 0 }) // the key of `mailLinkSettings`

const linkOf = (
  { clock }: Readonly<{ clock: Readonly<{ read: () => number }> }>,
  link: RegistrationLink = { userId: newId(), email: EVE },
  lifetimeSeconds = DAY,
): string =>
  sealRegistration(
    {
      sealing: SEALING,
      clock: clock.read,
      random: { uuid: newId, bytes: (length) => new Uint8Array(length) },
      settings: { emailConfirmationTtlSeconds: lifetimeSeconds },
    },
    link,
  )

const desk = async (environment = {}, ...modules: ReadonlyArray<Module>) => {
  const world = await newWorld({ environment: { ...SETTINGS, ...environment }, modules })
  const { registration, browsers } = world.service
  if (registration === undefined || browsers === undefined) throw new Error('strangers cannot register')
  const caller = await succeed(browsers.application())
  const complete = (token: string | undefined, more: object = {}, context = BROWSER) =>
    registration.complete(context, caller, { token, ...CHOSEN, ...more })
  return { ...world, registration, pages: caller, complete }
}

describe('completeRegistration', () => {
  it('makes the account with the id and the e-mail of the link, verified, and its session, in one change', async () => {
    const storage = memoryStorage(() => Date.parse(NOW))
    const changes: Array<Change> = []
    const commit: typeof storage.store.commit = (change) => {
      changes.push(change)
      return storage.store.commit(change)
    }
    const world = await desk(
      {},
      provide(Dependency.storage, () => ({ store: { ...storage.store, commit }, outbox: storage.outbox })),
    )
    const userId = newId()
    changes.length = 0
    const signedIn = await succeed(world.complete(linkOf(world, { userId, email: EVE })))
    expect(changes.map(({ events }) => events.map(({ type, actor }) => [type, actor]))).to.deep.equal([
      [
        ['UserRegistered', { kind: 'application', id: world.pages.application.id }],
        ['UserSignedIn', { kind: 'application', id: world.pages.application.id }],
      ],
    ])
    const user = await succeed(storage.store.findUser(userId))
    expect(isSome(user) && user.value).to.include({ email: EVE, emailVerified: true, status: 'enabled' })
    const sessionId = isSome(signedIn) ? signedIn.value.sessionId : ''
    const found = await succeed(storage.store.findSession(sessionId))
    expect(isSome(found) && found.value.session).to.deep.include({
      userId,
      cookie: some('digest'),
      label: some('Firefox on Linux'),
    })
    expect(JSON.stringify(changes.map(({ events }) => events))).not.to.include('eve')
  })

  it('makes the account without a session without a browser, or if the application demands more', async () => {
    const world = await desk()
    expect(isNone(await succeed(world.complete(linkOf(world), {}, CONTEXT)))).to.equal(true)
    const application = { ...world.pages.application, requiredAssurance: 'aal2' } as const
    const strict = await world.registration.complete(
      BROWSER,
      { ...world.pages, application },
      { token: linkOf(world, { userId: newId(), email: 'grace@example.com' }), ...CHOSEN },
    )()
    expect(strict).to.have.nested.property('right._tag', 'None')
    expect((await world.events()).map(({ type }) => type)).to.deep.equal(['UserRegistered', 'UserRegistered'])
  })

  it('refuses a link that has ended, is not ours, or of another purpose', async () => {
    const world = await desk()
    const refused = { _tag: 'Invalid', problems: ['TokenInvalid'] }
    for (const token of [
      'x',
      linkOf(world, undefined, DAY - 1),
      SEALING.seal('0\nA\na\nb', ['browser', 'device'], DAY),
    ])
      expect(await fail(world.complete(token))).to.deep.equal(refused)
    const token = linkOf(world)
    world.clock.passSeconds(DAY + 1)
    expect(await fail(world.complete(token))).to.deep.equal(refused)
    expect(await fail(world.complete(undefined))).to.deep.equal({ ...refused, problems: ['TokenMissing'] })
  })

  it('makes no second account with a used link, also if its account is removed', async () => {
    const world = await desk()
    const token = linkOf(world)
    await succeed(world.complete(token))
    const already = { _tag: 'AlreadyRegistered' }
    expect(await fail(world.complete(token))).to.deep.equal(already)
    await succeed(world.service.removeUser(CONTEXT, EVE))
    expect(await fail(world.complete(token))).to.deep.equal(already)
    expect(await fail(world.registration.read(token))).to.deep.equal(already)
    await succeed(world.complete(linkOf(world))) // the e-mail itself is free
  })

  it('makes no account for an e-mail that has one by then', async () => {
    const world = await desk()
    const token = linkOf(world)
    await succeed(world.service.registerUser(CONTEXT, { email: 'EVE@example.com', password: 'x' }, OPERATOR))
    expect(await fail(world.complete(token))).to.deep.equal({ _tag: 'AlreadyRegistered' })
  })

  it('looks for a weak password only behind a link, and notes it and too many registrations with the codes of the API', async () => {
    const looked: Array<string | undefined> = []
    const find = Object.assign(
      (password: string | undefined, email: string | undefined) => {
        looked.push(email)
        return TE.right(password === 'weak' ? some('PasswordTooShort' as const) : none)
      },
      { isExpensive: () => true },
    )
    const world = await desk(
      { THROTTLE_REGISTRATIONS: '1' },
      provide(Dependency.findWeakness, () => find),
    )
    const context = { ...BROWSER, endUserAddress: '192.0.2.1' }
    looked.length = 0
    await fail(world.complete('x', {}, context))
    expect(looked).to.deep.equal([])
    await fail(world.complete(linkOf(world), { newPassword: 'weak', newPasswordCheck: 'weak' }, context))
    expect(looked).to.deep.equal([EVE])
    await fail(world.complete(linkOf(world), { newPassword: '', newPasswordCheck: '' }, context))
    await succeed(world.complete(linkOf(world), {}, context))
    const late = linkOf(world, { userId: newId(), email: 'grace@example.com' })
    expect(await fail(world.complete(late, {}, context))).to.include({
      _tag: 'Throttled',
      tooMany: 'registrations',
    })
    const noted = (await world.settledEvents()).flatMap(({ type, data }) =>
      type === 'RegistrationRefused' && 'codes' in data ? [data.codes] : [],
    )
    expect(noted).to.deep.equal([[6], [2], []])
  })

  it('is absent unless strangers may register', async () => {
    const world = await newWorld({ environment: { ...SETTINGS, PAGES_REGISTRATION: 'off' } })
    expect(world.service.registration).to.equal(undefined)
  })

  it('writes nothing that half exists if the store fails', async () => {
    const storage = memoryStorage(() => Date.parse(NOW))
    let isBroken = false
    const commit: typeof storage.store.commit = (change) => async () =>
      isBroken ? left({ _tag: 'StoreUnavailable', reason: 'away' }) : storage.store.commit(change)()
    const world = await desk(
      {},
      provide(Dependency.storage, () => ({ store: { ...storage.store, commit }, outbox: storage.outbox })),
    )
    const token = linkOf(world)
    isBroken = true
    expect(await fail(world.complete(token))).to.include({ _tag: 'StoreUnavailable' })
    isBroken = false
    expect(isSome(await succeed(world.complete(token)))).to.equal(true)
  })
})

for (const { name, layOut } of SHARED_STORES)
  describe(`registrations on two instances, on ${name}`, () => {
    it('two registrations with one link: one account', async () => {
      const place = await layOut()
      const start = () => compose(settings({ ...SETTINGS, DATABASE_URL: place.url }))
      const services = [await start(), await start()] as const
      try {
        const token = linkOf({ clock: { read: Date.now } })
        const complete = async ({ registration, browsers }: Service) => {
          if (registration === undefined || browsers === undefined)
            throw new Error('strangers cannot register')
          const caller = await succeed(browsers.application())
          return registration.complete(BROWSER, caller, { token, ...CHOSEN })()
        }
        const outcomes = await Promise.all([...services, ...services].map(complete))
        expect(tally(outcomes.map(map(() => undefined)))).to.deep.equal({ success: 1, AlreadyRegistered: 3 })
        const types = (await wholeLog(services[0].store)).map(({ type }) => type)
        expect(types.filter((type) => type.startsWith('User'))).to.deep.equal([
          'UserRegistered',
          'UserSignedIn',
        ])
      } finally {
        for (const service of services) await service.stop()
        await place.remove()
      }
    })
  })
