import { expect } from 'chai'
import { attributesText } from '../../domain/attributes.ts'
import { codesOf } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

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
      [{ email_prefix: 'da@' }, 200, 0],
      [{ name_prefix: 'Ada' }, 200, 0],
      [{ role: 'admin', status: 'enabled' }, 200, 0],
      [{ email_prefix: '' }, 200, 1],
      [{ status: 'removed' }, 422, [[1, 'status']]],
      [{ email_prefix: 'a', name_prefix: 'a' }, 422, [[2, 'email_prefix']]],
      [{ email: 'a@b', role: 'a' }, 422, [[2, 'email_prefix']]],
      [{ name_prefix: 'a', status: 'enabled' }, 422, [[2, 'email_prefix']]],
      [{ email_prefix: 'a', after: 'x' }, 422, [[3, 'next']]],
      [{ after: 'email_prefix:a:b' }, 422, [[3, 'next']]],
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

onMemory('the pages of POST /api/v1/users/search', (stores) => {
  const PAGE = 100
  const COUNT = 2 * PAGE + 1
  const id = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`
  const serial = (index: number) => String(index).padStart(3, '0')
  let running: RunningService
  let reader: string
  /** E-mails ascend with the id, and names descend. */
  before(async () => {
    const { environment, modules, store } = await stores.lasting()
    running = await startService(environment, ...modules)
    reader = await scopedToken(running, 'users:read')
    const users = Array.from({ length: COUNT }, (_, index) =>
      aUser({
        id: id(index),
        email: `Page${serial(index)}@example.com`,
        attributes: attributesText({ name: `Éva ${serial(COUNT - 1 - index)}` }),
        roles: ['shop:admin', 'shop:admins'],
        status: index % 2 === 0 ? 'enabled' : 'disabled',
      }),
    )
    await commitAll(store, ...users.map((user) => change(registered(user))))
  })
  after(() => running.stop())

  const search = (body: object) =>
    running.send({ method: 'POST', path: '/api/v1/users/search', token: reader, body })

  const ascending = Array.from({ length: COUNT }, (_, index) => id(index))
  const descending = [...ascending].reverse()
  const enabled = ascending.filter((_, index) => index % 2 === 0)
  const ROWS: ReadonlyArray<
    readonly [conditions: object, sizes: ReadonlyArray<number>, ids: typeof enabled]
  > = [
    [{ email_prefix: 'pAGE' }, [PAGE, PAGE, 1], ascending],
    [{ email_prefix: 'page0' }, [PAGE], ascending.slice(0, PAGE)],
    [{ name_prefix: 'E\u0301VA ' }, [PAGE, PAGE, 1], descending],
    [{ role: 'shop:admin' }, [PAGE, PAGE, 1], ascending],
    [{ role: 'shop:admin', status: 'enabled' }, [PAGE, 1], enabled],
    [{ role: 'shop' }, [0], []],
  ]
  for (const [conditions, sizes, ids] of ROWS)
    it(`of ${JSON.stringify(conditions)} follow each other by next, which continues no other search`, async () => {
      const pages: Array<ReadonlyArray<{ id: string }>> = []
      for (let next: string | null | undefined; next !== null; ) {
        const body = { ...conditions, ...(next !== undefined && { after: next }) }
        const answer = await search(body)
        expect(answer.status).to.equal(200)
        pages.push(answer.body.users)
        next = answer.body.next
        if (next === null) continue
        const refused = await search({ role: 'editor', after: next })
        expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[3, 'next']]])
      }
      expect(pages.map(({ length }) => length)).to.deep.equal(sizes)
      expect(pages.flat().map((user) => user.id)).to.deep.equal(ids)
    })
})
