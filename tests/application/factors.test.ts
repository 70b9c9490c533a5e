import { expect } from 'chai'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import type { UserCaller } from '../../domain/access.ts'
import { normalized } from '../../domain/recovery-codes.ts'
import { proofVersion, withoutSessions } from '../../domain/user.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

const KEY = { id: '2026', secret: 'key-encryption-key-of-tests-'.repeat(2) }

describe('the factors of Ada, whose e-mail is verified', () => {
  let world: World
  let caller: UserCaller
  beforeEach(async () => {
    world = await newWorld({ environment: FACTOR_SETTINGS })
    const credentials = { email: 'ada.verified@example.com', password: 'old' }
    await succeed(world.service.registerUser(CONTEXT, { ...credentials, emailVerified: true }, OPERATOR))
    const { token } = await succeed(world.service.signIn(CONTEXT, world.caller, credentials))
    caller = await succeed(world.service.authenticate(CONTEXT, 'startEnrolment', token))
  })

  const enrolment = () => {
    const { enrolTotp } = world.service
    if (enrolTotp === undefined) throw new Error('nobody can enrol')
    return enrolTotp
  }
  const started = async () => {
    const { enrolment: state, secret } = await succeed(enrolment().start(caller))
    return {
      secret,
      request: { enrolment: state, totp: totpAt(secret, world.clock.read()), name: undefined },
    }
  }
  const factors = () => succeed(world.store.listFactors(caller.user.id))

  it('when an enrolment starts, then nothing is stored', async () => {
    const before = await world.events()
    await started()
    expect(await world.events()).to.deep.equal(before)
    expect(await factors()).to.deep.equal([])
  })

  it('when it completes, then the secret is wrapped for the factor, and the codes are digests', async () => {
    const { secret, request } = await started()
    const { id, recoveryCodes } = await succeed(enrolment().complete(CONTEXT, caller, request))
    const [totp, codes] = [
      (await factors()).find(({ kind }) => kind === 'totp'),
      (await factors()).find(({ kind }) => kind === 'recovery_codes'),
    ]
    expect(totp?.material).to.match(/^wrapped\.v1\$2026\$/)
    expect(aesKeyWrapping([KEY]).unwrap(totp?.material ?? '', { kid: id, purpose: 'totp' })).to.deep.equal(
      right(secret),
    )
    expect(
      isRight(aesKeyWrapping([KEY]).unwrap(totp?.material ?? '', { kid: 'other', purpose: 'totp' })),
    ).to.equal(false)
    const texts = isSome(recoveryCodes) ? recoveryCodes.value : []
    expect(codes?.material).to.equal(texts.map((text) => nodeDigests.sha256(normalized(text))).join(' '))
    expect(codes?.counter).to.equal(10)
  })

  it('when it completes, then the events say so in this order, with the user as actor, and the mark is the step', async () => {
    const before = (await world.events()).length
    const { request } = await started()
    const { id } = await succeed(enrolment().complete(CONTEXT, caller, request))
    const events = (await world.events()).slice(before)
    expect(events.map(({ type }) => type)).to.deep.equal([
      'FactorEnrolled',
      'RecoveryCodesGenerated',
      'SessionSteppedUp',
    ])
    for (const { actor, subject } of events)
      expect([actor, subject]).to.deep.equal([
        { kind: 'user', id: caller.user.id },
        { kind: 'user', id: caller.user.id },
      ])
    const step = Math.floor(world.clock.read() / 30_000)
    expect(events[0]?.data).to.deep.equal({
      factor_id: id,
      kind: 'totp',
      mark: step,
      sessions_version: 2,
      session_id: caller.session.id,
    })
  })

  it('when the store is full, then nothing is enrolled, and the same enrolment completes later', async () => {
    const { request } = await started()
    world.store.readOnly = true
    expect(await fail(enrolment().complete(CONTEXT, caller, request))).to.deep.equal(FULL)
    world.store.readOnly = false
    expect(await factors()).to.deep.equal([])
    await succeed(enrolment().complete(CONTEXT, caller, request))
    expect(await factors()).to.have.length(2)
  })

  it('when the session has ended meanwhile, then its token is invalid', async () => {
    const { request } = await started()
    await succeed(world.service.signOut(CONTEXT, caller))
    const invalid = { _tag: 'InvalidToken' }
    expect(await fail(enrolment().complete(CONTEXT, caller, request))).to.deep.equal(invalid)
  })

  it('when it completes after ten minutes, then the enrolment has ended', async () => {
    const { secret, request } = await started()
    world.clock.passSeconds(601)
    const late = { ...request, totp: totpAt(secret, world.clock.read()) }
    expect(await fail(enrolment().complete(CONTEXT, caller, late))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['EnrolmentEnded'],
    })
  })

  it('when a state has another form, then the enrolment has ended', async () => {
    const { request } = await started()
    const about = ['totp_enrolment', caller.user.id, caller.session.id, proofVersion(caller.user)]
    const sealed = aesSealing([KEY], { now: () => 0 }).seal('another form', about, 600)
    expect(
      await fail(enrolment().complete(CONTEXT, caller, { ...request, enrolment: sealed })),
    ).to.deep.equal({ _tag: 'Invalid', problems: ['EnrolmentEnded'] })
  })

  it('when the sealed text is of another purpose, then the enrolment has ended', async () => {
    const { secret, request } = await started()
    const state = `${Math.floor(world.clock.read() / 1000)} AAAA ${secret}`
    const { id } = caller.user
    const version = proofVersion(caller.user)
    for (const about of [
      ['page', id, caller.session.id, version],
      ['totp_enrolment', id, 'another session', version],
      ['totp_enrolment', id, caller.session.id, proofVersion(withoutSessions(caller.user))],
      [`totp_enrolment ${id}`, caller.session.id, version],
    ])
      expect(
        await fail(
          enrolment().complete(CONTEXT, caller, {
            ...request,
            enrolment: aesSealing([KEY], { now: () => 0 }).seal(state, about, 600),
          }),
        ),
      ).to.deep.equal({ _tag: 'Invalid', problems: ['EnrolmentEnded'] })
  })

  it('when the password changes meanwhile in the same session, then the enrolment has ended', async () => {
    const { request } = await started()
    const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, caller, change))
    const found = await succeed(world.store.findSession(caller.session.id))
    const fresh = isSome(found) ? { ...caller, ...found.value } : caller
    expect(await fail(enrolment().complete(CONTEXT, fresh, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['EnrolmentEnded'],
    })
  })

  /** The session after a change of the factors. */
  const again = async (): Promise<UserCaller> => {
    const found = await succeed(world.store.findSession(caller.session.id))
    return isSome(found) ? { ...caller, ...found.value } : caller
  }

  it('when it completes, then its code is used up, and a new name of the app is noted once', async () => {
    const { request } = await started()
    const { id: factorId } = await succeed(enrolment().complete(CONTEXT, caller, request))
    caller = await again()
    const stepUp = (totp: string) => world.service.stepUp(CONTEXT, caller, { password: undefined, totp })
    expect(await fail(stepUp(request.totp))).to.deep.equal({ _tag: 'Invalid', problems: ['TotpWrong'] })
    for (let time = 0; time < 2; time += 1)
      await succeed(world.service.renameFactor(CONTEXT, caller, { factorId, name: '🔑'.repeat(64) }))
    expect((await factors()).find(({ id }) => id === factorId)?.name).to.equal('🔑'.repeat(64))
    expect((await world.events()).filter(({ type }) => type === 'FactorRenamed')).to.have.lengthOf(1)
  })

  it('when recovery codes are renewed, then other ones are stored, and other sessions have ended', async () => {
    const { request } = await started()
    await succeed(enrolment().complete(CONTEXT, caller, request))
    caller = await again()
    const digests = async () => (await factors()).find(({ kind }) => kind === 'recovery_codes')?.material
    const before = await digests()
    const codes = await succeed(world.service.renewRecoveryCodes(CONTEXT, caller))
    expect(await digests()).to.equal(codes.map((text) => nodeDigests.sha256(normalized(text))).join(' '))
    expect(await digests()).to.not.equal(before)
    const { user, session } = await again()
    expect([user.sessionsVersion, session.sessionsVersion]).to.deep.equal(
      Array(2).fill(caller.user.sessionsVersion + 1),
    )
  })

  it('are listed without recovery codes, whose number is told', async () => {
    expect(await succeed(world.service.listFactors(caller))).to.deep.equal({
      factors: [],
      recoveryCodesLeft: none,
    })
    const { request } = await started()
    await succeed(enrolment().complete(CONTEXT, caller, request))
    const { factors: listed, recoveryCodesLeft } = await succeed(world.service.listFactors(caller))
    expect(listed.map(({ kind }) => kind)).to.deep.equal(['totp'])
    expect(recoveryCodesLeft).to.deep.equal(some(10))
  })
})

describe('a service whose users may not enrol', () => {
  for (const [name, environment] of [
    ['without SECOND_FACTORS', { KEY_ENCRYPTION_KEY: `2026:${KEY.secret}` }],
    ['with its default settings', {}],
  ] as const)
    it(`has no enrolment ${name}`, async () => {
      const { service } = await newWorld({ environment })
      expect(service.enrolTotp).to.equal(undefined)
    })

  it('has none if a module takes the sealing away', async () => {
    const modules = [provide(Dependency.sealing, () => none)]
    const { service } = await newWorld({ environment: FACTOR_SETTINGS, modules })
    expect(service.enrolTotp).to.equal(undefined)
  })
})
