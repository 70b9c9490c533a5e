import { expect } from 'chai'
import { codesOf } from '../support/factor-service.ts'
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

  it('finds users by the beginning of an e-mail, and refuses conditions that do not combine', async () => {
    for (const [body, status, found] of [
      [{ email_prefix: 'ADA@' }, 200, 1],
      [{ name_prefix: 'Ada' }, 200, 0],
      [{ role: 'admin', status: 'enabled' }, 200, 0],
      [{ status: 'removed' }, 422, [[1, 'status']]],
      [{ email_prefix: 'a', name_prefix: 'a' }, 422, [[2, 'email_prefix']]],
      [{ email_prefix: 'a', after: 'x' }, 422, [[3, 'next']]],
      [
        { name_prefix: 'a', status: 'x', after: 'x' },
        422,
        [
          [1, 'status'],
          [2, 'email_prefix'],
        ],
      ],
    ] as const) {
      const answer = await search(body)
      const outcome = answer.status === 200 ? answer.body.users.length : codesOf(answer.body)
      expect([answer.status, outcome], JSON.stringify(body)).to.deep.equal([status, found])
    }
  })
})
