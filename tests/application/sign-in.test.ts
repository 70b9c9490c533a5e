import { expect } from 'chai'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import type { SignInProblem, SignInRequest } from '../../domain/sign-in.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { settings } from '../support/settings.ts'
import { refusingHasher } from './fakes.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('signIn, given that Ada@Example.com is registered with the password "old"', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const signIn = (request: SignInRequest) => world.service.signIn(CONTEXT, world.caller, request)

  const WRONG: ReadonlyArray<
    readonly [
      name: string,
      request: { email?: string; password?: string },
      problems: SignInProblem[],
      reason: SignInRefusal,
    ]
  > = [
    ['nothing', {}, ['EmailMissing', 'PasswordMissing'], 'missing_field'],
    [
      'a wrong password',
      { email: 'ada@example.com', password: 'new' },
      ['PasswordDoesNotMatch'],
      'wrong_password',
    ],
    [
      'a space after the password',
      { email: 'ada@example.com', password: 'old ' },
      ['PasswordDoesNotMatch'],
      'wrong_password',
    ],
    [
      'an unknown e-mail',
      { email: 'eve@example.com', password: 'old' },
      ['PasswordDoesNotMatch'],
      'unknown_email',
    ],
  ]
  for (const [name, { email, password }, problems, reason] of WRONG) {
    it(`when it comes with ${name}, then it is refused with ${problems.join(' and ')}`, async () => {
      expect(await fail(signIn({ email, password }))).to.deep.equal({ _tag: 'Invalid', problems })
      expect(await world.events()).to.deep.equal([])
    })

    it(`when it comes with ${name}, then ${reason} is noted once it is answered`, async () => {
      await fail(signIn({ email, password }))
      const isAdas = reason === 'wrong_password'
      expect(await world.settledEvents()).to.deep.equal([
        {
          type: 'SignInRefused',
          subject: isAdas ? { kind: 'user', id: world.ada.id } : { kind: 'service', id: 'portcullis' },
          actor: { kind: 'application', id: world.shop.application.id },
          data: { reason },
        },
      ])
    })
  }

  it('when the e-mail is unknown, then the failure is the same as for a wrong password', async () => {
    const unknown = await fail(signIn({ email: 'eve@example.com', password: 'old' }))
    const wrong = await fail(signIn({ email: 'ada@example.com', password: 'wrong' }))
    expect(unknown).to.deep.equal(wrong)
  })

  it('when a refusal is noted, then it has the id of its request', async () => {
    await fail(signIn({ email: 'ada@example.com', password: 'wrong' }))
    await world.background.settle()
    expect((await world.events()).map(({ request_id }) => request_id)).to.deep.equal(['request-1'])
  })

  it('when the store takes no change, then the refusal is still the answer', async () => {
    world.store.readOnly = true
    const request = { email: 'ada@example.com', password: 'wrong' }
    expect(await fail(signIn(request))).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordDoesNotMatch'] })
    expect(await world.settledEvents()).to.deep.equal([])
  })

  it('when she is signed in, then no refusal is noted', async () => {
    await succeed(signIn({ email: 'ada@example.com', password: 'old' }))
    expect((await world.settledEvents()).map(({ type }) => type)).to.deep.equal(['UserSignedIn'])
  })

  for (const email of ['Ada@Example.com', 'ada@example.com', 'ADA@EXAMPLE.COM']) {
    it(`when ${email} comes with the password, then a token is issued`, async () => {
      const { token, sessionId, ...rest } = await succeed(signIn({ email, password: 'old' }))
      expect(rest).to.deep.equal({
        expiresInSeconds: 43_200,
        sessionExpiresInSeconds: 43_200,
        userId: world.ada.id,
        emailVerified: false,
        roles: [],
        acr: 'aal1',
        amr: ['pwd'],
      })
      const caller = await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
      expect(caller.user.email).to.equal('Ada@Example.com')
      expect(caller.session.id).to.equal(sessionId)
    })
  }

  it('when she is signed in, then it is noted without her e-mail', async () => {
    const { token } = await succeed(signIn({ email: 'ada@example.com', password: 'old' }))
    const { session } = await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
    const [{ id, position, ...noted } = { id: '', position: 0 }, ...more] = await world.events()
    expect(noted).to.deep.equal({
      type: 'UserSignedIn',
      version: 1,
      at: '2026-03-01T12:00:00.000Z',
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'application', id: world.shop.application.id },
      request_id: 'request-1',
      data: {
        session_id: session.id,
        expires_at: '2026-03-02T00:00:00.000Z',
        ends_at: '2026-03-02T00:00:00.000Z',
        amr: ['pwd'],
      },
    })
    expect(more).to.deep.equal([])
  })

  it('when she is signed in twice, then there are two sessions', async () => {
    const [one, other] = [await world.signIn(), await world.signIn()]
    expect(one.caller.session.id).to.not.equal(other.caller.session.id)
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', one.token))
  })
})

