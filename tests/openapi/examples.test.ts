import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { EXAMPLE } from '../../adapters/http/operation/example-values.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import type { ApplicationRequest } from '../../domain/application.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { credentialsFor } from '../support/credentials.ts'
import { factorDesk, totpAt } from '../support/factor-desk.ts'
import type { Answer } from '../support/http-client.ts'
import { FORM_TYPE } from '../support/introspection.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { documentOf, operationsOf, resolved } from '../support/open-api.ts'
import { openIdCredentials } from '../support/openid-client.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import {
  newDesk,
  PASSKEY_SETTINGS,
  PASSKEY_SIGN_IN,
  permitPasskeys,
  SIGN_IN,
} from '../support/passkey-desk.ts'
import { publishedLogOf } from '../support/published-log.ts'
import { CONTEXT } from '../support/request-context.ts'
import { pooledRsaKeys } from '../support/rsa-keys.ts'
import type { RunningService } from '../support/running-service.ts'
import { enrolUser } from '../support/second-factors.ts'
import { claimsOf } from '../support/token-claims.ts'
import { withService } from '../support/with-service.ts'
import { answerValidator } from './answer-validator.ts'
import { type Case, casesOf } from './example-cases.ts'

const SETTINGS = { ...mailLinkSettings(), ...PASSKEY_SETTINGS, OPENID: 'on' }

/** Values that are new each time, or secret. */
const VARIES: ReadonlySet<unknown> = new Set([
  EXAMPLE.applicationToken,
  EXAMPLE.userToken,
  EXAMPLE.recoveryToken,
  EXAMPLE.confirmationToken,
  EXAMPLE.signInToken,
  EXAMPLE.userId,
  EXAMPLE.applicationId,
  EXAMPLE.applicationName,
  EXAMPLE.sessionId,
  EXAMPLE.factorId,
  EXAMPLE.passkeyId,
  ...Object.values(EXAMPLE.registrationOptions.user),
  EXAMPLE.registrationOptions.rp.name,
  EXAMPLE.signInOptions.challenge,
  EXAMPLE.secondStepOptions.allowCredentials[0].id,
  EXAMPLE.enrolment,
  EXAMPLE.totpSecret,
  EXAMPLE.otpauthUri,
  ...EXAMPLE.recoveryCodes,
  EXAMPLE.createdAt,
  EXAMPLE.endsAt,
  EXAMPLE.expiresAt,
  EXAMPLE.kid,
  EXAMPLE.rsaKid,
  EXAMPLE.n,
  EXAMPLE.x,
  EXAMPLE.pasetoKid,
  EXAMPLE.paserk,
  EXAMPLE.checkpoint,
  EXAMPLE.requestUri,
  EXAMPLE.eventId,
  EXAMPLE.requestId,
  EXAMPLE.logSource,
  EXAMPLE.position,
  EXAMPLE.sequence,
  EXAMPLE.eventSubject,
])

/** The response with varying values replaced by those of the example. The schema checks their shape. */
const asInExample = (example: unknown, actual: unknown): unknown => {
  if (VARIES.has(example)) return typeof actual === typeof example ? example : actual
  if (typeof example !== 'object' || example === null || typeof actual !== 'object' || actual === null)
    return actual
  if (Array.isArray(actual)) return actual.map((item, index) => asInExample(Object(example)[index], item))
  return Object.fromEntries(
    Object.entries(actual).map(([key, value]) => [key, asInExample(Object(example)[key], value)]),
  )
}

const A_CHECKPOINT =
  'example.com/api/v1/log/a1b2c3d4\n0\nroot=\n\n— example.com/api/v1/log/a1b2c3d4 signature\n'

const isJson = ({ headers }: Answer): boolean => String(headers['content-type']).includes('json')

/** Registers the user of the examples and signs the user in. */
const sampleUser = async (
  { service, userToken }: RunningService,
  { name }: Case,
): Promise<{ id: string; token: string }> => {
  const credentials = { email: EXAMPLE.email, password: EXAMPLE.password }
  const emailVerified = !/e-mail (that )?is not verified/.test(name)
  const { id } = await succeed(service.registerUser(CONTEXT, { ...credentials, emailVerified }, OPERATOR))
  return { id, token: await userToken({ ...credentials, label: EXAMPLE.label }) }
}

