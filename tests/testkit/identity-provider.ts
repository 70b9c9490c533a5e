import assert from 'node:assert/strict'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import {
  type Identity,
  type IdentityProvider,
  type IdentityRefused,
  type IdentityRequest,
  LONGEST_ANSWER,
  type ProviderUnavailable,
} from '../../application/ports/identity-provider.ts'
import type { IdentityRefusal } from '../../domain/identity-refusal.ts'
import type { Person } from './identity-provider/memory-identity-provider.ts'
import { ok } from './outcome.ts'
import type { Runner } from './runner.ts'

/**
 * Opens a provider that knows this client, and what stands for the other side. `isAway`: nothing listens.
 *
 * @param redirectUris the provider leads back to these
 */
export type OpenIdentityProvider = (
  how: Readonly<{ redirectUris: ReadonlyArray<string>; isAway?: boolean }>,
) => Promise<OpenedIdentityProvider>

export type OpenedIdentityProvider = Readonly<{
  provider: IdentityProvider
  /** Returns the query with which the browser comes back from the address of `start`, after this person signed in there. */
  signIn: (url: string, person: Person) => Promise<string>
  /** The same, after the provider answered with this error (RFC 6749 §4.1.2.1). */
  refuse: (url: string, error: string) => Promise<string>
  close?: () => Promise<void>
}>

/** The contract suite of `IdentityProvider`. */
export const identityProviderContract = ({ it }: Runner, open: OpenIdentityProvider): void => {
  const check = (name: string, body: (opened: OpenedIdentityProvider) => Promise<void>, isAway = false) =>
    it(name, async () => {
      const opened = await open({ redirectUris: REDIRECT_URIS, ...(isAway && { isAway }) })
      try {
        await body(opened)
      } finally {
        await opened.close?.()
      }
    })

  /** Starts a sign-in, and returns the answer of the provider. */
  const signedIn = async (
    { provider, signIn }: OpenedIdentityProvider,
    request = newRequest(),
    person: Person = ADA,
  ) => ({
    request,
    answer: await signIn(await ok(provider.start(request)), person),
  })

  check('has a name, a label and an issuer', async ({ provider: { name, label, issuer } }) => {
    assert.match(name, /^[a-z0-9][a-z0-9-]{0,31}$/)
    assert.notEqual(label.trim(), '')
    assert.equal(URL.canParse(issuer), true)
  })

  check('leads to an address with the state, and without the verifier', async ({ provider }) => {
    const request = newRequest()
    for (const asked of [request, { ...request, loginHint: 'ada@lovelace.example' }]) {
      const url = await ok(provider.start(asked))
      const { searchParams } = new URL(url)
      assert.equal(searchParams.get('state'), request.state)
      assert.equal(searchParams.get('redirect_uri'), request.redirectUri)
      assert.equal(url.includes(request.codeVerifier), false)
    }
  })

  for (const redirectUri of REDIRECT_URIS)
    check(`answers the user of a sign-in that leads back to ${redirectUri}`, async (opened) => {
      const { request, answer } = await signedIn(opened, newRequest({ redirectUri }))
      const { subject, verifiedEmail } = await ok(opened.provider.complete(answer, request))
      assert.deepEqual([subject, verifiedEmail], [String(ADA.id), some(ADA.email)])
    })

  for (const mark of ['', '?'])
    check(`takes an answer that begins with ${JSON.stringify(mark)}`, async (opened) => {
      const { request, answer } = await signedIn(opened)
      const { subject } = await ok(opened.provider.complete(mark + answer.replace(/^\?/, ''), request))
      assert.equal(subject, String(ADA.id))
    })

  check('knows users again, and tells them apart', async (opened) => {
    const subjects: Array<string> = []
    for (const person of [ADA, GRACE, { ...ADA, email: 'countess@lovelace.example' }]) {
      const { request, answer } = await signedIn(opened, newRequest(), person)
      subjects.push((await ok(opened.provider.complete(answer, request))).subject)
    }
    assert.deepEqual(subjects, [ADA.id, GRACE.id, ADA.id].map(String))
  })

  for (const [what, person] of NO_EMAIL)
    check(`answers no e-mail if it is ${what}`, async (opened) => {
      const { request, answer } = await signedIn(opened, newRequest(), person)
      const { subject, verifiedEmail } = await ok(opened.provider.complete(answer, request))
      assert.deepEqual([subject, verifiedEmail], [String(person.id), none])
    })

  check('answers several sign-ins at once, each with its user', async (opened) => {
    const people = Array.from({ length: 10 }, (_, at) => ({ id: at + 100, email: `reader${at}@example.com` }))
    const all = []
    for (const person of people) all.push(await signedIn(opened, newRequest(), person))
    const completed = await Promise.all(
      all.map(({ request, answer }) => ok(opened.provider.complete(answer, request))),
    )
    assert.deepEqual(
      completed.map(({ subject }) => subject),
      people.map(({ id }) => String(id)),
    )
  })

  check('says when the user authenticated again, or refuses', async (opened) => {
    const { request, answer } = await signedIn(opened, newRequest({ isAgain: true }))
    const completed = await opened.provider.complete(answer, request)()
    if (isLeft(completed)) return assert.equal(reasonOf(completed), 'invalid_id_token')
    assert.notEqual(opened.provider.isNeverAgain, true, 'it refuses each request with isAgain')
    const { authenticatedAtSeconds: at } = completed.right
    assert.equal(isSome(at) && Math.abs(at.value - Date.now() / 1000) < 60, true)
  })

  check('takes each answer once', async (opened) => {
    const { request, answer } = await signedIn(opened)
    await ok(opened.provider.complete(answer, request))
    reasonOf(await opened.provider.complete(answer, request)())
  })

  for (const [what, change] of OTHER_REQUESTS)
    check(`refuses an answer to a request with another ${what}`, async (opened) => {
      const { request, answer } = await signedIn(opened)
      const reason = reasonOf(await opened.provider.complete(answer, { ...request, ...change })())
      if (what === 'state') assert.equal(reason, 'wrong_state')
    })

  check('refuses the code of another sign-in', async (opened) => {
    const [one, other] = [await signedIn(opened), await signedIn(opened, newRequest(), GRACE)]
    const code = new URLSearchParams(other.answer).get('code') ?? ''
    reasonOf(await opened.provider.complete(changed(one.answer, { code }), one.request)())
  })

  check('refuses an answer in the name of another issuer', async (opened) => {
    const { request, answer } = await signedIn(opened)
    const forged = changed(answer, { iss: 'https://evil.example' })
    assert.equal(reasonOf(await opened.provider.complete(forged, request)()), 'wrong_issuer')
  })

  for (const [error, reason] of ERRORS)
    check(`says ${reason} if the provider answers ${error}`, async (opened) => {
      const request = newRequest()
      const answer = await opened.refuse(await ok(opened.provider.start(request)), error)
      assert.equal(reasonOf(await opened.provider.complete(answer, request)()), reason)
      const other = { ...request, state: newRequest().state }
      assert.equal(reasonOf(await opened.provider.complete(answer, other)()), 'wrong_state')
    })

  for (const [what, malformed] of MALFORMED)
    check(`refuses a malformed answer: ${what}`, async (opened) => {
      const { request, answer } = await signedIn(opened)
      const text = malformed(answer.replace(/^\?/, ''), request.state)
      assert.equal(reasonOf(await opened.provider.complete(text, request)()), 'malformed_answer')
    })

  check('refuses odd texts without an exception', async ({ provider }) => {
    for (const text of ODD) reasonOf(await provider.complete(text, newRequest())())
  })

  check('can be checked', async ({ provider }) => {
    assert.deepEqual(await provider.check()(), right(undefined))
  })

  check(
    'says that the provider is away',
    async ({ provider }) => {
      const request = newRequest()
      const unavailable = left({ _tag: 'ProviderUnavailable' })
      const started = await provider.start(request)()
      if (isLeft(started)) assert.deepEqual(started, unavailable) // others need nothing for an address
      const answer = new URLSearchParams({ code: 'a', state: request.state, iss: provider.issuer })
      assert.deepEqual(await provider.complete(String(answer), request)(), unavailable)
      assert.deepEqual(await provider.check()(), unavailable)
    },
    true,
  )
}

