import { expect } from 'chai'
import { none, toUndefined } from 'fp-ts/lib/Option.js'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

type Conditions = Readonly<{ email?: string; status?: string; after?: string }>

const searchIn = ({ service }: World, { email, status, after }: Conditions) =>
  service.searchUsers({ email, status, after })

describe('searchUsers, given Ada, Bob, who is disabled, and a removed user', () => {
  let world: World
  let bob: string
  before(async () => {
    world = await newWorld()
    bob = await register('Bob@example.com')
    await succeed(world.service.disableUser(CONTEXT, bob))
    await succeed(world.service.removeUser(CONTEXT, await register('removed@example.com')))
  })

  const register = async (email: string) =>
    (await succeed(world.service.registerUser(CONTEXT, { email, password: 'p' }, OPERATOR))).id
  const found = async (conditions: Conditions) => {
    const { users, next } = await succeed(searchIn(world, conditions))
    expect(next).to.deep.equal(none)
    return users.map(({ id }) => (id === world.ada.id ? 'ada' : id === bob ? 'bob' : id))
  }

  it('then a user has these fields', async () => {
    const [{ passwordScheme: _, ...user } = { passwordScheme: '' }] = (await succeed(searchIn(world, {})))
      .users
    expect(user).to.deep.equal({
      id: world.ada.id,
      email: 'Ada@Example.com',
      emailVerified: false,
      status: 'enabled',
      createdAtSeconds: Date.parse(NOW) / 1000,
      hasPassword: true,
      roles: [],
      attributes: '',
    })
  })

  const CONDITIONS: ReadonlyArray<readonly [conditions: Conditions, users: ReadonlyArray<string>]> = [
    [{}, ['ada', 'bob']],
    [{ status: 'enabled' }, ['ada']],
    [{ status: 'disabled' }, ['bob']],
    [{ email: 'bob@EXAMPLE.com' }, ['bob']],
    [{ email: 'bob@example.com', status: 'disabled' }, ['bob']],
    [{ email: 'bob@example.com', status: 'enabled' }, []],
    [{ email: 'bob' }, []],
    [{ email: 'bob@example.com ' }, []],
    [{ email: '%@example.com' }, []],
    [{ email: 'removed@example.com' }, []],
    [{ email: 'x\0@example.com' }, []],
    [{ after: '00000000-0000-0000-0000-000000000000' }, ['ada', 'bob']],
    [{ after: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }, []],
    [{ after: '\0' }, ['ada', 'bob']],
    [{ after: '😀' }, []],
  ]
  for (const [conditions, users] of CONDITIONS) {
    it(`when it gets ${JSON.stringify(conditions)}, then it finds ${users.join(' and ') || 'no user'}`, async () => {
      expect(await found(conditions)).to.deep.equal(users)
    })
  }

  it('when it continues after Ada, then the other conditions hold too', async () => {
    const after = world.ada.id
    expect(await found({ after })).to.deep.equal(['bob'])
    expect(await found({ after, status: 'enabled' })).to.deep.equal([])
    expect(await found({ after, email: 'ada@example.com' })).to.deep.equal([])
    expect(await found({ after, email: 'bob@example.com' })).to.deep.equal(['bob'])
  })

  it('when it gets the id that replaces the e-mail of a removed user, then it finds no user', async () => {
    const id = await register('dan@example.com')
    await succeed(world.service.removeUser(CONTEXT, id))
    expect(await found({ email: id })).to.deep.equal([])
  })

  it('when it gets another status, then that is refused', async () => {
    const refused = { _tag: 'Invalid', problems: ['StatusUnknown'] }
    expect(await fail(searchIn(world, { status: 'removed' }))).to.deep.equal(refused)
  })
})

describe('the pages of searchUsers, given 250 users', () => {
  const idOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`
  let world: World
  beforeEach(async () => {
    world = await newWorld()
    await succeed(world.service.removeUser(CONTEXT, world.ada.id))
    await add(...Array.from({ length: 250 }, (_, index) => index * 10))
  })

  /** Adds users. Every third is disabled. */
  const add = (...indexes: ReadonlyArray<number>) =>
    commitAll(
      world.store,
      ...indexes.map((index) => {
        const status = index % 3 === 0 ? 'disabled' : 'enabled'
        return change(registered(aUser({ id: idOf(index), email: `user${index}@example.com`, status })))
      }),
    )
  const allPages = async (conditions: Conditions, between = async (_page: number): Promise<void> => {}) => {
    const sizes: Array<number> = []
    const ids: Array<string> = []
    let after = conditions.after
    do {
      const { users, next } = await succeed(searchIn(world, { ...conditions, ...(after && { after }) }))
      sizes.push(users.length)
      ids.push(...users.map(({ id }) => id))
      after = toUndefined(next)
      await between(sizes.length)
    } while (after !== undefined)
    return { sizes, ids }
  }

  it('have at most 100 each, ascending by id', async () => {
    const { sizes, ids } = await allPages({})
    expect(sizes).to.deep.equal([100, 100, 50])
    expect(ids).to.deep.equal(Array.from({ length: 250 }, (_, index) => idOf(index * 10)))
  })

  it('of one status contain exactly its users', async () => {
    expect((await allPages({ status: 'enabled' })).sizes).to.deep.equal([100, 66])
    expect((await allPages({ status: 'disabled' })).sizes).to.deep.equal([84])
  })

  it('end without an empty page if the last one is full', async () => {
    expect((await allPages({ after: idOf(490) })).sizes).to.deep.equal([100, 100])
  })
})
