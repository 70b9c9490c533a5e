import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { type Session, sessionEnd } from '../../domain/session.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { recordsOf, tampered } from './histories.ts'
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

describe('checkLog, given a renewal that another program has written', () => {
  const SESSION_TTL = 86_400

  /** A session, and a renewal of it that no use case has decided. */
  const opened = async () => {
    const world = await newWorld({ environment: { SESSION_TTL: `${SESSION_TTL}` } })
    const { store, clock } = world
    const { caller } = await world.signIn()
    const record = recorder({ store, clock: clock.read, random: systemRandom, digests: nodeDigests })
    const renew = async (alter: (session: Session) => Partial<Session>, later = 1_000) => {
      const found = await succeed(store.findSession(caller.session.id))
      if (isNone(found) || isNone(found.value.application)) throw new Error('the session does not exist')
      const { session, user, application } = found.value
      const altered = { ...session, ...alter(session) }
      const expiresAtSeconds = altered.expiresAtSeconds + later
      const fact = {
        _tag: 'SessionRenewed',
        session: altered,
        user,
        application: application.value,
        expiresAtSeconds,
      } as const
      await succeed(record([fact], { kind: 'application', id: application.value.id }, CONTEXT))
    }
    return { world, caller, renew }
  }
  type Opened = Awaited<ReturnType<typeof opened>>

  it('when the session is alive, then nothing is reported', async () => {
    const { world, renew } = await opened()
    await renew(() => ({}))
    await renew((session) => ({ expiresAtSeconds: sessionEnd(session) - 1_000 }))
    expect(await check(world, world.store)).to.deep.equal([])
  })

  const ENDED = 'had ended before'
  const CASES: ReadonlyArray<readonly [name: string, write: (one: Opened) => Promise<void>, said: string]> = [
    ['it follows a sign-out', renewedAfter((world, caller) => world.service.signOut(CONTEXT, caller)), ENDED],
    [
      'it follows a new password',
      renewedAfter(({ service, ada }) => service.setPassword(CONTEXT, { user: ada.email, password: 'set' })),
      ENDED,
    ],
    [
      'it follows the end of all sessions',
      renewedAfter(({ service, ada }) => service.endUserSessions(CONTEXT, ada.email)),
      ENDED,
    ],
    [
      'it follows a disabling',
      renewedAfter(({ service, ada }) => service.disableUser(CONTEXT, ada.email)),
      ENDED,
    ],
    [
      'it follows a removal',
      renewedAfter(({ service, ada }) => service.removeUser(CONTEXT, ada.email)),
      ENDED,
    ],
    [
      'it follows the revocation of its application',
      renewedAfter(({ service, shop }) => service.revokeApplication(CONTEXT, shop.application.id)),
      ENDED,
    ],
    [
      'it goes beyond the end of the session',
      ({ renew }) => renew((session) => ({ expiresAtSeconds: sessionEnd(session) }), 1),
      'is renewed beyond its end',
    ],
    [
      'it makes the expiry earlier',
      ({ renew }) => renew(({ expiresAtSeconds }) => ({ expiresAtSeconds: expiresAtSeconds - 9 }), 0),
      'is renewed to an earlier expiry',
    ],
    [
      'it names another user',
      async ({ world, renew }) => {
        const user = { email: 'bob@example.com', password: 'bobs' }
        const { id } = await succeed(world.service.registerUser(CONTEXT, user, OPERATOR))
        await renew(() => ({ userId: id }))
      },
      'belongs to another user',
    ],
  ]
  for (const [name, write, said] of CASES)
    it(`when ${name}, then it is reported with its position`, async () => {
      const one = await opened()
      await write(one)
      const { world, caller } = one
      const position = (await world.events()).find(({ type }) => type === 'SessionRenewed')?.position
      expect(await check(world, world.store)).to.include(
        `the log at position ${position} (SessionRenewed): session ${caller.session.id} ${said}`,
      )
    })

  type Task = () => Promise<{ _tag: 'Left' | 'Right' }>

  /** Renews after something that ended the session. */
  function renewedAfter(end: (world: World, caller: Opened['caller']) => Task) {
    return async ({ world, caller, renew }: Opened): Promise<void> => {
      expect(await end(world, caller)()).to.have.property('_tag', 'Right')
      await renew(() => ({}))
    }
  }
})
