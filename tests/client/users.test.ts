import { expect } from 'chai'
import { type Fetch, type ListedUser, type Portcullis, portcullis } from '../../adapters/client/client.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { inTurns } from '../support/turns.ts'
import { thrownBy } from './thrown-by.ts'

describe('users of a service with 121 users', () => {
  let running: RunningService
  let auth: Portcullis
  let searches: number
  const counting: Fetch = (url, init) => {
    if (url.endsWith('/users/search')) searches += 1
    return fetch(url, init)
  }
  const clientWith = async (scope: string): Promise<Portcullis> => {
    const made = await succeed(running.service.registerApplication(CONTEXT, { name: scope, scope }))
    return portcullis({ url: `http://127.0.0.1:${running.port}`, ...made, fetch: counting })
  }
  before(async () => {
    running = await startService()
    await inTurns(Array.from({ length: 120 }), (index) =>
      succeed(
        running.service.registerUser(
          CONTEXT,
          { email: `user-${index}@example.com`, password: 'correct horse' },
          OPERATOR,
        ),
      ),
    )
    for (const index of [3, 50, 119])
      await succeed(running.service.disableUser(CONTEXT, `user-${index}@example.com`))
    auth = await clientWith('users:read')
  })
  beforeEach(() => {
    searches = 0
  })
  after(() => running.stop())

  const all = async (users: AsyncIterable<ListedUser>) => {
    const seen: Array<ListedUser> = []
    for await (const user of users) seen.push(user)
    return seen
  }

  it('are all users once, in two pages', async () => {
    const users = await all(auth.users())
    const emails = [
      'Ada@Example.com',
      ...Array.from({ length: 120 }, (_, index) => `user-${index}@example.com`),
    ]
    expect(users.map(({ email }) => email)).to.have.members(emails)
    const ids = users.map(({ id }) => id)
    expect(ids).to.deep.equal(ids.toSorted())
    expect(searches).to.equal(2)
  })

  it('have names of the program', async () => {
    const [user] = await all(auth.users({ email: running.user.email }))
    expect(user).to.deep.include({ id: running.user.id, email: running.user.email, emailVerified: false })
    expect(user).to.have.property('createdAt').that.is.a('string')
  })

  it('are those of the filter on every page', async () => {
    expect(await all(auth.users({ status: 'disabled' }))).to.have.lengthOf(3)
    const enabled = await all(auth.users({ status: 'enabled' }))
    expect(enabled).to.have.lengthOf(118)
    expect(new Set(enabled.map(({ status }) => status))).to.deep.equal(new Set(['enabled']))
    expect(await all(auth.users({ email: 'nobody@example.com' }))).to.deep.equal([])
  })

  it('are those of a beginning, page after page', async () => {
    const users = await all(auth.users({ emailPrefix: 'USER-' }))
    expect(users).to.have.lengthOf(120)
    const emails = users.map(({ email }) => email)
    expect(emails).to.deep.equal(emails.toSorted())
    expect(searches).to.equal(2)
  })

  it('end with break before the second page', async () => {
    let seen = 0
    for await (const _ of auth.users()) if (++seen === 100) break
    expect(searches).to.equal(1)
  })

  it('throw RequestRefused for a wrong filter', async () => {
    const wrong = { status: 'removed' } as unknown as Parameters<Portcullis['users']>[0]
    expect(await thrownBy(all(auth.users(wrong)))).to.include({ name: 'RequestRefused', status: 422 })
  })

  it('throw RequestRefused without the scope', async () => {
    const other = await clientWith('users:sign_in')
    expect(await thrownBy(all(other.users()))).to.include({ name: 'RequestRefused', status: 403 })
  })
})