const ADA = { id: 1815, email: 'ada@lovelace.example' }
const GRACE = { id: 1906, email: 'grace@hopper.example' }

/** The second has a query, which belongs to it. */
export const REDIRECT_URIS = [
  'https://app.example.com/callback',
  'https://app.example.com/callback?tenant=7',
] as const

let requests = 0

/** A request with new texts. */
export const newRequest = (changes: Partial<IdentityRequest> = {}): IdentityRequest => {
  requests += 1
  const text = (what: string) => `${what}-${requests}-`.padEnd(43, 'x')
  return {
    redirectUri: REDIRECT_URIS[0],
    state: text('state'),
    nonce: text('nonce'),
    codeVerifier: text('verifier'),
    ...changes,
  }
}

export const NO_EMAIL: ReadonlyArray<readonly [what: string, person: Person]> = [
  ['absent', { id: 1 }],
  ['not verified', { ...ADA, isVerified: false }],
  ['not ASCII', { id: 2, email: 'grüße@example.com' }],
  ['malformed', { id: 3, email: 'ada at lovelace.example' }],
  ['too long', { id: 4, email: `${'a'.repeat(300)}@example.com` }],
]

export const OTHER_REQUESTS: ReadonlyArray<readonly [what: string, change: Partial<IdentityRequest>]> = [
  ['state', { state: 's'.repeat(43) }],
  ['verifier', { codeVerifier: 'v'.repeat(43) }],
  ['redirect URI', { redirectUri: REDIRECT_URIS[1] }],
]

export const ERRORS: ReadonlyArray<readonly [error: string, reason: IdentityRefusal]> = [
  ['access_denied', 'access_denied'],
  ['server_error', 'provider_error'],
  ['login_required', 'provider_error'],
]

export const MALFORMED: ReadonlyArray<
  readonly [what: string, of: (answer: string, state: string) => string]
> = [
  ['nothing', () => ''],
  ['a question mark', () => '?'],
  ['no state', (answer) => changed(answer, { state: undefined })],
  ['no code', (answer) => changed(answer, { code: undefined })],
  ['an empty code', (answer) => changed(answer, { code: '' })],
  ['two codes', (answer) => `${answer}&code=a`],
  ['two states', (answer, state) => `${answer}&state=${state}`],
  ['an ID token', (answer) => `${answer}&id_token=a.b.c`],
  ['too long', (answer) => `${answer}&a=${'a'.repeat(LONGEST_ANSWER)}`],
]

export const ODD = [
  '%',
  'code=%ff&state=%zz',
  '\u0000',
  '\ud800',
  '&&&==',
  '#code=1',
  'https://evil.example/?code=1',
]

/** @param changes undefined removes a parameter */
const changed = (answer: string, changes: Readonly<Record<string, string | undefined>>): string => {
  const parameters = new URLSearchParams(answer)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  return String(parameters)
}

/** Why an answer was refused, as it must be. */
const reasonOf = (completed: Either<IdentityRefused | ProviderUnavailable, Identity>): IdentityRefusal => {
  if (isLeft(completed) && completed.left._tag === 'IdentityRefused') return completed.left.reason
  throw new assert.AssertionError({ message: `not refused: ${JSON.stringify(completed)}`, actual: completed })
}
