import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fromPredicate, none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  type Identity,
  type IdentityProvider,
  type IdentityRefused,
  type IdentityRequest,
  LONGEST_ANSWER,
  type ProviderUnavailable,
} from '../../../application/ports/identity-provider.ts'
import type { IdentityRefusal } from '../../../domain/identity-refusal.ts'
import { isEmail } from '../../../domain/user.ts'

/** A user of an identity provider. */
export type Person = Readonly<{
  /** The provider gives it as the subject. */
  id: number
  email?: string
  /** Whether the provider has verified the e-mail. Default: true. */
  isVerified?: boolean
}>

export type MemoryIdentityProvider = IdentityProvider &
  Readonly<{
    /** Returns the query with which the browser comes back from the address of `start`, after this person signed in there. */
    signIn: (url: string, person: Person) => string
    /** The same, after the user said no (`access_denied`) or the provider failed. */
    refuse: (url: string, error: string) => string
    /** From now on nothing answers, or answers again. */
    beAway: (isAway: boolean) => void
  }>

/** What a code stands for. */
type SignIn = Readonly<{ request: IdentityRequest; person: Person }>

/** An identity provider without a network, for tests of what signs users in with one. Nobody has to visit its addresses. */
export const memoryIdentityProvider = ({
  name = 'google',
  label = 'Google',
  issuer = 'https://accounts.google.com',
  now = Date.now,
}: Readonly<{
  name?: string
  label?: string
  issuer?: string
  now?: () => number
}> = {}): MemoryIdentityProvider => {
  const started = new Map<string, IdentityRequest>()
  const codes = new Map<string, SignIn>()
  let isAway = false
  let codesMade = 0
  const requestOf = (url: string): IdentityRequest => {
    const request = started.get(new URL(url).searchParams.get('state') ?? '')
    if (request === undefined) throw new Error('This address is not one of `start`.')
    return request
  }
  const redirected = (parameters: Readonly<Record<string, string>>): string =>
    `?${new URLSearchParams({ ...parameters, iss: issuer })}`

  return {
    name,
    label,
    issuer,
    beAway: (away) => {
      isAway = away
    },
    signIn: (url, person) => {
      const request = requestOf(url)
      codesMade += 1
      const code = `code-${codesMade}`
      codes.set(code, { request, person })
      return redirected({ code, state: request.state })
    },
    refuse: (url, error) => redirected({ error, state: requestOf(url).state }),

    start: (request) => async () => {
      if (isAway) return left(UNAVAILABLE)
      started.set(request.state, request)
      const { redirectUri, state, nonce, loginHint } = request
      const hint = loginHint === undefined ? {} : { login_hint: loginHint }
      const parameters = { response_type: 'code', redirect_uri: redirectUri, state, nonce, ...hint }
      return right(`${issuer}/authorize?${new URLSearchParams(parameters)}`)
    },

    complete: (answer, request) => async () => {
      const code = codeIn(answer, request.state, issuer)
      if (isAway) return left(UNAVAILABLE)
      if (code._tag === 'Left') return code
      const signIn = codes.get(code.right)
      codes.delete(code.right) // also if another check fails
      if (signIn === undefined || !isOf(signIn.request, request)) return refused('provider_error')
      if (signIn.request.nonce !== request.nonce) return refused('invalid_id_token')
      return right(identityOf(signIn.person, now()))
    },

    check: () => async () => (isAway ? left(UNAVAILABLE) : right(undefined)),
  }
}

const UNAVAILABLE: ProviderUnavailable = { _tag: 'ProviderUnavailable' }
const refused = (reason: IdentityRefusal): Either<IdentityRefused, never> =>
  left({ _tag: 'IdentityRefused', reason })

const codeIn = (answer: string, state: string, issuer: string): Either<IdentityRefused, string> => {
  const parameters = new URLSearchParams(answer)
  const names = [...parameters.keys()]
  const [received, from, error, code] = ['state', 'iss', 'error', 'code'].map((name) => parameters.get(name))
  const isRepeated = new Set(names).size < names.length
  if (answer.length > LONGEST_ANSWER || isRepeated || received == null || parameters.has('id_token'))
    return refused('malformed_answer')
  if (received !== state) return refused('wrong_state')
  if (from !== issuer) return refused('wrong_issuer')
  if (error != null) return refused(error === 'access_denied' ? 'access_denied' : 'provider_error')
  return code ? right(code) : refused('malformed_answer')
}

/** What a token endpoint compares. */
const isOf = (one: IdentityRequest, other: IdentityRequest): boolean =>
  one.redirectUri === other.redirectUri && one.codeVerifier === other.codeVerifier

const identityOf = ({ id, email = '', isVerified = true }: Person, nowMs: number): Identity => ({
  subject: String(id),
  verifiedEmail: isVerified ? wellFormed(email) : none,
  authenticatedAtSeconds: some(Math.floor(nowMs / 1000)),
})

const wellFormed: (email: string) => Option<string> = fromPredicate(isEmail)
