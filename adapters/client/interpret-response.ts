import { isObject } from './encoding.ts'
import { type Outcome, PortcullisUnavailable, requestRefused, wrongApiKeys } from './failures.ts'
import { programName, programNames } from './names.ts'
import { tokenOf } from './request.ts'
import type { Operation, Problem, Reason, Refused, SecondFactorDue } from './results.ts'
import { type Received, textOf } from './send.ts'
import type { Acr, Field } from './vocabulary.ts'

/** What a response means: a value for the program, or a failure. Whether it is repeated depends on the operation, too. */
export type InterpretedResponse =
  | Readonly<{ value: object }>
  | Readonly<{
      error: Error
      repeat: 'never' | 'if it reads' | 'if nothing was changed' | 'with a new token'
    }>

/** Decides what a program gets for a response (docs/contract.md §1.3 to §1.10). */
export const interpretResponse = (operation: Operation, received: Received): InterpretedResponse => {
  const { status } = received
  if (status >= 200 && status < 300) return success(operation, received)
  if (status === 401 || status === 403) return refusedToken(operation, received)
  if (status === 422) return invalidFields(operation, received)
  if (status === 413) return { value: tooLarge(received) }
  if (status === 429) return { value: throttled(received) }
  if (status >= 500) return unavailable(operation, received)
  if (status >= 400) return refused(received)
  return { error: notOfService(operation, received), repeat: 'never' }
}

const success = (operation: Operation, received: Received): InterpretedResponse => {
  const { bytes, json, headers } = received
  switch (operation.answer) {
    case 'text':
      return { value: { ok: true, text: textOf(bytes) } }
    case 'bytes':
      return { value: { ok: true, bytes } }
    case 'nothing':
      if (bytes.length === 0) return { value: { ok: true } }
      break
    case 'items': {
      const next = cursorIn(headers.get('Link') ?? '')
      // Without a cursor, the feed would begin again.
      if (Array.isArray(json) && next !== '') return { value: { ok: true, items: json, next } }
      break
    }
    default:
      if (isObject(json))
        return { value: { ...((operation.keepsNames ? json : programNames(json)) as object), ok: true } }
  }
  return { error: notOfService(operation, received), repeat: 'never' }
}

/** `</api/v1/events?after=EPOCH:POSITION&limit=1>; rel="next"`. A proxy may have added other links. */
const cursorIn = (link: string): string =>
  new URLSearchParams(/[?&](after=[^&>]+)/.exec(link)?.[1] ?? '').get('after') ?? ''

/**
 * Only a Bearer challenge is the service's (RFC 6750 §3), or `invalid_client` for the API keys (RFC 6749 §5.2). A proxy may have asked
 * for credentials of its own.
 */
const refusedToken = (operation: Operation, received: Received): InterpretedResponse => {
  const { token, path } = operation
  const { status, headers, json } = received
  if (token === 'keys' && isObject(json) && json.error === 'invalid_client')
    return { error: wrongApiKeys(), repeat: 'never' }
  const challenge = headers.get('WWW-Authenticate') ?? ''
  if (!/^Bearer\b/i.test(challenge)) return refused(received)
  const error = /\berror="([^"]*)"/.exec(challenge)?.[1]
  // Someone else may have brought a user token. The application lacks a scope until its operator acts.
  if (status === 403 && tokenOf(operation) !== 'user')
    return { ...refused(received, GIVE_SCOPE), repeat: 'with a new token' }
  if (status === 403) return { value: refusal('insufficient_scope', received) }
  if (error === 'insufficient_user_authentication') {
    const maxAge = Number(/\bmax_age="?(\d+)/.exec(challenge)?.[1] ?? 0)
    const acr = (/\bacr_values="([^"]*)"/.exec(challenge)?.[1] ?? 'aal1') as Acr
    return { value: { ...refusal(error, received), maxAge, acr } }
  }
  if (token === 'keys' || path === TOKEN_PATH) return { error: wrongApiKeys(), repeat: 'never' }
  return { value: refusal('invalid_token', received) }
}

