import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { ACCESS, type Permission } from '../../domain/access.ts'
import { ACCEPTED_PURPOSES, type AcceptedPurpose, type SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserJwtClaims, UserTokenClaims } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** A service on a real socket and file, its private keys, and a good token of each kind: all that an attacker could want. */
export type Target = Readonly<{
  running: RunningService
  keys: Readonly<Record<AcceptedPurpose, SigningKey>>
  application: Readonly<{ token: string; claims: ApplicationTokenClaims }>
  user: Readonly<{ token: string; claims: UserTokenClaims }>
  /** Of the same session as `user`. */
  user_jwt: Readonly<{ token: string; claims: UserJwtClaims }>
  /** The whole response to a text that is no token at all. */
  refusal: string
  /** Sets the clock this many seconds after the good tokens were made. */
  setClock: (seconds: number) => void
  stop: () => Promise<void>
}>

/** A token or other text from an attacker. */
export type Attack = readonly [what: string, token: (target: Target) => string | Promise<string>]

const BEGINNING = Date.parse('2026-11-20T12:00:00Z')

const FORMATS = { application: jwtApplicationTokens(), user: pasetoUserTokens(), user_jwt: jwtUserTokens() }

/** The route for each kind of token, and the status for a valid one: 422 (fields are missing) and 200. */
const USES = {
  application: { method: 'POST', path: '/api/v1/auth/user/token', good: 422 },
  user: { method: 'GET', path: '/api/v1/profile', good: 200 },
  user_jwt: { method: 'GET', path: '/api/v1/profile', good: 200 },
} as const

const INVALID = { _tag: 'InvalidToken' }

export const openTarget = async (): Promise<Target> => {
  let now = BEGINNING
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const running = await startService(
    { DATABASE_URL: `sqlite:${join(folder, 'store.db')}`, USER_TOKEN_FORMAT: 'jwt' },
    provide(Dependency.clock, () => () => now),
  )
  const [application, userJwt] = [await running.applicationToken(), await running.userToken()]
  const keys = await succeed(running.service.store.listSigningKeys())
  const keyFor = (purpose: AcceptedPurpose): SigningKey => {
    const key = keys.find((one) => one.purpose === purpose)
    if (key === undefined) throw new Error(`no key for ${purpose} tokens`)
    return key
  }
  const ring = { application: keyFor('application'), user: keyFor('user'), user_jwt: keyFor('user_jwt') }
  const userJwtClaims = await succeed(FORMATS.user_jwt.verify(userJwt, [ring.user_jwt]))
  const { aud: _, client_id: __, ...claims } = userJwtClaims
  return {
    running,
    keys: ring,
    application: {
      token: application,
      claims: await succeed(FORMATS.application.verify(application, [ring.application])),
    },
    user: { token: await succeed(FORMATS.user.sign(claims, ring.user)), claims },
    user_jwt: { token: userJwt, claims: userJwtClaims },
    refusal: await answerTo(running, 'user', 'x'),
    setClock: (seconds) => {
      now = BEGINNING + seconds * 1000
    },
    stop: async () => {
      await running.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A target for the tests of one `describe`. */
export const underAttack = (): (() => Target) => {
  let target: Target | undefined
  before(async () => {
    target = await openTarget()
  })
  after(() => target?.stop())
  return () => {
    if (target === undefined) throw new Error('only in a test')
    return target
  }
}

/** The whole response to a request with this token, without the headers that vary. */
export const answerTo = async (
  { port }: Pick<RunningService, 'port'>,
  kind: AcceptedPurpose,
  token: string,
): Promise<string> => {
  const { method, path } = USES[kind]
  return withoutDateAndId(await sendRaw(port, requestText(method, path, [`Authorization: Bearer ${token}`])))
}

/** A header cannot contain control characters, loses outer spaces, and shares 16 KiB with all other headers. */
const canBeSent = (token: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what the test is about
  !/^\s|\s$|[\0-\x1f\x7f]/.test(token) && Buffer.byteLength(token) < 15_000

/**
 * Not a valid token of the service at this time: every use fails, and over a real socket the response equals
 * the response to a single letter.
 */
export const expectRefused = async (target: Target, token: string): Promise<void> => {
  for (const permission of Object.keys(ACCESS) as ReadonlyArray<Permission>) {
    const judged = target.running.service.authenticate(CONTEXT, permission, token)
    expect(await fail(judged), permission).to.deep.equal(INVALID)
  }
  if (!canBeSent(token)) return
  expect(parseRaw(target.refusal).headers['www-authenticate']).to.include('error="invalid_token"')
  for (const kind of ['application', 'user'] as const) {
    expect(await answerTo(target.running, kind, token), kind).to.equal(target.refusal)
  }
}

/** Never a valid token: all formats refuse it with the correct keys, and so does the service. */
export const expectForged = async (target: Target, token: string): Promise<void> => {
  for (const purpose of ACCEPTED_PURPOSES) {
    const judged = await FORMATS[purpose].verify(token, Object.values(target.keys))()
    expect(isLeft(judged) ? judged.left : judged.right, purpose).to.deep.equal(INVALID)
  }
  await expectRefused(target, token)
}

/** A valid token of this kind, also over a real socket. */
export const expectAccepted = async (target: Target, kind: AcceptedPurpose, token: string): Promise<void> => {
  expect((await FORMATS[kind].verify(token, [target.keys[kind]])())._tag).to.equal('Right')
  expect(Number((await answerTo(target.running, kind, token)).split(' ')[1])).to.equal(USES[kind].good)
}

/** One test for each of these: it was never a valid token. */
export const refusesForged = (target: () => Target, attacks: ReadonlyArray<Attack>): void => {
  for (const [what, token] of attacks)
    it(`refuses ${what}`, async () => expectForged(target(), await token(target())))
}

/** One test for each of these: the token is not valid at this time, although our key may have signed it. */
export const refuses = (target: () => Target, attacks: ReadonlyArray<Attack>): void => {
  for (const [what, token] of attacks)
    it(`refuses ${what}`, async () => expectRefused(target(), await token(target())))
}

/** The same attacks with the key, the token and the claims of a user's JWT in place of those of an application. */
export const onUserJwts = (attacks: ReadonlyArray<Attack>): ReadonlyArray<Attack> =>
  attacks.map(([what, token]) => [
    `${what}, of a user`,
    (t) =>
      token({
        ...t,
        keys: { ...t.keys, application: t.keys.user_jwt },
        application: t.user_jwt as unknown as Target['application'],
      }),
  ])
