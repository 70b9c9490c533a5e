import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { EventType } from '../../domain/event.ts'
import type { Session } from '../../domain/session.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { recordsOf, tampered } from './records.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('checkLog, given a session that is alive', () => {
  it('when its expiry is changed without a log entry, then it is reported', async () => {
    const world = await eventfulWorld()
    const [{ id, version } = { id: '', version: 0 }] = (await recordsOf(world.store)).sessions
    const store = tampered(world.store, 'sessions', (rows) =>
      rows.map((row) => (row.id === id ? { ...row, expiresAtSeconds: 1 } : row)),
    )
    expect(await check(world, store)).to.deep.equal([
      `sessions ${id} (version ${version}): expires_at differs from the log`,
    ])
  })
})

describe('checkLog, given a renewal or a step-up that another program has written', () => {
  const SESSION_TTL = 86_400

  /** A session, and a renewal and a step-up of it that no use case has decided. */
  const opened = async () => {
    const world = await newWorld({ environment: { SESSION_TTL: `${SESSION_TTL}` } })
    const { store, clock } = world
    const { caller } = await world.signIn()
    const record = recorder({ store, clock: clock.read, random: systemRandom, digests: nodeDigests })
    const factsNow = async () => {
      const found = await succeed(store.findSession(caller.session.id))
      if (isNone(found) || isNone(found.value.application)) throw new Error('the session does not exist')
      const { session, user, application } = found.value
      return { session, user, application: application.value }
    }
    const renew = async (alter: (session: Session) => Partial<Session>, later = 1_000) => {
      const { session, user, application } = await factsNow()
      const altered = { ...session, ...alter(session) }
      const expiresAtSeconds = altered.expiresAtSeconds + later
      const fact = {
        _tag: 'SessionRenewed',
        session: altered,
        user,
        application,
        expiresAtSeconds,
      } as const
      await succeed(record([fact], { kind: 'application', id: application.id }, CONTEXT))
    }
    const stepUp = async (alter: (session: Session) => Partial<Session>) => {
      const { session, user, application } = await factsNow()
      const fact = {
        _tag: 'SessionSteppedUp',
        session: { ...session, ...alter(session) },
        user,
        application,
        methods: 'password',
        authenticatedAtSeconds: Math.floor(clock.read() / 1000),
      } as const
      await succeed(record([fact], { kind: 'user', id: user.id }, CONTEXT))
    }
    return { world, caller, renew, stepUp }
  }
  type Opened = Awaited<ReturnType<typeof opened>>

  it('when the session is alive, then nothing is reported', async () => {
    const { world, renew, stepUp } = await opened()
    await renew(() => ({}))
    await stepUp(() => ({}))
    await renew((session) => ({ expiresAtSeconds: session.endsAtSeconds - 1_000 }))
    expect(await check(world, world.store)).to.deep.equal([])
  })

  type Task = () => Promise<{ _tag: 'Left' | 'Right' }>

  const ENDED = 'had ended before'
  const ENDS: ReadonlyArray<readonly [name: string, end: (world: World, caller: Opened['caller']) => Task]> =
    [
      ['it follows a sign-out', ({ service }, caller) => service.signOut(CONTEXT, caller)],
      [
        'it follows a new password',
        ({ service, ada }) => service.setPassword(CONTEXT, { user: ada.email, password: 'set' }),
      ],
      [
        'it follows the end of all sessions',
        ({ service, ada }) => service.endUserSessions(CONTEXT, ada.email),
      ],
      ['it follows a disabling', ({ service, ada }) => service.disableUser(CONTEXT, ada.email)],
      ['it follows a removal', ({ service, ada }) => service.removeUser(CONTEXT, ada.email)],
      [
        'it follows the revocation of its application',
        ({ service, shop }) => service.revokeApplication(CONTEXT, shop.application.id),
      ],
    ]
  const CASES: ReadonlyArray<
    readonly [type: EventType, name: string, write: (one: Opened) => Promise<void>, said: string]
  > = [
    ...ENDS.flatMap(([name, end]) => [
      ['SessionRenewed', name, onceEnded(end, ({ renew }) => renew(() => ({}))), ENDED] as const,
      ['SessionSteppedUp', name, onceEnded(end, ({ stepUp }) => stepUp(() => ({}))), ENDED] as const,
    ]),
    [
      'SessionRenewed',
      'it goes beyond the end of the session',
      ({ renew }) => renew((session) => ({ expiresAtSeconds: session.endsAtSeconds }), 1),
      'is renewed beyond its end',
    ],
    [
      'SessionRenewed',
      'it makes the expiry earlier',
      ({ renew }) => renew(({ expiresAtSeconds }) => ({ expiresAtSeconds: expiresAtSeconds - 9 }), 0),
      'is renewed to an earlier expiry',
    ],
    [
      'SessionRenewed',
      'it names another user',
      async ({ world, renew }) => {
        const user = { email: 'bob@example.com', password: 'bobs' }
        const { id } = await succeed(world.service.registerUser(CONTEXT, user, OPERATOR))
        await renew(() => ({ userId: id }))
      },
      'belongs to another user',
    ],
    [
      'SessionSteppedUp',
      'it names another user',
      async ({ world, stepUp }) => {
        const user = { email: 'bob@example.com', password: 'bobs' }
        const { id } = await succeed(world.service.registerUser(CONTEXT, user, OPERATOR))
        await stepUp(() => ({ userId: id }))
      },
      'belongs to another user',
    ],
  ]
  for (const [type, name, write, said] of CASES)
    it(`when ${name} (${type}), then it is reported with its position`, async () => {
      const one = await opened()
      await write(one)
      const { world, caller } = one
      const position = (await world.events()).find((one) => one.type === type)?.position
      expect(await check(world, world.store)).to.include(
        `the log at position ${position} (${type}): session ${caller.session.id} ${said}`,
      )
    })

  /** Continues the session after something that ended it. */
  function onceEnded(
    end: (world: World, caller: Opened['caller']) => Task,
    go: (one: Opened) => Promise<void>,
  ) {
    return async (one: Opened): Promise<void> => {
      expect(await end(one.world, one.caller)()).to.have.property('_tag', 'Right')
      await go(one)
    }
  }
})
