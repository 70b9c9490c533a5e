import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { HashingRefused, PasswordHasher, RecordState } from '../../application/ports/password-hasher.ts'
import type { Recorder } from '../../application/recording/recorder.ts'
import { rehash } from '../../application/sessions/rehash.ts'
import type { User } from '../../domain/user.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { enrolUser } from '../support/second-factors.ts'
import { aUser } from '../testkit/builders.ts'
import { drivenBackground } from './background.ts'
import { settableClock } from './fakes.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

/** A hasher that assesses its first record as this state, and every other one as current. */
const assessing = (state: RecordState, refuse: () => HashingRefused | undefined = () => undefined) => {
  const inner = plainHasher(async () => refuse())
  const hasher: PasswordHasher = {
    ...inner,
    assess: (record) => (record.startsWith('1 ') ? state : 'current'),
  }
  return hasher
}

const adaOf = async ({ store, ada }: World): Promise<User> => {
  const found = await succeed(store.findUserByEmail(ada.email))
  if (!isSome(found)) throw new Error('she is not there')
  return found.value
}

const rehashes = async (world: World) =>
  (await world.settledEvents()).filter(({ type }) => type === 'PasswordRehashed')

describe('a sign-in, given that the record of the password is outdated', () => {
  it('when it is answered, then the rehash has not started', async () => {
    let hashed = 0
    const outdated = assessing('outdated', () => {
      hashed += 1
      return undefined
    })
    const world = await newWorld({ hasher: outdated })
    hashed = 0
    await world.signIn()
    expect(hashed).to.equal(1) // the check of the password
    expect(world.background.waiting()).to.equal(1)
    await world.background.settle()
    expect(hashed).to.equal(2)
  })

  it('when the background has run, then the same password has a new record, and no session ended', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    const before = await adaOf(world)
    const { token } = await world.signIn()
    await world.background.settle()
    const after = await adaOf(world)
    expect(after.passwordRecord).to.not.equal(before.passwordRecord)
    expect(after).to.deep.equal({
      ...before,
      passwordRecord: after.passwordRecord,
      version: before.version + 1,
    })
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
    await world.signIn('old')
  })

  it('when a second factor is due, then the right password is hashed again all the same', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    await enrolUser(world.store, world.ada.id)
    const failure = await fail(world.service.signIn(CONTEXT, world.caller, world.ada))
    expect(failure._tag).to.equal('SecondFactorDue')
    expect(await rehashes(world)).to.have.lengthOf(1)
  })

  it('when the background has run, then the event has the digest of the new record', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    await world.signIn()
    expect(await rehashes(world)).to.deep.equal([
      {
        type: 'PasswordRehashed',
        subject: { kind: 'user', id: world.ada.id },
        actor: { kind: 'nobody' },
        data: { password_digest: nodeDigests.sha256((await adaOf(world)).passwordRecord) },
      },
    ])
    expect((await world.events()).at(-1)?.request_id).to.equal('request-1')
  })

  it('when the next sign-in comes, then the record is current and unchanged', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    await world.signIn()
    await world.background.settle()
    await world.signIn()
    expect(await rehashes(world)).to.have.lengthOf(1)
  })

  it('when the password is changed in between, then the change wins', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    const { caller } = await world.signIn()
    const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, caller, change))
    const changed = await adaOf(world)
    expect(await rehashes(world)).to.deep.equal([])
    expect(await adaOf(world)).to.deep.equal(changed)
    await world.signIn('new')
  })

  it('when she is disabled or removed in between, then she stays so', async () => {
    for (const step of ['disableUser', 'removeUser'] as const) {
      const world = await newWorld({ hasher: assessing('outdated') })
      await world.signIn()
      await succeed(world.service[step](CONTEXT, world.ada.email))
      const rows = () => succeed(world.store.listRows({ table: 'users', after: '', limit: 1 }))
      const before = await rows()
      expect(await rehashes(world)).to.deep.equal([])
      expect(await rows()).to.deep.equal(before)
    }
  })

  it('when the hasher refuses, then the next sign-in rehashes', async () => {
    let refusal: HashingRefused | undefined
    const world = await newWorld({ hasher: assessing('outdated', () => refusal) })
    await world.signIn()
    refusal = { _tag: 'Overloaded', retryAfterSeconds: 7 }
    expect(await rehashes(world)).to.deep.equal([])
    refusal = undefined
    await world.signIn()
    expect(await rehashes(world)).to.have.lengthOf(1)
  })

  it('when the background is full, then the sign-in succeeds and the next one rehashes', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    world.background.full = true
    await world.signIn()
    world.background.full = false
    expect(await rehashes(world)).to.deep.equal([])
    await world.signIn()
    expect(await rehashes(world)).to.have.lengthOf(1)
  })

  it('when the password is wrong or she is disabled, then the sent password is not hashed', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    const { email } = world.ada
    await fail(world.service.signIn(CONTEXT, world.caller, { email, password: 'wrong' }))
    await succeed(world.service.disableUser(CONTEXT, email))
    await fail(world.service.signIn(CONTEXT, world.caller, { email, password: 'old' }))
    const before = await adaOf(world)
    expect(await rehashes(world)).to.deep.equal([])
    expect(await adaOf(world)).to.deep.equal(before)
  })
})

for (const state of ['current', 'unreadable'] as const) {
  describe(`a sign-in, given that the record of the password is ${state}`, () => {
    it('when it is answered, then nothing is left to do', async () => {
      const world = await newWorld({ hasher: assessing(state) })
      await world.signIn()
      expect(world.background.waiting()).to.equal(0)
    })
  })
}

describe('records that are outdated', () => {
  it('are rehashed one at a time, because sign-ins have priority', async () => {
    const background = drivenBackground(settableClock(NOW))
    const made: Array<string> = []
    const record: Recorder =
      ([fact]) =>
      async () => {
        if (fact._tag === 'PasswordRehashed') made.push(fact.user.id)
        return { _tag: 'Right', right: undefined }
      }
    const again = rehash({ hasher: { ...plainHasher(), assess: () => 'outdated' }, record, background })
    for (const id of ['ada', 'bob', 'cleo'])
      again({ user: aUser({ id }), password: 'password', share: ['shop'] }, CONTEXT)
    expect(background.waiting()).to.equal(1)
    await background.settle()
    for (const id of ['bob', 'cleo'])
      again({ user: aUser({ id }), password: 'password', share: ['shop'] }, CONTEXT)
    await background.settle()
    expect(made).to.deep.equal(['ada', 'bob'])
  })

  it('are rehashed even if the request has been answered', async () => {
    const world = await newWorld({ hasher: assessing('outdated') })
    let isAnswered = false
    const call = { requestId: 'request-2', beginCommit: () => !isAnswered }
    await succeed(world.service.signIn(call, world.caller, { email: world.ada.email, password: 'old' }))
    isAnswered = true
    expect(await rehashes(world)).to.have.lengthOf(1)
  })

  it('are rehashed even if the request is aborted', async () => {
    const world = await newWorld({
      hasher: {
        ...assessing('outdated'),
        hash: (password, request) => async () =>
          request.signal?.aborted
            ? { _tag: 'Left', left: { _tag: 'Abandoned' } }
            : plainHasher().hash(password, request)(),
      },
    })
    const controller = new AbortController()
    const call = { requestId: 'request-2', signal: () => controller.signal }
    const request = { email: world.ada.email, password: 'old' }
    await succeed(world.service.signIn(call, world.caller, request))
    controller.abort()
    expect(await rehashes(world)).to.have.lengthOf(1)
  })
})