/** The route that takes the API keys as fields. */
const TOKEN_PATH = 'auth/application/token'

const invalidFields = ({ reasons = '' }: Operation, received: Received): InterpretedResponse => {
  const known = reasons.split(' ') as ReadonlyArray<Reason | undefined>
  const { json } = received
  const { errors, second_factor: due } = isObject(json) ? json : {}
  const [first, ...others] = (Array.isArray(errors) ? errors : []).filter(isObject).map(
    ({ param, code, message }): Problem => ({
      field: programName(String(param)) as Field, // a newer service may name another one
      reason: known[Number(code) - 1] ?? 'other',
      code: Number(code),
      message: String(message),
    }),
  )
  if (first === undefined) return refused(received)
  const problems = [first, ...others] as const
  if (!isObject(due)) return { value: { ok: false, problems } satisfies Refused }
  const secondFactor = programNames(due) as SecondFactorDue['secondFactor']
  return { value: { ok: false, refusal: 'second_factor', secondFactor, problems } satisfies SecondFactorDue }
}

/** A person may have typed too much. */
const tooLarge = ({ json }: Received): Refused => ({
  ok: false,
  problems: [
    { field: '', reason: 'too_large', code: 413, message: messageIn(json) ?? 'The request is too large.' },
  ],
})

const throttled = (received: Received): object => ({
  ...refusal('throttled', received),
  retryAfter: retryAfterOf(received) || 1,
})

const refusal = <Name extends Reason>(name: Name, { status, json }: Received) => ({
  ok: false as const,
  refusal: name,
  problems: [{ field: '', reason: name, code: status, message: messageIn(json) ?? name }] as const,
})

const unavailable = (operation: Operation, received: Received): InterpretedResponse => {
  const { status, json } = received
  const { outcome: told } = isObject(json) ? json : {}
  const outcome = told === 'none' ? 'none' : outcomeOf(operation)
  const error = failure(messageIn(json) ?? `The server answered ${status}.`, outcome, received)
  if (status === 500) return { error, repeat: 'never' }
  return { error, repeat: told === 'none' ? 'if nothing was changed' : 'if it reads' }
}

/** The outcome of a request without a clear answer. */
export const outcomeOf = (operation: Operation): Outcome => (isRead(operation) ? 'none' : 'unknown')

/** Whether the operation changes nothing. */
export const isRead = ({ kind, method }: Operation): boolean => kind === 'read' || method === 'GET'

const notOfService = (operation: Operation, received: Received): PortcullisUnavailable =>
  failure(
    `The answer with status ${received.status} is not one of Portcullis. Redirects are not followed. Check url.`,
    outcomeOf(operation),
    received,
  )

const failure = (message: string, outcome: Outcome, received: Received): PortcullisUnavailable =>
  new PortcullisUnavailable(message, outcome, {
    status: received.status,
    retryAfter: retryAfterOf(received),
    requestId: received.headers.get('X-Request-Id') ?? undefined,
  })

const GIVE_SCOPE =
  ' Give the application this scope beside its others: portcullis application set ID --scope SCOPES'

const refused = ({ status, json, headers }: Received, whatToDo = '') => ({
  error: requestRefused(
    status,
    (messageIn(json) ?? 'This is not an answer of Portcullis. Check url.') + whatToDo,
    headers.get('X-Request-Id') ?? undefined,
  ),
  repeat: 'never' as const,
})

/** Seconds. Proxies may send a date, which counts as absent. So does what is longer than a timer can run. */
const retryAfterOf = ({ headers }: Received): number | undefined => {
  const text = headers.get('Retry-After') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

/** The message of the envelope. Another server may show the request, with its secrets. */
const messageIn = (json: unknown): string | undefined =>
  isObject(json) && json.success === false && typeof json.message === 'string' ? json.message : undefined
