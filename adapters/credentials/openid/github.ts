import { createHash } from 'node:crypto'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, type Option } from 'fp-ts/lib/Option.js'
import { right } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { IdentityProvider } from '../../../application/ports/identity-provider.ts'
import { codeOf, readAnswer } from './answer.ts'
import { type BoundedFetch, boundedFetch, LIMITS, type Limits } from './bounded-fetch.ts'
import { callsAtOnce, Refused } from './calls.ts'
import { wellFormed } from './verified-email.ts'

export type GitHubOptions = Readonly<{
  name: string
  label: string
  /** `https://github.com`, or the origin of GitHub Enterprise. */
  issuer: string
  clientId: string
  clientSecret: string
}>

/** GitHub, which has OAuth 2.0 and no ID tokens. So it never says when a user authenticated. */
export const gitHubProvider = (options: GitHubOptions, limits: Limits = LIMITS): IdentityProvider => {
  const { name, label, issuer, clientId, clientSecret } = options
  const call = boundedFetch(issuer, limits)
  const run = callsAtOnce(limits.callsAtOnce)
  const exchange = (parameters: Readonly<Record<string, string>>): Promise<Response> =>
    call(`${issuer}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters }),
    })

  return {
    name,
    label,
    issuer,
    isNeverAgain: true,

    start: ({ redirectUri, state, codeVerifier, loginHint }) =>
      right(
        `${issuer}/login/oauth/authorize?${new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          scope: 'user:email',
          state,
          code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
          code_challenge_method: 'S256',
          ...(loginHint !== undefined && { login: loginHint }),
        })}`,
      ),

    complete: (answer, request) =>
      run(async () => {
        const received = readAnswer(answer, request)
        if (received.issuer !== undefined && received.issuer !== issuer) throw new Refused('wrong_issuer')
        const code = codeOf(received)
        if (request.isAgain) throw new Refused('invalid_id_token')
        const { redirectUri: redirect_uri, codeVerifier: code_verifier } = request
        const { access_token: token } = await read(Tokens, exchange({ code, redirect_uri, code_verifier }))
        const { id } = await read(User, api(issuer, call, 'user', token))
        return {
          subject: String(id),
          verifiedEmail: await primaryEmail(api(issuer, call, 'user/emails?per_page=100', token)),
          authenticatedAtSeconds: none,
        }
      }),

    // There is no metadata. That it refuses a code, and not the client, shows that it answers and knows the client.
    check: () =>
      run(async () => {
        const { error } = await read(Failure, exchange({ code: 'none' }))
        if (error !== 'bad_verification_code') throw new Refused('provider_error')
      }),
  }
}

const Tokens = t.type({ access_token: t.string })
const Failure = t.type({ error: t.string })
const User = t.type({ id: t.refinement(t.number, (id) => Number.isSafeInteger(id) && id > 0, 'Id') })
const Emails = t.array(t.type({ email: t.string, primary: t.boolean, verified: t.boolean }))

const api = (issuer: string, call: BoundedFetch, path: string, token: string): Promise<Response> =>
  call(`${apiOf(issuer)}/${path}`, {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
  })

const apiOf = (issuer: string): string => (issuer === GITHUB ? 'https://api.github.com' : `${issuer}/api/v3`)

export const GITHUB = 'https://github.com'

/** @throws Refused for an answer that is not as GitHub documents it */
const read = async <A>(codec: t.Type<A, unknown>, called: Promise<Response>): Promise<A> => {
  const response = await called
  const decoded = codec.decode(
    response.status === 200 ? await response.json().catch(() => undefined) : undefined,
  )
  if (!isRight(decoded)) throw new Refused('provider_error')
  return decoded.right
}

/** None if the user, or the operator of the GitHub App, did not let us read it. */
const primaryEmail = async (called: Promise<Response>): Promise<Option<string>> => {
  const response = await called
  if (response.status === 403 || response.status === 404) return none
  const emails = await read(Emails, Promise.resolve(response))
  const primary = emails.find(({ primary: isPrimary, verified }) => isPrimary && verified)
  return primary === undefined ? none : wellFormed(primary.email)
}
