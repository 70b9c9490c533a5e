import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome, none, toUndefined } from 'fp-ts/lib/Option.js'
import { composeOperations, Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ImportDecision, ImportRequest } from '../../domain/user-import.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { ownRecord } from '../support/own-record.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'
import { CONTEXT, FULL, NOW, newWorld, type World } from './world.ts'

const RECORD = '$2b$04$abcdefghijklmnopqrstuuJdmJCFJqWXBWqXeXEH2Q2vNWsc8mXeW'
const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'

const person = (email: string, fields: ImportRequest = {}): ImportRequest => ({
  email,
  password_hash: RECORD,
  ...fields,
})

/** `new`, `known` or the problem of each. */
const words = (decisions: ReadonlyArray<ImportDecision>): string =>
  decisions
    .map((one) =>
      isLeft(one) ? one.left.map(({ _tag }) => _tag).join('+') : one.right.isKnown ? 'known' : 'new',
    )
    .join(' ')

describe('importUsers, given that Ada@Example.com is registered', () => {
  let world: World
  const run = async (...requests: ReadonlyArray<ImportRequest>) =>
    words(await succeed(world.service.importUsers(CONTEXT, requests)))
  beforeEach(async () => {
    world = await newWorld()
  })

  it('when Bob is imported, then the store has him as the file says, and the event has neither e-mail nor record', async () => {
    const bob = person('Bob@Example.com', {
      id: ID,
      email_verified: true,
      created_at: '2020-01-01T00:00:00Z',
    })
    expect(await run(bob)).to.equal('new')
    const stored = await succeed(world.store.findUserByEmail('bob@example.com'))
    expect(toUndefined(stored)).to.deep.equal({
      id: ID,
      email: 'Bob@Example.com',
      emailVerified: true,
      emailVersion: 1,
      passwordRecord: RECORD,
      passwordScheme: 'bcrypt:4',
      passwordVersion: 1,
      sessionsVersion: 1,
      allEndedVersion: 1,
      nameKey: '',
      roles: [],
      status: 'enabled',
      createdAtSeconds: 1_577_836_800,
      version: 1,
    })
    const [event, ...more] = await world.settledEvents()
    expect(more).to.deep.equal([])
    expect(event).to.deep.equal({
      type: 'UserImported',
      subject: { kind: 'user', id: ID },
      actor: OPERATOR,
      data: {
        password_digest: nodeDigests.sha256(RECORD),
        scheme: 'bcrypt:4',
        email_verified: true,
        created_at: '2020-01-01T00:00:00.000Z',
      },
    })
  })

  it('when the file has only the required fields, then the service chooses an id and takes the present time', async () => {
    await run(person('bob@example.com'))
    const stored = await succeed(world.store.findUserByEmail('bob@example.com'))
    if (!isSome(stored)) throw new Error('he is not there')
    expect(stored.value.id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(stored.value).to.deep.include({
      emailVerified: false,
      createdAtSeconds: Date.parse(NOW) / 1000,
    })
  })

  it('when Bob is disabled in the file, then he is imported and disabled in one change, and the log agrees', async () => {
    const bob = person('bob@example.com', { id: ID, status: 'disabled', email_verified: true })
    expect(await run(bob)).to.equal('new')
    const stored = await succeed(world.store.findUser(ID))
    expect(toUndefined(stored)).to.deep.include({
      status: 'disabled',
      emailVerified: true,
      passwordRecord: RECORD,
      passwordVersion: 2,
      version: 2,
    })
    const events = await world.settledEvents()
    expect(events.map(({ type, actor }) => [type, actor])).to.deep.equal([
      ['UserImported', OPERATOR],
      ['UserDisabled', OPERATOR],
    ])
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
    expect(await run({ ...bob, status: 'enabled' }), 'a known user stays as it is').to.equal('known')
    expect(toUndefined(await succeed(world.store.findUser(ID)))).to.deep.include({ status: 'disabled' })
  })

  it('when a record of this service is imported, then it stays as it is, with its scheme', async () => {
    const record = ownRecord({ logN: 2, r: 4, p: 3 })
    expect(await run(person('bob@example.com', { password_hash: record }))).to.equal('new')
    const stored = await succeed(world.store.findUserByEmail('bob@example.com'))
    expect(toUndefined(stored)).to.deep.include({
      passwordRecord: record,
      passwordScheme: 'scrypt ln=2,r=4,p=3',
    })
  })

  it('when a known user is among new ones, then only that one is skipped, and the log agrees', async () => {
    const decisions = await run(
      person('bob@example.com'),
      person('ADA@example.com'),
      person('ada'),
      person('eve@example.com', { id: world.ada.id }),
      person('eve@example.com', { id: ID }),
      person('BOB@example.com'),
    )
    expect(decisions).to.equal('new known EmailMalformed IdTaken new known')
    expect((await world.settledEvents()).map(({ type }) => type)).to.deep.equal([
      'UserImported',
      'UserImported',
    ])
    const { disagreements, rows } = await succeed(world.service.checkLog)
    expect(disagreements).to.deep.equal([])
    expect(rows).to.be.greaterThan(3)
  })

  it('when it is repeated, then it changes nothing', async () => {
    const file = [person('bob@example.com'), person('eve@example.com', { id: ID })]
    expect(await run(...file)).to.equal('new new')
    const before = await world.events()
    expect(await run(...file)).to.equal('known known')
    expect(await world.events()).to.deep.equal(before)
  })

  it('when a user was removed, then the id stays taken, and the e-mail is free', async () => {
    await run(person('bob@example.com', { id: ID }))
    await succeed(world.service.removeUser(CONTEXT, 'bob@example.com'))
    const line = person('bob@example.com', { id: ID })
    expect(await run(line, person('eve@example.com', { id: world.ada.id }))).to.equal(
      'IdOfRemovedUser IdTaken',
    )
    expect(await run(person('bob@example.com'))).to.equal('new')
  })

  const REFUSED: ReadonlyArray<readonly [what: string, record: string, reason: RegExp]> = [
    ['a damaged record of this service', '1$$c2NyeXB0', /^A record of Portcullis must have the form 1\$/],
    ['a plain password', 'secret', /^A record must begin with \$2a\$.* or 1\$\.$/],
    ['a record of MD5', '$1$salt$hash', /^A record must begin/],
    ['a bcrypt record that is cut', RECORD.slice(0, -1), /^A bcrypt record must have the form/],
    [
      'a record whose cost is too high',
      RECORD.replace('$04$', '$15$'),
      /^The cost of bcrypt must be 4–14, got 15/,
    ],
  ]
  for (const [what, record, reason] of REFUSED) {
    it(`when it gets ${what}, then it is refused with the reason, and without the record`, async () => {
      const [decision] = await succeed(
        world.service.importUsers(CONTEXT, [person('bob@example.com', { password_hash: record })]),
      )
      if (decision === undefined || isRight(decision)) throw new Error('it was accepted')
      const [problem] = decision.left
      expect(problem._tag === 'RecordRefused' && problem.reason).to.match(reason)
      expect(JSON.stringify(problem)).not.to.include(record)
      expect(await world.events()).to.deep.equal([])
    })
  }

  it('when the store is full, then it says so, and nothing is imported', async () => {
    world.store.readOnly = true
    expect(await fail(world.service.importUsers(CONTEXT, [person('bob@example.com')]))).to.deep.equal(FULL)
    expect(await succeed(world.store.findUserByEmail('bob@example.com'))).to.deep.equal(none)
  })

  it('when it gets no users, then it does nothing', async () => {
    world.store.readOnly = true
    expect(await run()).to.equal('')
    expect(await run(person('ada')), 'only bad lines').to.equal('EmailMalformed')
  })
})

describe('a rehearsal of an import, given that Ada@Example.com is registered', () => {
  it('decides as the import over several calls, and writes nothing', async () => {
    const world = await newWorld()
    const calls = [
      [person('bob@example.com', { id: ID }), person('ada@example.com'), person('ada')],
      [person('BOB@example.com'), person('eve@example.com', { id: ID }), person('eve@example.com')],
      [person('eve@example.com'), person('zoe@example.com', { id: world.ada.id })],
    ]
    const decide = async (one: World['service']['importUsers']) => {
      const decided: Array<string> = []
      for (const requests of calls) decided.push(words(await succeed(one(CONTEXT, requests))))
      return decided
    }
    const rehearsed = await decide(world.service.rehearseImport())
    expect(await world.events()).to.deep.equal([])
    expect(rehearsed).to.deep.equal(['new known EmailMalformed', 'known IdTaken new', 'known IdTaken'])
    expect(await decide(world.service.rehearseImport()), 'another one begins anew').to.deep.equal(rehearsed)
    expect(await decide(world.service.importUsers)).to.deep.equal(rehearsed)
  })
})

describe('importUsers beside registrations', () => {
  /** Users of the file register, one before each of the first commits. */
  const rivalled = async (rivals: ReadonlyArray<string>) => {
    const world = await newWorld()
    const left = [...rivals]
    const store: Store = {
      ...world.store,
      commit: (change) => async () => {
        const email = change.events[0].type === 'UserImported' ? left.shift() : undefined
        if (email !== undefined)
          await succeed(world.service.registerUser(CONTEXT, { email, password: 'p' }, OPERATOR))
        return world.store.commit(change)()
      },
    }
    const operations = await composeOperations(
      settings(),
      provide(Dependency.storage, () => ({ store })),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    return { world, operations }
  }

  it('skips those who registered meanwhile, and imports the others', async () => {
    const { world, operations } = await rivalled(['bob@example.com', 'eve@example.com'])
    const file = ['bob@example.com', 'eve@example.com', 'zoe@example.com'].map((email) => person(email))
    expect(words(await succeed(operations.importUsers(CONTEXT, file)))).to.equal('known known new')
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('gives up if that happens again and again', async () => {
    const emails = Array.from({ length: 12 }, (_, index) => `user${index}@example.com`)
    const { operations } = await rivalled(emails)
    const failed = await fail(
      operations.importUsers(
        CONTEXT,
        emails.map((email) => person(email)),
      ),
    )
    expect(failed).to.deep.equal({ _tag: 'Overloaded', retryAfterSeconds: 1 })
  })
})

describe('importUsers with a hasher that cannot verify the records', () => {
  for (const [what, part] of [
    ['schemes', { verifyMs: () => none }],
    ['records', { assess: () => 'unreadable' as const }],
  ] as const) {
    it(`refuses them because of their ${what}`, async () => {
      const { service } = await newWorld({ hasher: { ...plainHasher(), ...part } })
      const [decision] = await succeed(service.importUsers(CONTEXT, [person('bob@example.com')]))
      expect(JSON.stringify(decision)).to.include(
        'The password hasher of this service cannot verify the scheme bcrypt:4.',
      )
    })
  }
})
