import { expect } from 'chai'
import { checkConflicts } from '../../adapters/stores/postgres/conflicts.ts'
import { type Change, perTable } from '../../application/ports/store.ts'
import { emailKey, type User } from '../../domain/user.ts'
import { aUser, change, issuedToken } from '../testkit/builders.ts'

/** Random batches meet these rarely, so a defect would pass most runs. */
describe('checkConflicts, on e-mails that change hands in one batch', () => {
  const [ada, bob] = ['ada', 'bob'].map((id) => aUser({ id, email: `${id}@x.x` })) as [User, User]
  const found = {
    eventIds: new Set<string>(),
    versions: perTable((table) => new Map(table === 'users' ? [ada, bob].map(({ id }) => [id, 1]) : [])),
    emailKeys: new Map([ada, bob].map(({ id, email }) => [id, emailKey(email)])),
    mails: new Map(),
  }
  const next = (user: User, email: string, version = 2): User => ({ ...user, email, version })
  const writing = (...users: ReadonlyArray<User>): Change => ({
    ...change(issuedToken()),
    rows: users.map((row) => ({ table: 'users', row })),
  })
  const TAKEN = { _tag: 'EmailTaken' }

  for (const [what, batch, outcomes] of [
    [
      'free as soon as their holder has changed them',
      [writing(next(ada, 'new@x.x')), writing(aUser({ email: 'ADA@x.x' }))],
      ['written', 'written'],
    ],
    [
      'taken until then',
      [writing(aUser({ email: 'ADA@x.x' })), writing(next(ada, 'new@x.x'))],
      [TAKEN, 'written'],
    ],
    [
      'given back by a refused change that released and took them',
      [
        writing(next(ada, 'new@x.x'), next(bob, 'new@x.x')),
        writing(aUser({ email: 'ada@x.x' })),
        writing(next(bob, 'new@x.x')),
      ],
      [TAKEN, TAKEN, 'written'],
    ],
    [
      'given back in the reverse order by a refused change that wrote a user twice',
      [
        writing(next(ada, 'new@x.x'), next(ada, 'newer@x.x', 3), next(bob, 'newer@x.x')),
        writing(aUser({ email: 'ada@x.x' })),
        writing(aUser({ email: 'new@x.x' }), aUser({ email: 'newer@x.x' })),
      ],
      [TAKEN, TAKEN, 'written'],
    ],
  ] as const)
    it(`has them ${what}`, () => {
      expect(checkConflicts(batch, found).outcomes).to.deep.equal(outcomes)
    })
})
