import { expect } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

describeOnPostgres('in PostgreSQL the reads of one turn', (server) => {
  const shared = sharedStore(server)
  const users = ['a', 'b', 'c'].map((name) => aUser({ email: `${name}@example.com` }))
  before(() => commitAll(shared().store, ...users.map((user) => change(registered(user)))))

  /** The results of finding these e-mails at once, and how many statements that took. */
  const found = async (...emails: ReadonlyArray<string>) => {
    const { store, statements } = counting(connectionsTo(shared().url, 2))
    const results = await Promise.all(emails.map((email) => store.findUserByEmail(email)()))
    await store.close()
    return { results, statements: statements() }
  }

  it('share one statement, and each finds its own row', async () => {
    const emails = users.map(({ email }) => email)
    const [first = '', second = '', third = ''] = emails
    expect(await found(third, 'nobody', first, second, first)).to.deep.equal({
      results: [users[2], undefined, users[0], users[1], users[0]].map((user) =>
        E.right(user === undefined ? none : some(user)),
      ),
      statements: 1,
    })
  })

  it('share a few statements if they are many', async () => {
    const { results, statements } = await found(...Array<string>(600).fill('a@example.com'))
    expect(results).to.deep.equal(Array(600).fill(E.right(some(users[0]))))
    expect(statements).to.equal(3)
  })

  it('fail one by one on a damaged row', async () => {
    await shared().ask("UPDATE portcullis.users SET status = 'asleep' WHERE email_key = 'b@example.com'")
    const { results } = await found('a@example.com', 'b@example.com', 'c@example.com')
    expect(results).to.deep.equal([
      E.right(some(users[0])),
      E.left({ _tag: 'StoreUnavailable', reason: 'unreadable entry in users' }),
      E.right(some(users[2])),
    ])
  })

  it('all fail without a server', async () => {
    const store = postgresStore(connectionsTo('postgres://127.0.0.1:1/none', 2))
    const results = await Promise.all([store.findSession('a')(), store.findSession('b')()])
    expect(results.map((result) => E.isLeft(result) && result.left._tag)).to.deep.equal([
      'StoreUnavailable',
      'StoreUnavailable',
    ])
    await store.close()
  })
})

const counting = (connections: Connections): Readonly<{ store: Store; statements: () => number }> => {
  let statements = 0
  const read: Connections['read'] = (sql, values) => {
    statements += 1
    return connections.read(sql, values)
  }
  return { store: postgresStore({ ...connections, read }), statements: () => statements }
}