describe('signIn, given that Ada is disabled', () => {
  const request = { email: 'ada@example.com', password: 'old' }
  let world: World
  beforeEach(async () => {
    world = await newWorld()
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
  })

  const refused = async () =>
    (await world.settledEvents()).slice(1).map(({ subject, data }) => ({ subject, data }))

  it('when her password comes, then the failure is the same as for a wrong password', async () => {
    expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['PasswordDoesNotMatch'],
    })
    expect(await refused()).to.deep.equal([
      { subject: { kind: 'user', id: world.ada.id }, data: { reason: 'user_disabled' } },
    ])
  })

  it('when a wrong password comes, then the noted reason is the wrong password', async () => {
    await fail(world.service.signIn(CONTEXT, world.caller, { ...request, password: 'wrong' }))
    expect(await refused()).to.deep.equal([
      { subject: { kind: 'user', id: world.ada.id }, data: { reason: 'wrong_password' } },
    ])
  })

  it('when she is removed, then her e-mail is unknown', async () => {
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    await fail(world.service.signIn(CONTEXT, world.caller, request))
    expect((await refused()).at(-1)).to.deep.equal({
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'unknown_email' },
    })
  })
})

describe('signIn, given a hasher that counts its work', () => {
  const STATES: ReadonlyArray<readonly [name: string, before: (world: World) => Promise<unknown>]> = [
    ['registered', async () => {}],
    ['unknown', ({ service, ada }) => succeed(service.removeUser(CONTEXT, ada.email))],
    ['disabled', ({ service, ada }) => succeed(service.disableUser(CONTEXT, ada.email))],
  ]
  // Less work would take less time, and show which e-mails are registered.
  for (const [name, before] of STATES) {
    it(`when a wrong password comes for an e-mail that is ${name}, then the password is verified once`, async () => {
      const work: Array<string> = []
      const hasher = plainHasher(async (kind) => {
        work.push(kind)
        return undefined
      })
      const world = await newWorld({ hasher })
      await before(world)
      work.splice(0)
      const request = { email: world.ada.email, password: 'wrong' }
      expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['PasswordDoesNotMatch'],
      })
      expect(work).to.deep.equal(['verify'])
    })
  }
})

describe('signIn, given a hasher that refuses', () => {
  for (const refusal of [{ _tag: 'Overloaded', retryAfterSeconds: 7 }, { _tag: 'Abandoned' }] as const) {
    // Without the check an unknown e-mail would be faster, and show which e-mails are registered.
    for (const email of ['ada@example.com', 'eve@example.com']) {
      it(`when it says ${refusal._tag} for ${email}, then that failure is the answer`, async () => {
        const hasher = refusingHasher(refusal)
        const world = await newWorld({ hasher })
        hasher.refusing = true
        const request = { email, password: 'old' }
        expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal(refusal)
        expect(await world.settledEvents()).to.deep.equal([])
      })
    }
  }

  it('when the request is aborted, then no session is opened', async () => {
    const { scrypt, hashing } = settings()
    const world = await newWorld({ hasher: scryptPasswordHasher(scrypt, hashing) })
    const request = { email: 'ada@example.com', password: 'old' }
    expect(
      await fail(world.service.signIn({ signal: () => AbortSignal.abort() }, world.caller, request)),
    ).to.deep.equal({ _tag: 'Abandoned' })
    expect(await world.events()).to.deep.equal([])
  })

  it('when a field is missing, then the hasher is not called', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    const world = await newWorld({ hasher })
    hasher.refusing = true
    const request = { email: 'ada@example.com', password: '' }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['PasswordMissing'],
    })
  })
})