/** A started enrolment of the sample user, or its first factor, if the example needs one. */
const factorOf = async (running: RunningService, one: Case, token: string) => {
  const desk = factorDesk(running, Date.now)
  if (one.path.endsWith('/totp/complete')) {
    const { body } = await desk.start(token)
    return { [EXAMPLE.enrolment]: body.enrolment, [EXAMPLE.totp]: totpAt(body.secret, Date.now()) }
  }
  const hasFactor = /\/factors(?:$|\/re)/.test(one.path) && !one.name.endsWith('without a second factor')
  return hasFactor ? { [EXAMPLE.factorId]: (await desk.enrol(token)).answer.body.id } : {}
}

/** What an example about passkeys needs: a registration or the passkey of the sample user. */
const passkeyOf = async (running: RunningService, { path, name }: Case, token: string) => {
  if (!path.includes('/passkey')) return {}
  await permitPasskeys(running)
  const desk = await newDesk(running)
  if (path.endsWith('/factors/passkey/complete'))
    return { [EXAMPLE.credential]: await desk.register(await desk.startEnrolment(token)) }
  if (path.endsWith('/factors/passkey') || name.endsWith('without a passkey')) return {}
  const { body } = await desk.enrol(token)
  const waiting = await desk.ask(SIGN_IN, { email: EXAMPLE.email, password: EXAMPLE.password })
  const userHandle = userHandleOf(claimsOf(body.token).sub)
  return {
    [EXAMPLE.credential]: await desk.answered(await desk.ask(PASSKEY_SIGN_IN), { userHandle }),
    [EXAMPLE.signInToken]: waiting.body.second_factor.token,
  }
}

/** The usable one-time tokens of the sample user. */
const oneTimeTokens = async ({ service }: RunningService, userId: string) => {
  const scope = 'users:recover users:confirm_email'
  const desk = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, desk))
  const caller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
  const { email } = EXAMPLE
  const { account } = await succeed(service.startRecovery(CONTEXT, caller, { email }))
  const ofRecord = { userId, email, password: undefined }
  const confirmation = await succeed(service.startEmailConfirmation(CONTEXT, caller, ofRecord))
  return { recovery: isSome(account) ? account.value.token : '', confirmation: confirmation.token }
}

/** Registers the user of the examples with a second factor, whose sign-in waits. */
const waitingUser = async ({ service, send, applicationToken }: RunningService) => {
  const credentials = { email: EXAMPLE.emailWithFactor, password: EXAMPLE.password }
  const { id } = await succeed(
    service.registerUser(CONTEXT, { ...credentials, emailVerified: true }, OPERATOR),
  )
  const enrolled = await enrolUser(service.store, id, { recoveryCodes: [EXAMPLE.recoveryCode, 'another'] })
  const token = await applicationToken()
  const { body } = await send({ method: 'POST', path: '/api/v1/auth/user/token', token, body: credentials })
  return { id, signIn: body.second_factor.token, totp: enrolled.codeAt(Date.now()) }
}

/** What the application of an example requires, by the end of its name. */
const REQUIRED = [
  ['requires one', { requireAal2: true }],
  ['requires it', { requireVerifiedEmail: true }],
] as const

/** The token of an application with a requirement. */
const strictToken = async (
  { service }: RunningService,
  required: Pick<ApplicationRequest, 'requireAal2' | 'requireVerifiedEmail'>,
): Promise<string> => {
  const bank = { name: 'bank', scope: 'users:sign_in', ...required }
  const keys = await succeed(service.registerApplication(CONTEXT, bank))
  return (await succeed(service.issueApplicationToken(CONTEXT, keys))).token
}

