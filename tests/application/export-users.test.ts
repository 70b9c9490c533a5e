import { expect } from 'chai'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { ExportStep, ExportUsers } from '../../application/accounts/export-users.ts'
import { exportUsers } from '../../application/accounts/export-users.ts'
import type { Store } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { ownRecord } from '../support/own-record.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

const RECORD = '$2b$04$abcdefghijklmnopqrstuuJdmJCFJqWXBWqXeXEH2Q2vNWsc8mXeW'

describe('exportUsers, given that Ada, Bob and Eve are users', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
    await succeed(
      world.service.importUsers(CONTEXT, [
        { email: 'bob@example.com', password_hash: RECORD, status: 'disabled' },
        { email: 'eve@example.com', password_hash: ownRecord({ logN: 2, r: 4, p: 3 }) },
      ]),
    )
  })

  const stepsOf = async (
    steps: ReturnType<ExportUsers>,
    onStep: (step: ExportStep) => unknown = () => undefined,
  ) => {
    const seen: Array<ExportStep> = []
    for await (const step of steps) {
      if (isLeft(step)) return { seen, failure: step.left }
      seen.push(step.right)
      await onStep(step.right)
    }
    return { seen, failure: undefined }
  }
  const usersIn = (steps: ReadonlyArray<ExportStep>) =>
    steps.flatMap((step) => (step._tag === 'Read' ? step.users : []))
  const exports = async () => (await world.settledEvents()).filter(({ type }) => type === 'UsersExported')

  it('when it is asked, then it yields all of them, each with the scheme of a record that an import takes', async () => {
    const { seen } = await stepsOf(world.service.exportUsers(CONTEXT))
    const users = usersIn(seen).map(({ user, scheme }) => [user.email, user.status, scheme])
    expect(users).to.have.deep.members([
      ['Ada@Example.com', 'enabled', undefined], // the hasher of this test has records of its own
      ['bob@example.com', 'disabled', 'bcrypt:4'],
      ['eve@example.com', 'enabled', 'scrypt ln=2,r=4,p=3'],
    ])
  })

  it('when a user was removed, then it neither yields nor counts that user', async () => {
    await succeed(world.service.removeUser(CONTEXT, 'bob@example.com'))
    const { seen } = await stepsOf(world.service.exportUsers(CONTEXT))
    expect(usersIn(seen).map(({ user }) => user.email)).to.have.members([
      'Ada@Example.com',
      'eve@example.com',
    ])
    expect((await exports()).map(({ data }) => data)).to.deep.equal([{ count: 2 }])
  })

  it('when it yields the first user, then the log already has the entry, with the operator and the count', async () => {
    const logged: Array<readonly [step: string, entries: number]> = []
    await stepsOf(world.service.exportUsers(CONTEXT), async ({ _tag }) =>
      logged.push([_tag, (await exports()).length]),
    )
    expect(logged).to.deep.equal([
      ['Counted', 0],
      ['Noted', 1],
      ['Read', 1],
    ])
    expect(await exports()).to.deep.equal([
      {
        type: 'UsersExported',
        subject: { kind: 'service', id: 'portcullis' },
        actor: OPERATOR,
        data: { count: 3 },
      },
    ])
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('when the log cannot be written, then it fails, and yields no user', async () => {
    world.store.readOnly = true
    const { seen, failure } = await stepsOf(world.service.exportUsers(CONTEXT))
    expect(failure).to.deep.equal(FULL)
    expect(seen.map(({ _tag }) => _tag)).to.deep.equal(['Counted'])
  })

  it('when the caller stops after the count, then the log has no entry', async () => {
    for await (const step of world.service.exportUsers(CONTEXT))
      if (!isLeft(step) && step.right._tag === 'Counted') break
    expect(await exports()).to.deep.equal([])
  })

  it('when users change during the export, then each line is the user at the time of its page', async () => {
    const { seen } = await stepsOf(world.service.exportUsers(CONTEXT), async ({ _tag }) => {
      if (_tag !== 'Noted') return
      await succeed(world.service.enableUser(CONTEXT, 'bob@example.com'))
      await succeed(world.service.removeUser(CONTEXT, 'eve@example.com'))
    })
    expect(usersIn(seen).map(({ user }) => [user.email, user.status])).to.have.deep.members([
      ['Ada@Example.com', 'enabled'],
      ['bob@example.com', 'enabled'],
    ])
    expect(
      (await exports()).map(({ data }) => data),
      'the count is that before',
    ).to.deep.equal([{ count: 3 }])
  })

  for (const failing of [1, 2])
    it(`when read ${failing} of the users fails, then it says so, and yields nothing more`, async () => {
      let reads = 0
      const store: Store = {
        ...world.store,
        listUsers: (query) => {
          reads += 1
          return reads === failing ? async () => left(FULL) : world.store.listUsers(query)
        },
      }
      const exporting = exportUsers({
        store,
        record: () => async () => SUCCESS,
        readPasswordRecord: () => left(''),
        wrapping: aesKeyWrapping([]),
      })
      const { seen, failure } = await stepsOf(exporting(CONTEXT))
      expect(failure).to.deep.equal(FULL)
      expect(usersIn(seen)).to.deep.equal([])
      expect(seen.map(({ _tag }) => _tag)).to.deep.equal(failing === 1 ? [] : ['Counted', 'Noted'])
    })
})

const SUCCESS = { _tag: 'Right', right: undefined } as const
