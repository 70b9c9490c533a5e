import { expect } from 'chai'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Change } from '../../application/ports/store.ts'
import type { User } from '../../domain/user.ts'
import { succeed } from '../support/outcome.ts'
import { aSession, aUser, change, issuedToken, newId, signedIn } from '../testkit/builders.ts'
import { checkedOn } from './checked.ts'

describe('checkConflicts', () => {
  const ada = aUser({ id: 'a', email: 'ada@example.com' })
  const bob = aUser({ id: 'b', email: 'bob@example.com' })
  const next = (user: User, email: string): User => ({ ...user, email, version: user.version + 1 })
  const writing = (...users: ReadonlyArray<User>): Change => ({
    ...change(issuedToken()),
    rows: users.map((row) => ({ table: 'users', row })),
  })
  const comparing = ({ id, version }: User, ...users: ReadonlyArray<User>): Change => ({
    ...writing(...users),
    compared: [{ table: 'users', id, version }],
  })
  const TAKEN = { _tag: 'EmailTaken' }
  const CONFLICT = { _tag: 'Conflict' }

  /** Ada and Bob exist already. */
  const CASES: ReadonlyArray<
    readonly [what: string, batch: ReadonlyArray<Change>, outcomes: ReadonlyArray<unknown>]
  > = [
    [
      'an e-mail is free as soon as its holder has changed it',
      [writing(next(ada, 'a@example.com')), writing(aUser({ email: 'ADA@example.com' }))],
      ['written', 'written'],
    ],
    [
      'an e-mail is taken until its holder has changed it',
      [writing(aUser({ email: 'ADA@example.com' })), writing(next(ada, 'a@example.com'))],
      [TAKEN, 'written'],
    ],
    [
      'an e-mail is free within the same change',
      [
        writing(
          next(ada, 'a@example.com'),
          next(bob, 'ada@example.com'),
          aUser({ email: 'bob@example.com' }),
        ),
      ],
      ['written'],
    ],
    [
      'an e-mail is taken as soon as a user has it',
      [writing(aUser({ email: 'new@example.com' })), writing(next(ada, 'NEW@example.com'))],
      ['written', TAKEN],
    ],
    [
      'two users exchange e-mails through a third address',
      [
        writing(next(ada, 'x@example.com')),
        writing(next(bob, 'ada@example.com')),
        writing({ ...next(ada, 'bob@example.com'), version: 3 }),
      ],
      ['written', 'written', 'written'],
    ],
    [
      'a refused change returns the e-mail it released and the one it took',
      [
        writing(next(ada, 'x@example.com'), next(bob, 'x@example.com')),
        writing(aUser({ email: 'ada@example.com' })),
        writing(next(bob, 'x@example.com')),
        writing(aUser({ email: 'bob@example.com' })),
      ],
      [TAKEN, TAKEN, 'written', 'written'],
    ],
    [
      'a refused change restores the versions of all its rows',
      [
        writing(next(ada, 'x@example.com'), { ...next(bob, 'y@example.com'), version: 9 }),
        writing(next(ada, 'z@example.com')),
      ],
      [CONFLICT, 'written'],
    ],
    [
      'a record written twice keeps the last content',
      [writing(next(ada, 'x@example.com')), writing({ ...next(ada, 'y@example.com'), version: 3 })],
      ['written', 'written'],
    ],
    [
      'a record written twice in one change keeps the last content',
      [writing(next(ada, 'x@example.com'), { ...next(ada, 'y@example.com'), version: 3 })],
      ['written'],
    ],
    [
      'a record written in a refused change keeps its previous content',
      [
        writing(
          next(ada, 'x@example.com'),
          { ...next(ada, 'y@example.com'), version: 3 },
          next(bob, 'y@example.com'),
        ),
        writing(aUser({ email: 'ada@example.com' })),
        writing(aUser({ email: 'x@example.com' }), aUser({ email: 'y@example.com' })),
        writing(next(ada, 'ada@example.com')),
      ],
      [TAKEN, TAKEN, 'written', 'written'],
    ],
    [
      'the second of two writes to one version is a conflict',
      [writing(next(ada, 'x@example.com')), writing(next(ada, 'y@example.com'))],
      ['written', CONFLICT],
    ],
    [
      'the second creation of a record is a conflict',
      [writing(aUser({ id: 'new', email: 'x@x.x' })), writing(aUser({ id: 'new', email: 'y@y.y' }))],
      ['written', CONFLICT],
    ],
    [
      'a new record can be changed in the same batch',
      [
        writing(aUser({ id: 'new', email: 'x@x.x' })),
        writing(aUser({ id: 'new', email: 'y@y.y', version: 2 })),
      ],
      ['written', 'written'],
    ],
    [
      'a compared row conflicts behind a change of it, not before',
      [comparing(ada), writing(next(ada, 'x@example.com')), comparing(ada), comparing(next(ada, ''))],
      ['written', 'written', CONFLICT, 'written'],
    ],
    [
      'a compared row has the version that a refused change leaves it',
      [writing(next(ada, 'x@example.com'), next(bob, 'x@example.com')), comparing(ada)],
      [TAKEN, 'written'],
    ],
    [
      'a change whose compared row conflicts changes nothing for those behind it',
      [comparing(next(ada, ''), next(bob, 'x@example.com')), writing(next(bob, 'y@example.com'))],
      [CONFLICT, 'written'],
    ],
  ]
  for (const [what, batch, outcomes] of CASES) {
    it(what, async () => {
      const model = memoryStore()
      await succeed(model.commit(writing(ada, bob)))
      expect((await checkedOn(model, batch)).outcomes).to.deep.equal(outcomes)
    })
  }

  it('writes the same change once', async () => {
    const once = change(signedIn(aSession()))
    expect((await checkedOn(memoryStore(), [once, once])).outcomes).to.deep.equal([
      'written',
      'already committed',
    ])
  })

  it('accepts a refused change on retry', async () => {
    const refused = writing(next(ada, 'x@example.com'))
    const { outcomes, changes } = await checkedOn(memoryStore(), [refused, writing(ada), refused])
    expect(outcomes).to.deep.equal([CONFLICT, 'written', 'written'])
    expect(changes).to.have.length(2)
  })

  it('refuses an event of another change and a repeated event as out of order', async () => {
    const known = change(issuedToken())
    const [event] = known.events
    const with_ = (id: string, ...events: ReadonlyArray<typeof event>): Change => ({
      id,
      events: [{ ...event, id }, ...events],
      compared: [],
      rows: [],
    })
    const batch = [known, with_(newId(), event), with_('twice', { ...event, id: 'twice' })]
    expect((await checkedOn(memoryStore(), batch)).outcomes).to.deep.equal([
      'written',
      'duplicate event',
      'duplicate event',
    ])
  })
})