const sendExample = async (running: RunningService, one: Case): Promise<Answer> => {
  const { id, token: user } = await sampleUser(running, one)
  const { recovery, confirmation } = await oneTimeTokens(running, id)
  const { id: idWithFactor, signIn, totp } = await waitingUser(running)
  if (one.name.endsWith('with attributes'))
    await running.send({
      method: 'POST',
      path: '/api/v1/profile/attributes',
      token: user,
      body: EXAMPLE.attributes,
    })
  const sessions = await running.send({ method: 'GET', path: '/api/v1/profile/sessions', token: user })
  const real = {
    [EXAMPLE.sessionId]: sessions.body.sessions[0].id,
    [EXAMPLE.publicApiKey]: running.keys.public_api_key,
    [EXAMPLE.privateApiKey]: running.keys.private_api_key,
    [EXAMPLE.userId]: id,
    [EXAMPLE.userIdWithFactor]: idWithFactor,
    [EXAMPLE.userToken]: user,
    [EXAMPLE.recoveryToken]: recovery,
    [EXAMPLE.confirmationToken]: confirmation,
    [EXAMPLE.signInToken]: signIn,
    [EXAMPLE.totp]: totp,
    ...(await factorOf(running, one, user)),
    ...(await passkeyOf(running, one, user)),
  }
  const fields =
    one.fields &&
    Object.fromEntries(
      Object.entries(one.fields).map(([name, value]) => [name, real[value as keyof typeof real] ?? value]),
    )
  const required = REQUIRED.find(([ending]) => one.name.endsWith(ending))?.[1]
  const { headers, ...credentials } = required
    ? { token: await strictToken(running, required), headers: {} }
    : /\/(renew|second_factor)$|\/auth\/user\/.*passkey/.test(one.path)
      ? { token: await running.applicationToken(), headers: {} } // of the application that signed the user in
      : ((await openIdCredentials(running, one.path, EXAMPLE)) ??
        (await credentialsFor(running, one.operation, user)))
  if (one.type === '' && fields !== undefined)
    return await running.send({ method: one.method, path: `${one.path}?${formOf(fields)}`, ...credentials })
  return await running.send({
    method: one.method,
    path: one.path,
    ...credentials,
    headers: { ...headers, ...(fields === undefined ? {} : { 'content-type': one.type }) },
    ...(fields === undefined ? {} : { body: one.type === FORM_TYPE ? formOf(fields) : fields }),
  })
}

const formOf = (fields: NonNullable<Case['fields']>): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

describe('each example of the OpenAPI document', () => {
  let document = ''
  let cases: ReadonlyArray<Case> = []
  before(async () => {
    document = await documentOf(SETTINGS)
    cases = casesOf(document)
  })

  it('matches the real response', async () => {
    const validate = answerValidator(document)
    const now = Date.now() // no second passes, so that lifetimes are whole
    for (const one of cases) {
      const test = async (running: RunningService) => {
        const answer = await sendExample(running, one)
        expect(answer.status, one.name).to.equal(one.status)
        expect(asInExample(one.answer, answer.body), one.name).to.deep.equal(one.answer)
        const headers = Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
        )
        const { method, path } = one
        expect(
          validate({
            method,
            path,
            status: answer.status,
            headers,
            body: isJson(answer) ? JSON.stringify(answer.body) : (answer.body ?? ''),
          }),
        ).to.deep.equal([])
      }
      await withService(
        { ...SETTINGS, USER_TOKEN_FORMAT: 'jwt' }, // so that each key set has a key
        test,
        pooledRsaKeys(),
        provide(Dependency.clock, () => () => now),
        provide(Dependency.steadyClock, () => async () => right(now)),
        provide(Dependency.publishedLog, () => publishedLogOf([], A_CHECKPOINT)),
      )
    }
  }).timeout(60_000)

  it('exists for every operation with a response body and for every 422', () => {
    for (const { method, path, operation } of operationsOf(resolved(document))) {
      // These responses are too large for an example, or not text.
      if (['/openapi.json', '/metrics', '/docs', '/api/v1/log/tile/{path}'].includes(path)) continue
      const statuses = cases
        .filter((one) => one.operation.operationId === operation.operationId)
        .map(({ status }) => status)
      const due = Object.entries(operation.responses)
        .filter(([status, { content }]) => /^2|422/.test(status) && content !== undefined)
        .map(([status]) => status)
      expect(statuses, `${method} ${path}`).to.include.members(due.map(Number))
    }
  })

  it('for a request body is also tested', () => {
    const tried = cases.map(({ operation, fields }) => `${operation.operationId} ${JSON.stringify(fields)}`)
    const shown = operationsOf(resolved(document)).flatMap(({ operation }) =>
      Object.values(operation.requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
        Object.values(examples).map(({ value }) => `${operation.operationId} ${JSON.stringify(value)}`),
      ),
    )
    expect(shown).to.have.lengthOf.above(5)
    expect(tried).to.include.members(shown)
  })
})
