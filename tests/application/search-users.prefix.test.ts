import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { attributesText } from '../../domain/attributes.ts'
import type { UserSearchRequest } from '../../domain/user-search.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('searches by a beginning and by a role, given 250 users', () => {
  const idOf = (index: number) => `00000000-0000-7000-8000-${String(1_000 + index).padStart(12, '0')}`
  const padded = (index: number) => String(index).padStart(3, '0')
  const INDEXES = Array.from({ length: 250 }, (_, index) => index)
  let world: World
  /** E-mails ascend with the id, and names descend, three users each. */
  before(async () => {
    world = await newWorld()
    const users = INDEXES.map((index) =>
      aUser({
        id: idOf(index),
        email: `User${padded(index)}@example.com`,
        attributes: attributesText({ name: `Name ${padded(Math.floor((249 - index) / 3))}` }),
        roles: index % 2 === 0 ? ['admin'] : ['admin2', 'editor'],
        status: index % 4 === 0 ? 'disabled' : 'enabled',
      }),
    )
    await commitAll(world.store, ...users.map((user) => change(registered(user))))
  })

  const allPages = async (conditions: UserSearchRequest) => {
    const sizes: Array<number> = []
    const ids: Array<string> = []
    let after: string | undefined
    do {
      const { users, next } = await succeed(world.service.searchUsers({ ...conditions, after }))
      sizes.push(users.length)
      ids.push(...users.map(({ id }) => id))
      after = toUndefined(next)
    } while (after !== undefined)
    return { sizes, ids }
  }

  it('pages of an e-mail are ascending by e-mail', async () => {
    const { sizes, ids } = await allPages({ emailPrefix: 'uSER' })
    expect(sizes).to.deep.equal([100, 100, 50])
    expect(ids).to.deep.equal(INDEXES.map(idOf))
    expect((await allPages({ emailPrefix: 'user1' })).ids).to.have.lengthOf(100)
    expect((await allPages({ emailPrefix: 'ser' })).ids).to.deep.equal([])
  })

  it('pages of a name are ascending by name, and contain each namesake once', async () => {
    const { sizes, ids } = await allPages({ namePrefix: 'NAME' })
    expect(sizes).to.deep.equal([100, 100, 50])
    const inOrder = [...INDEXES].sort(
      (one, other) => Math.floor((249 - one) / 3) - Math.floor((249 - other) / 3) || one - other,
    )
    expect(ids).to.deep.equal(inOrder.map(idOf))
  })

  it('pages of a role contain its users of the status, ascending by id', async () => {
    const even = INDEXES.filter((index) => index % 2 === 0)
    expect(await allPages({ role: 'admin' })).to.deep.equal({ sizes: [100, 25], ids: even.map(idOf) })
    const enabled = even.filter((index) => index % 4 !== 0)
    expect((await allPages({ role: 'admin', status: 'enabled' })).ids).to.deep.equal(enabled.map(idOf))
    for (const role of ['ADMIN', 'adm', 'admin2 editor', 'admin2 ', '%'])
      expect((await allPages({ role })).ids, role).to.deep.equal([])
  })

  it('refuses the next page of another search', async () => {
    const { next } = await succeed(world.service.searchUsers({ emailPrefix: 'user' }))
    const after = toUndefined(next)
    expect(await fail(world.service.searchUsers({ emailPrefix: 'user1', after }))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NextOfAnotherSearch'],
    })
  })

  it('finds no removed user, whose id begins so', async () => {
    const { email, id } = await succeed(
      world.service.registerUser(CONTEXT, { email: '0@example.com', password: 'p' }, { kind: 'operator' }),
    )
    expect((await allPages({ emailPrefix: '0' })).ids).to.deep.equal([id])
    await succeed(world.service.removeUser(CONTEXT, email))
    expect((await allPages({ emailPrefix: '0' })).ids).to.deep.equal([])
  })
})
