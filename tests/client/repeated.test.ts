import { expect } from 'chai'
import { PortcullisUnavailable } from '../../adapters/client/client.ts'
import { OPERATIONS } from '../../adapters/client/operations.ts'
import type { Operation } from '../../adapters/client/results.ts'
import { CALLS, type Kind } from './calls.ts'
import {
  dropAnswering,
  dropRead,
  dropUnread,
  envelope,
  type FaultyServer,
  html,
  json,
  type Play,
  redirect,
  startFaultyServer,
  success,
  unavailable,
} from './faulty-server.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

/** How many requests the server gets, and what the program gets: a value, or an error with this outcome. */
type Expected = readonly [requests: number, got: 'value' | 'none' | 'unknown']
type Row = readonly [fault: string, play: Play, expected: Readonly<Record<Kind, Expected>>]

/** Every kind but a sign-in is sent again. */
const NOTHING_CHANGED: Row[2] = {
  read: [2, 'value'],
  repeatable: [2, 'value'],
  change: [2, 'value'],
  once: [1, 'none'],
}
/** Only what does no harm twice is sent again. */
const UNCLEAR: Row[2] = {
  read: [2, 'value'],
  repeatable: [2, 'value'],
  change: [1, 'unknown'],
  once: [1, 'unknown'],
}
/** Nothing is sent again. */
const NEVER: Row[2] = {
  read: [1, 'none'],
  repeatable: [1, 'unknown'],
  change: [1, 'unknown'],
  once: [1, 'unknown'],
}

/** The fault comes once. Then the server answers. */
const ONCE: ReadonlyArray<Row> = [
  ['503 with the outcome none', unavailable('none', '0'), NOTHING_CHANGED],
  ['503 with the outcome none and no Retry-After', unavailable('none'), NOTHING_CHANGED],
  ['503 with the outcome unknown', unavailable('unknown', '0'), UNCLEAR],
  ['503 with the outcome unknown and no Retry-After', unavailable('unknown'), UNCLEAR],
  ['503 with another outcome', envelope(503, { outcome: 'partly' }), UNCLEAR],
  ['503 without an outcome', envelope(503), UNCLEAR],
  ['503 in HTML', html(503), UNCLEAR],
  ['502 in HTML', html(502), UNCLEAR],
  ['504 in HTML', html(504), UNCLEAR],
  ['a connection that ends before the body is read', dropUnread, UNCLEAR],
  ['a connection that ends before the answer', dropRead, UNCLEAR],
  ['a connection that ends within the answer', dropAnswering, UNCLEAR],
  ['500', envelope(500), NEVER],
  ['500 with an outcome', envelope(500, { outcome: 'unknown' }), NEVER],
  ['500 in HTML', html(500), NEVER],
  ['a redirect to the same server', redirect('/elsewhere'), NEVER],
]

const ALWAYS_CLOSED: Row[2] = {
  read: [4, 'none'],
  repeatable: [4, 'unknown'],
  change: [1, 'unknown'],
  once: [1, 'unknown'],
}

/** The fault comes each time. */
const ALWAYS: ReadonlyArray<Row> = [
  [
    '503 with the outcome none',
    unavailable('none', '0'),
    { read: [4, 'none'], repeatable: [4, 'none'], change: [4, 'none'], once: [1, 'none'] },
  ],
  [
    '503 with the outcome unknown',
    unavailable('unknown', '0'),
    { read: [4, 'none'], repeatable: [4, 'unknown'], change: [1, 'unknown'], once: [1, 'unknown'] },
  ],
  ['a connection that ends before the answer', dropRead, ALWAYS_CLOSED],
]

describe('the client repeats', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  /** What the server saw, and what the program got. */
  const outcomeOf = async (call: (typeof CALLS)[number]): Promise<Expected> => {
    const { auth } = timedClient(server)
    const got = await call.send(auth).catch((error: unknown) => error)
    if (got instanceof PortcullisUnavailable) return [server.seen.length, got.outcome]
    expect(got).to.have.property('ok', true)
    return [server.seen.length, 'value']
  }

  for (const call of CALLS) {
    const { id, kind } = call
    describe(`${id} (${kind})`, () => {
      for (const [fault, play, { [kind]: expected }] of ONCE)
        it(`as often as it may after ${fault}`, async () => {
          server.plays(play, success(id))
          expect(await outcomeOf(call)).to.deep.equal(expected)
          const [first, ...others] = server.seen
          for (const other of others) expect({ ...other, body: '' }).to.deep.equal({ ...first, body: '' })
        })

      for (const [fault, play, { [kind]: expected }] of ALWAYS)
        it(`at most three times after ${fault}`, async () => {
          server.plays(play, play, play, play, success(id))
          expect(await outcomeOf(call)).to.deep.equal(expected)
        })

      it('and tells that an earlier attempt was unclear', async () => {
        const clear = unavailable('none', '0')
        server.plays(dropRead, clear, clear, clear)
        expect(await outcomeOf(call)).to.deep.equal(ALWAYS_CLOSED[kind])
      })

      it('as often as it may while the port is closed', async () => {
        const { auth, time } = timedClient(server)
        server.plays(json(200, { users: [], next: null }))
        await auth.searchUsers({}) // the client has an application token from here on
        await server.stop()
        const error = await thrownBy(call.send(auth))
        await server.start()
        const [requests, outcome] = ALWAYS_CLOSED[kind]
        expect(error).to.be.instanceOf(PortcullisUnavailable).and.include({ outcome, status: undefined })
        expect(time.skipped).to.deep.equal([250, 500, 1000].slice(0, requests - 1))
      })
    })
  }

  it('only the operations that docs/client.md names', () => {
    const idsOf = (one: Operation['kind']) => ALL.filter(([, { kind }]) => kind === one).map(([id]) => id)
    expect(idsOf('once')).to.have.members([
      'signIn',
      'signInVouched',
      'completeSignIn',
      'completePasskeySignIn',
      'completeIdentitySignIn',
      'isAlive',
      'isReady',
    ])
    expect(idsOf('repeatable')).to.have.members([
      'issueApplicationToken',
      'issueOauthToken',
      'renewSession',
      'revokeToken',
    ])
    expect(idsOf('read')).to.have.members([
      'introspect',
      'searchUsers',
      'showUser',
      'startIdentityLink',
      'startIdentitySignIn',
      'startIdentityStepUp',
      'startPasskeyEnrolment',
      'startPasskeySecondStep',
      'startPasskeySignIn',
      'startPasskeyStepUp',
    ])
  })
})

const ALL = Object.entries<Operation>(OPERATIONS)
