import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

onMemory('POST /api/v1/users/search', (stores) => {
  let running: RunningService
  let reader: string
  before(async () => {
    running = await startService(await stores.fresh())
    reader = await scopedToken(running, 'users:read')
  })
  after(() => running.stop())

  const search = (body?: object) =>
    running.send({ method: 'POST', path: '/api/v1/users/search', token: reader, ...(body && { body }) })

  it('returns exactly these fields of a user', async () => {
    const answer = await search({ email: 'ada@EXAMPLE.com', status: 'enabled', after: '' })
    expect(answer.status).to.equal(200)
    expect(Object.keys(answer.body)).to.deep.equal(['users', 'next'])
    const [{ created_at, ...user }] = answer.body.users
    expect(user).to.deep.equal({
      id: running.user.id,
      email: 'Ada@Example.com',
      email_verified: false,
      status: 'enabled',
      has_password: true,
      roles: [],
    })
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  })

  it('reads each condition from its own field', async () => {
    for (const [body, found] of [
      [undefined, 1],
      [[], 1],
      [{ email: null, status: 7, after: {} }, 1],
      [{ email: 'x@example.com' }, 0],
      [{ status: 'disabled' }, 0],
      [{ after: 'x' }, 0],
    ] as const) {
      const { status, body: page } = await search(body)
      expect([status, page.users.length, page.next], JSON.stringify(body)).to.deep.equal([200, found, null])
    }
  })
})
