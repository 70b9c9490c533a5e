import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { identityName } from '../../domain/identity.ts'
import type { ImportRequest } from '../../domain/user-import.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { change } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'
const ISSUER = 'https://accounts.google.com'

describe('a user with identities', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const google = (subject: string) => ({ issuer: ISSUER, subject, name: 'Google' })
  const person = (name: string, ...identities: ReadonlyArray<object>): ImportRequest => ({
    email: `${name}@example.com`,
    password_hash: null,
    email_verified: true,
    identities,
  })
  /** `new`, `known` or the problems of each. */
  const run = async (requests: ReadonlyArray<ImportRequest>, importUsers = world.service.importUsers) =>
    (await succeed(importUsers(CONTEXT, requests))).map((one) => {
      if (isRight(one)) return one.right.isKnown ? 'known' : 'new'
      return one.left
        .map((problem) => ('index' in problem ? `${problem._tag} ${problem.index}` : problem._tag))
        .join()
    })
  const agreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  const only = async (userId = ID) => {
    const [factor] = await succeed(world.store.listFactors(userId))
    if (factor === undefined) throw new Error('it is not there')
    return factor
  }
  const exported = async () => {
    const users = []
    for await (const step of world.service.exportUsers(CONTEXT))
      if (isRight(step) && step.right._tag === 'Read') users.push(...step.right.users)
    return users.flatMap(({ identities }) => identities)
  }

  it('is imported without a password, and the log agrees', async () => {
    expect(await run([{ ...person('bob', google('7')), id: ID }])).to.deep.equal(['new'])
    const { id, material, ...factor } = await only()
    expect(factor).to.deep.include({ kind: 'identity', name: 'Google', mark: 0, counter: 0, version: 1 })
    expect(identityName(material)).to.have.deep.property('value', { issuer: ISSUER, subject: '7' })
    expect((await world.settledEvents()).at(-1)).to.deep.equal({
      type: 'FactorImported',
      subject: { kind: 'user', id: ID },
      actor: OPERATOR,
      data: { factor_id: id, kind: 'identity' },
    })
    await agreement()
  })

  it('is exported with what an import takes back', async () => {
    await run([person('bob', google('7'), { issuer: 'https://github.com', subject: '8' }), person('eve')])
    const identities = await exported()
    expect(identities).to.have.deep.members([
      google('7'),
      { issuer: 'https://github.com', subject: '8', name: 'Identity' },
    ])
    world = await newWorld()
    expect(await run([person('bob', ...identities)])).to.deep.equal(['new'])
    expect(await exported()).to.have.deep.members(identities)
  })

  it('has no identity of another user, of the store or of a line before', async () => {
    const lines = [
      person('bob', google('1')),
      person('eve', google('2'), google('1')),
      person('zoe', google('2')),
      { ...person('bob', google('1')), email: 'BOB@example.com' },
      person('kim', google('2')),
    ]
    const expected = ['new', 'IdentityTaken 1', 'new', 'known', 'IdentityTaken 0']
    const rehearse = world.service.rehearseImport()
    expect(await run(lines, rehearse)).to.deep.equal(expected)
    expect(await run([person('tom', google('2'))], rehearse)).to.deep.equal(['IdentityTaken 0'])
    expect(await exported()).to.deep.equal([])
    expect(await run(lines)).to.deep.equal(expected)
    expect(await run([person('eve', google('1'), google('2'))])).to.deep.equal([
      'IdentityTaken 0,IdentityTaken 1',
    ])
    await agreement()
  })

  it('gets an identity of a removed user', async () => {
    await run([{ ...person('bob', google('1')), id: ID }])
    const of = { user: await userOf(world.store, ID), factors: [await only()] }
    await succeed(world.store.commit(change({ _tag: 'UserRemoved', ...of })))
    const again = ID.replace('0b', '0c')
    expect(await run([{ ...person('bob', google('1')), id: again }])).to.deep.equal(['new'])
    expect(await only(again)).to.deep.include({ removed: false, version: 3, name: 'Google' })
    await agreement()
  })

  it('is not imported at all with a bad identity', async () => {
    const unverified = { ...person('bob', google('1')), email_verified: false }
    expect(await run([unverified, person('eve', { issuer: ISSUER })])).to.deep.equal([
      'IdentitiesUnverified',
      'IdentitySubjectMalformed 0',
    ])
  })

  it('is not exported if the row of an identity is damaged', async () => {
    await run([{ ...person('bob', google('1')), id: ID }])
    const damaged = { ...(await only()), material: 'damaged' }
    await succeed(world.store.commit(change({ _tag: 'FactorRenamed', factor: damaged })))
    const steps = []
    for await (const step of world.service.exportUsers(CONTEXT))
      steps.push(isLeft(step) ? step.left : step.right._tag)
    expect(steps).to.deep.equal(['Counted', { _tag: 'IdentityDamaged', userId: ID, factorId: damaged.id }])
  })
})
