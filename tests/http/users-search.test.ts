import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import type { Store } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { aUser, change, registered } from '../testkit/builders.ts'

type Shown = Readonly<{ id: string; email: string; status: string }>

onMemory('POST /api/v1/users/search', (stores) => {
  let running: RunningService
  let reader: string
  let bob: string
  before(async () => {
    running = await startService(await stores.fresh())
    reader = await scopedToken(running, 'users:read')
    bob = await register('Bob@example.com')
    await succeed(running.service.disableUser(CONTEXT, bob))
    await succeed(running.service.removeUser(CONTEXT, await register('removed@example.com')))
  })
  after(() => running.stop())

  const register = async (email: string) =>
    (await succeed(running.service.registerUser(CONTEXT, { email, password: 'p' }, OPERATOR))).id
  const search = (body?: unknown, token = reader) =>
    running.send({ method: 'POST', path: '/api/v1/users/search', token, body: body as object })
  const found = async (body: unknown): Promise<ReadonlyArray<string>> => {
    const answer = await search(body)
    expect(answer.status).to.equal(200)
    expect(answer.body.next).to.equal(null)
    return answer.body.users.map(({ id }: Shown) => id)
  }

  it('returns exactly these fields of a user', async () => {
    const earliest = Math.floor(Date.now() / 1000) * 1000
    const id = await register('Cleo@example.com')
    const answer = await search({ email: 'cleo@EXAMPLE.com' })
    const [{ created_at, ...user }] = answer.body.users
    expect(Object.keys(answer.body)).to.deep.equal(['users', 'next'])
    expect(user).to.deep.equal({
      id,
      email: 'Cleo@example.com',
      email_verified: false,
      status: 'enabled',
    })
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(Date.parse(created_at)).to.be.within(earliest, Date.now())
    await succeed(running.service.removeUser(CONTEXT, id))
  })

  for (const body of [undefined, {}, [], { email: null, status: 7, after: '' }, { email: '', status: '' }]) {
    it(`returns all users for ${JSON.stringify(body) ?? 'no body'}, removed ones excepted`, async () => {
      expect(await found(body)).to.deep.equal([running.user.id, bob])
    })
  }

  const CONDITIONS: ReadonlyArray<
    readonly [body: object, users: (ada: string, bob: string) => Array<string>]
  > = [
    [{ status: 'enabled' }, (ada) => [ada]],
    [{ status: 'disabled' }, (_, id) => [id]],
    [{ email: 'bob@example.com' }, (_, id) => [id]],
    [{ email: 'bob@example.com', status: 'disabled' }, (_, id) => [id]],
    [{ email: 'bob@example.com', status: 'enabled' }, () => []],
    [{ email: 'bob' }, () => []],
    [{ email: 'bob@example.com ' }, () => []],
    [{ email: '%@example.com' }, () => []],
    [{ email: 'removed@example.com' }, () => []],
    [{ email: 'x\0@example.com' }, () => []],
    [{ after: '00000000-0000-0000-0000-000000000000' }, (ada, id) => [ada, id]],
    [{ after: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }, () => []],
    [{ after: '\0' }, (ada, id) => [ada, id]],
    [{ after: '😀' }, () => []],
  ]
  for (const [body, users] of CONDITIONS) {
    it(`finds the right users for ${JSON.stringify(body)}`, async () => {
      expect(await found(body)).to.deep.equal(users(running.user.id, bob))
    })
  }

  it('finds users after another one, together with the other conditions', async () => {
    const after = running.user.id
    expect(await found({ after })).to.deep.equal([bob])
    expect(await found({ after, status: 'enabled' })).to.deep.equal([])
    expect(await found({ after, email: 'ada@example.com' })).to.deep.equal([])
    expect(await found({ after, email: 'bob@example.com' })).to.deep.equal([bob])
  })

  it('does not find a removed user by the id that replaces its e-mail', async () => {
    const id = await register('dan@example.com')
    await succeed(running.service.removeUser(CONTEXT, id))
    expect(await found({ email: id })).to.deep.equal([])
  })

  for (const status of ['removed', 'Enabled', 'enabled ', 'x', '\0']) {
    it(`refuses the status ${JSON.stringify(status)} with code 1`, async () => {
      const answer = await search({ status, email: 'bob@example.com' })
      expect([answer.status, answer.body]).to.deep.equal([
        422,
        {
          success: false,
          code: 422,
          message: 'Some fields are missing or wrong; see errors.',
          errors: [{ code: 1, message: 'status must be enabled or disabled.', param: 'status' }],
        },
      ])
    })
  }

  it('requires the scope users:read', async () => {
    for (const scope of ['users:sign_in users:register', 'users:manage', 'tokens:introspect']) {
      const answer = await search({}, await scopedToken(running, scope))
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope", scope="users:read"',
      )
    }
    expect((await search({}, await running.userToken())).status).to.equal(403)
    expect((await running.send({ method: 'POST', path: '/api/v1/users/search' })).status).to.equal(401)
  })

  it('records no event', async () => {
    const { store } = running.service
    const events = () => succeed(store.readEvents({ after: 0, limit: 10_000 }))
    const before = await events()
    await search({})
    expect(await events()).to.deep.equal(before)
  })
})

