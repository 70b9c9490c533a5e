import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { API_KEY } from '../support/api-keys.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import type { Sent } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const ISSUE = '/api/v1/auth/application/token'
const SIGN_IN = '/api/v1/auth/user/token'
const CHANGE = '/api/v1/profile/change_password'
const REGISTER = '/api/v1/users'
const CONFIRM = '/api/v1/users/email_confirmation'
const PASSWORD = 'correct horse'
const WRONG = 'battery staple'
const SERVICE = { kind: 'service', id: 'portcullis' }

onMemory('a refusal', (stores) => {
  let running: RunningService
  let ids: Readonly<{ application: string; desk: string; revoked: string; user: string; disabled: string }>
  let keys: Readonly<Record<'live' | 'old' | 'new' | 'revoked', RunningService['keys']>>
  let tokens: Readonly<{ application: string; desk: string; user: string }>

  const newApplication = async () => {
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'another', scope: 'users:sign_in' }),
    )
    const pair = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    return { id: made.application.id, keys: pair }
  }

  before(async () => {
    running = await startService(await stores.fresh())
    const { service } = running
    const rotated = await newApplication()
    const { privateApiKey } = await succeed(
      service.rotateApplicationKey(CONTEXT, { id: rotated.id, overlapSeconds: 0 }),
    )
    const revoked = await newApplication()
    await succeed(service.revokeApplication(CONTEXT, revoked.id))
    const register = (email: string) =>
      succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, { kind: 'operator' }))
    const desk = await succeed(
      service.registerApplication(CONTEXT, { name: 'desk', scope: 'users:confirm_email' }),
    )
    const disabled = await register('disabled@example.com')
    await succeed(service.disableUser(CONTEXT, 'disabled@example.com'))
    await register('removed@example.com')
    await succeed(service.removeUser(CONTEXT, 'removed@example.com'))
    ids = {
      application: rotated.id,
      desk: desk.application.id,
      revoked: revoked.id,
      user: running.user.id,
      disabled: disabled.id,
    }
    keys = {
      live: running.keys,
      old: rotated.keys,
      new: { ...rotated.keys, private_api_key: privateApiKey },
      revoked: revoked.keys,
    }
    tokens = {
      application: await running.applicationToken(),
      desk: (await succeed(service.issueApplicationToken(CONTEXT, desk))).token,
      user: await running.userToken(),
    }
  })
  after(() => running.stop())

  const byApplication = () => ({ kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) })
  const byDesk = () => anApplication(ids.desk)
  const byUser = () => ({ kind: 'user', id: ids.user })
  const nobody = () => ({ kind: 'nobody' })
  const service = () => SERVICE
  const anApplication = (id: string) => ({ kind: 'application', id })
  const aUser = (id: string) => ({ kind: 'user', id })

  const issue = (body: object): Sent => ({ method: 'POST', path: ISSUE, body })
  const signIn = (body: object): Sent => ({ method: 'POST', path: SIGN_IN, token: tokens.application, body })
  const register = (body: object): Sent => ({
    method: 'POST',
    path: REGISTER,
    token: tokens.application,
    body,
  })
  const confirm = (body: object): Sent => ({ method: 'POST', path: CONFIRM, token: tokens.desk, body })
  const change = (body: object): Sent => ({ method: 'POST', path: CHANGE, token: tokens.user, body })

  type Noted = Readonly<{ status: number; subject: () => object; actor: () => object; data: object }>
  const tokenRefused = (reason: string, status = 401, subject: () => object = service): Noted => ({
    status,
    subject,
    actor: nobody,
    data: { reason },
  })
  const signInRefused = (reason: string, subject: () => object = service): Noted => ({
    status: 422,
    subject,
    actor: byApplication,
    data: { reason },
  })
  const changeRefused = (...codes: ReadonlyArray<number>): Noted => ({
    status: 422,
    subject: () => aUser(ids.user),
    actor: byUser,
    data: { codes },
  })

  const RULES: ReadonlyArray<[string, string, () => Sent, Noted]> = [
    [
      'ApplicationTokenRefused',
      'no private key',
      () => issue({ public_api_key: keys.live.public_api_key }),
      tokenRefused('missing_field', 422),
    ],
    [
      'ApplicationTokenRefused',
      'a malformed public key',
      () => issue({ ...keys.live, public_api_key: 'pk_x' }),
      tokenRefused('malformed_key'),
    ],
    [
      'ApplicationTokenRefused',
      'a malformed private key',
      () => issue({ ...keys.live, private_api_key: 'sk_x' }),
      tokenRefused('malformed_key'),
    ],
    [
      'ApplicationTokenRefused',
      'an unknown public key',
      () => issue({ ...keys.live, public_api_key: `pk_${randomUUID()}` }),
      tokenRefused('unknown_application'),
    ],
    [
      'ApplicationTokenRefused',
      'a wrong private key',
      () => issue({ ...keys.new, private_api_key: keys.live.private_api_key }),
      tokenRefused('wrong_private_key', 401, () => anApplication(ids.application)),
    ],
    [
      'ApplicationTokenRefused',
      'a rotated private key',
      () => issue(keys.old),
      tokenRefused('wrong_private_key', 401, () => anApplication(ids.application)),
    ],
    [
      'ApplicationTokenRefused',
      'the keys of a revoked application',
      () => issue(keys.revoked),
      tokenRefused('application_revoked', 401, () => anApplication(ids.revoked)),
    ],
    [
      'SignInRefused',
      'no password',
      () => signIn({ email: 'ada@example.com' }),
      signInRefused('missing_field'),
    ],
    [
      'SignInRefused',
      'an unknown e-mail',
      () => signIn({ email: 'nobody@example.com', password: PASSWORD }),
      signInRefused('unknown_email'),
    ],
    [
      'SignInRefused',
      'the e-mail of a removed user',
      () => signIn({ email: 'removed@example.com', password: PASSWORD }),
      signInRefused('unknown_email'),
    ],
    [
      'SignInRefused',
      'a wrong password',
      () => signIn({ email: 'ada@example.com', password: WRONG }),
      signInRefused('wrong_password', () => aUser(ids.user)),
    ],
    [
      'SignInRefused',
      'the right password of a disabled user',
      () => signIn({ email: 'disabled@example.com', password: PASSWORD }),
      signInRefused('user_disabled', () => aUser(ids.disabled)),
    ],
    [
      'SignInRefused',
      'a wrong password of a disabled user',
      () => signIn({ email: 'disabled@example.com', password: WRONG }),
      signInRefused('wrong_password', () => aUser(ids.disabled)),
    ],
    ['PasswordChangeRefused', 'no fields', () => change({}), changeRefused(1, 2, 3)],
    [
      'PasswordChangeRefused',
      'a wrong old password',
      () => change({ old_password: WRONG, new_password: 'a', new_password_check: 'a' }),
      changeRefused(4),
    ],
    [
      'PasswordChangeRefused',
      'all errors of present fields',
      () => change({ old_password: WRONG, new_password_check: 'a' }),
      changeRefused(2, 4, 5),
    ],
    [
      'RegistrationRefused',
      'no fields',
      () => register({}),
      { status: 422, subject: byApplication, actor: byApplication, data: { codes: [1, 2] } },
    ],
    [
      'RegistrationRefused',
      'a registered e-mail',
      () => register({ email: 'ADA@example.com', password: PASSWORD }),
      { status: 422, subject: byApplication, actor: byApplication, data: { codes: [4] } },
    ],
    [
      'EmailConfirmationRefused',
      'no fields',
      () => confirm({}),
      { status: 422, subject: service, actor: byDesk, data: { codes: [1, 2, 3] } },
    ],
    [
      'EmailConfirmationRefused',
      'an unknown user and a malformed e-mail',
      () => confirm({ user_id: randomUUID(), email: 'x', password: PASSWORD }),
      { status: 422, subject: service, actor: byDesk, data: { codes: [4, 5] } },
    ],
    [
      'EmailConfirmationRefused',
      'the e-mail of another user',
      () => confirm({ user_id: ids.user, email: 'disabled@example.com', password: PASSWORD }),
      { status: 422, subject: () => aUser(ids.user), actor: byDesk, data: { codes: [6] } },
    ],
    [
      'SignInRefused',
      'a wrong password at an e-mail confirmation',
      () => confirm({ user_id: ids.user, email: 'new@example.com', password: WRONG }),
      {
        status: 422,
        subject: () => aUser(ids.user),
        actor: byDesk,
        data: { reason: 'wrong_password' },
      },
    ],
  ]

  RULES.forEach(([type, what, request, { status, subject, actor, data }], index) => {
    it(`is recorded as ${type} with actor, reason and request id: ${what}`, async () => {
      const id = `refused-${index}`
      const answer = await running.send({ ...request(), headers: { 'x-request-id': id } })
      expect(answer.status).to.equal(status)
      const noted = await eventually(`an entry with the request id ${id}`, async () => {
        const entries = await succeed(running.service.store.readEvents({ after: 0, limit: 1000 }))
        return entries.find(({ request_id }) => request_id === id)
      })
      const { position, id: entryId, at, ...said } = noted
      expect(said).to.deep.equal({
        type,
        version: type === 'PasswordChangeRefused' ? 2 : 1,
        subject: subject(),
        actor: actor(),
        request_id: id,
        data,
      })
    })
  })

  it('is recorded exactly once', async () => {
    const noted = await eventsOf(
      running.service.store,
      'ApplicationTokenRefused',
      'SignInRefused',
      'PasswordChangeRefused',
      'RegistrationRefused',
      'EmailConfirmationRefused',
      'RefusalsSummarized',
    )
    const expected = RULES.map((_, index) => `refused-${index}`)
    expect(noted.map(({ request_id }) => request_id)).to.have.members(expected)
  })

  it('leaves no e-mail, password, key or token in the event log', async () => {
    const log = JSON.stringify(await succeed(running.service.store.readEvents({ after: 0, limit: 1000 })))
    const secrets = [
      'example.com',
      PASSWORD,
      WRONG,
      ...Object.values(keys).map(({ private_api_key }) => private_api_key.slice(3, 40)),
      ...Object.values(tokens),
    ]
    for (const secret of secrets) expect(log.toLowerCase(), secret).not.to.include(secret.toLowerCase())
    expect(log).not.to.match(API_KEY)
  })
})
