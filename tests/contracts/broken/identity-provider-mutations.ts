import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type {
  Identity,
  IdentityProvider,
  IdentityRequest,
} from '../../../application/ports/identity-provider.ts'
import type { IdentityRefusal } from '../../../domain/identity-refusal.ts'
import {
  ERRORS,
  MALFORMED,
  NO_EMAIL,
  OTHER_REQUESTS,
  REDIRECT_URIS,
} from '../../testkit/identity-provider.ts'
import type { PortMutation } from './port-mutations.ts'

type Row = PortMutation<IdentityProvider>
type Completed = Awaited<ReturnType<ReturnType<IdentityProvider['complete']>>>

const SIGNS_IN = REDIRECT_URIS.map((uri) => `answers the user of a sign-in that leads back to ${uri}`)
const MARKS = ['takes an answer that begins with ""', 'takes an answer that begins with "?"']
const IDENTITY: Identity = { subject: '1815', verifiedEmail: none, authenticatedAtSeconds: none }

/** Changes what a sign-in comes to. */
const completing =
  (change: (completed: Completed, answer: string, request: IdentityRequest) => Completed) =>
  (good: IdentityProvider): Partial<IdentityProvider> => ({
    complete: (answer, request) => async () =>
      change(await good.complete(answer, request)(), answer, request),
  })

const identified = (change: (identity: Identity) => Partial<Identity>) =>
  completing((completed) =>
    isLeft(completed) ? completed : right({ ...completed.right, ...change(completed.right) }),
  )

/** Accepts what it should refuse for this reason. */
const overlooks = (reason: IdentityRefusal) =>
  completing((completed) =>
    isLeft(completed) && completed.left._tag === 'IdentityRefused' && completed.left.reason === reason
      ? right(IDENTITY)
      : completed,
  )

/** Compares each request with the one that was started, except for this. */
const forgets =
  (name: 'state' | 'codeVerifier' | 'redirectUri') =>
  (good: IdentityProvider): Partial<IdentityProvider> => {
    let last: IdentityRequest | undefined
    return {
      start: (request) => {
        last = request
        return good.start(request)
      },
      complete: (answer, request) =>
        good.complete(answer, { ...request, ...(last && { [name]: last[name] }) }),
    }
  }

const FORGOTTEN = { state: 'state', verifier: 'codeVerifier', 'redirect URI': 'redirectUri' } as const

export const IDENTITY_PROVIDER_MUTATIONS: ReadonlyArray<Row> = [
  ['has an odd name', () => ({ name: 'Google' }), 'has a name, a label and an issuer'],
  ['has no label', () => ({ label: ' ' }), 'has a name, a label and an issuer'],
  [
    'sends the verifier with the browser',
    (good) => ({
      start: (request) => async () => {
        const started = await good.start(request)()
        return isLeft(started) ? started : right(`${started.right}&code_challenge=${request.codeVerifier}`)
      },
    }),
    'leads to an address with the state, and without the verifier',
  ],
  [
    'leads to one address',
    (good) => ({ start: () => async () => right(good.issuer) }),
    'leads to an address with the state, and without the verifier',
  ],
  ['answers another subject', identified(() => ({ subject: 'ada' })), ...SIGNS_IN, ...MARKS],
  [
    'takes the e-mail for the subject',
    identified(({ subject, verifiedEmail }) => ({
      subject: verifiedEmail._tag === 'Some' ? verifiedEmail.value : subject,
    })),
    'knows users again, and tells them apart',
    ...SIGNS_IN,
  ],
  ['answers no e-mail', identified(() => ({ verifiedEmail: none })), ...SIGNS_IN],
  ...NO_EMAIL.map(
    ([what, { email = '' }]): Row => [
      `trusts any e-mail, also one that is ${what}`,
      identified(() => ({ verifiedEmail: some(email) })),
      `answers no e-mail if it is ${what}`,
    ],
  ),
  [
    'mixes up users who sign in at once',
    (good) => {
      let last: Promise<Completed> | undefined
      return {
        complete: (answer, request) => async () => {
          const before = last
          last = good.complete(answer, request)()
          return before ?? last
        },
      }
    },
    'answers several sign-ins at once, each with its user',
    'knows users again, and tells them apart',
  ],
  [
    'says nothing of the time',
    identified(() => ({ authenticatedAtSeconds: none })),
    'says when the user authenticated again, or refuses',
  ],
  [
    'says an earlier time',
    identified(() => ({ authenticatedAtSeconds: some(1) })),
    'says when the user authenticated again, or refuses',
  ],
  [
    'keeps what an answer came to',
    (good) => {
      const kept = new Map<string, Promise<Completed>>()
      return {
        complete: (answer, request) => async () => {
          const known = kept.get(answer) ?? good.complete(answer, request)()
          kept.set(answer, known)
          return known
        },
      }
    },
    'takes each answer once',
  ],
  ...OTHER_REQUESTS.map(
    ([what]): Row => [
      `does not compare the ${what}`,
      forgets(FORGOTTEN[what as keyof typeof FORGOTTEN]),
      `refuses an answer to a request with another ${what}`,
    ],
  ),
  ['accepts any code', overlooks('provider_error'), 'refuses the code of another sign-in'],
  ['accepts any issuer', overlooks('wrong_issuer'), 'refuses an answer in the name of another issuer'],
  ...ERRORS.map(
    ([error, reason]): Row => [
      `accepts the error ${error}`,
      overlooks(reason),
      `says ${reason} if the provider answers ${error}`,
    ],
  ),
  [
    'believes errors of any state',
    (good) => ({
      complete: (answer, request) =>
        answer.includes('error=access_denied')
          ? async () => left({ _tag: 'IdentityRefused', reason: 'access_denied' })
          : good.complete(answer, request),
    }),
    'says access_denied if the provider answers access_denied',
  ],
  ...MALFORMED.map(
    ([what]): Row => [
      `accepts a malformed answer: ${what}`,
      overlooks('malformed_answer'),
      `refuses a malformed answer: ${what}`,
    ],
  ),
  [
    'reads the answer as an address',
    (good) => ({
      complete: (answer, request) => async () => {
        decodeURIComponent(answer)
        return good.complete(answer, request)()
      },
    }),
    'refuses odd texts without an exception',
  ],
  [
    'wants a question mark',
    (good) => ({
      complete: (answer, request) =>
        answer.startsWith('?')
          ? good.complete(answer, request)
          : async () => left({ _tag: 'IdentityRefused', reason: 'malformed_answer' }),
    }),
    'takes an answer that begins with ""',
  ],
  [
    'takes a question mark for a part of the first name',
    (good) => ({
      complete: (answer, request) =>
        answer.startsWith('?')
          ? async () => left({ _tag: 'IdentityRefused', reason: 'malformed_answer' })
          : good.complete(answer, request),
    }),
    'takes an answer that begins with "?"',
  ],
  [
    'finds every provider wrong',
    () => ({ check: () => async () => left({ _tag: 'IdentityRefused', reason: 'wrong_issuer' }) }),
    'can be checked',
  ],
  [
    'finds every provider right',
    () => ({ check: () => async () => right(undefined) }),
    'says that the provider is away',
  ],
  [
    'takes a provider that is away for one that refuses',
    completing((completed) =>
      isLeft(completed) ? left({ _tag: 'IdentityRefused', reason: 'provider_error' }) : completed,
    ),
    'says that the provider is away',
  ],
]