onMemory('the pages of POST /api/v1/users/search', (stores) => {
  /** A user of an older version. Every third is disabled. */
  const userRow = (index: number) =>
    aUser({
      id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      email: `user${index}@example.com`,
      status: index % 3 === 0 ? 'disabled' : 'enabled',
      createdAtSeconds: none,
    })
  const add = (store: Store, indexes: ReadonlyArray<number>) =>
    Promise.all(
      indexes.map((index) => {
        const row = userRow(index)
        return succeed(store.commit({ ...change(registered(row)), rows: [{ table: 'users', row }] }))
      }),
    )

  let running: RunningService
  let reader: string
  before(async () => {
    running = await startService(await stores.fresh())
    await succeed(running.service.removeUser(CONTEXT, running.user.id))
    reader = await scopedToken(running, 'users:read')
    await add(
      running.service.store,
      Array.from({ length: 250 }, (_, index) => index * 10),
    )
  })
  after(() => running.stop())

  const page = async (
    body: object,
  ): Promise<Readonly<{ users: ReadonlyArray<Shown>; next: string | null }>> =>
    (await running.send({ method: 'POST', path: '/api/v1/users/search', token: reader, body })).body
  const idOf = (index: number) => userRow(index).id
  const allPages = async (condition: object, between: (page: number) => Promise<unknown>) => {
    const sizes: Array<number> = []
    const users: Array<Shown> = []
    for (let after: string | null | undefined; after !== null; ) {
      const found = await page({ ...condition, ...(after === undefined ? {} : { after }) })
      sizes.push(found.users.length)
      users.push(...found.users)
      after = found.next
      await between(sizes.length)
    }
    return { sizes, users }
  }

  it('have at most 100 users each, ascending by id, and the last has no next', async () => {
    const { sizes, users } = await allPages({}, async () => undefined)
    expect(sizes).to.deep.equal([100, 100, 50])
    expect(users.map(({ id }) => id)).to.deep.equal(
      Array.from({ length: 250 }, (_, index) => idOf(index * 10)),
    )
    expect(users[0]).to.deep.equal({
      id: idOf(0),
      email: 'user0@example.com',
      email_verified: false,
      status: 'disabled',
      created_at: null,
    })
  })

  it('of one status contain exactly its users', async () => {
    const { sizes, users } = await allPages({ status: 'enabled' }, async () => undefined)
    expect(sizes).to.deep.equal([100, 66])
    expect(new Set(users.map(({ status }) => status))).to.deep.equal(new Set(['enabled']))
    const others = await allPages({ status: 'disabled' }, async () => undefined)
    expect(others.sizes).to.deep.equal([84])
  })

  it('end without an empty page if the last one is full', async () => {
    const { sizes } = await allPages({ after: idOf(490) }, async () => undefined)
    expect(sizes).to.deep.equal([100, 100])
  })

  it('contain each user that stays exactly once while others are registered and removed', async () => {
    const remove = (index: number) => succeed(running.service.removeUser(CONTEXT, idOf(index)))
    const { sizes, users } = await allPages({}, async (read) => {
      if (read === 1) {
        await remove(0) // already read
        await remove(990) // the last one of the first page, at which the next page begins
        await remove(1_000) // the first one of the next page
        await add(running.service.store, [5, 1_005]) // before and in the next page
      }
      if (read === 2) {
        await remove(2_490) // the last one of all
        await add(running.service.store, [2_495])
      }
    })
    expect(sizes[0]).to.equal(100)
    const ids = users.map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    const stay = Array.from({ length: 250 }, (_, index) => index * 10).filter(
      (index) => ![1_000, 2_490].includes(index),
    )
    expect(ids).to.deep.equal([...stay, 1_005, 2_495].sort((a, b) => a - b).map(idOf))
  })
})
