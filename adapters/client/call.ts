import { type ApplicationToken, applicationToken } from './application-token.ts'
import { type Outcome, PortcullisUnavailable } from './failures.ts'
import { type InterpretedResponse, interpretResponse, isRead, outcomeOf } from './interpret-response.ts'
import { type Limit, TIME_OVER, withinLimit } from './limit.ts'
import { type IssueApplicationTokenAnswer, OPERATIONS } from './operations.ts'
import { requestOf, type Server, tokenOf } from './request.ts'
import type { Operation, Options, Result } from './results.ts'
import { type Fetch, send } from './send.ts'
import type { Time } from './time.ts'

export type OperationId = keyof typeof OPERATIONS

export type CallSettings = Server &
  Readonly<{
    fetch: Fetch
    /** Milliseconds for a whole call, with its repetitions. */
    timeout: number
    time: Time
  }>

/** One call of an operation. */
export type Call = Readonly<{
  id: OperationId
  input?: Readonly<Record<string, unknown>> | undefined
  options?: Options | undefined
  userToken?: string | undefined
  /** Milliseconds that the request may wait at the service, beyond the time limit of the client. */
  waitMs?: number
}>

const MOST_TRIES = 4

/** The pause before the first repetition, if the service names none. It doubles each time. */
const FIRST_PAUSE_MS = 250

/** Calls operations: it authenticates, sends, repeats what is safe to repeat, and judges the response. */
export const caller = (settings: CallSettings): ((call: Call) => Promise<object>) => {
  const call = async ({ id, input = {}, options = {}, userToken, waitMs = 0 }: Call) => {
    const operation: Operation = OPERATIONS[id]
    // `Headers` would show a token with other characters in its error.
    if (tokenOf(operation) === 'user' && !isToken(userToken)) return INVALID_TOKEN
    return withinLimit(settings.time, settings.timeout + waitMs, options.signal, async (limit) => {
      let isNewToken = false
      let outcome: Outcome = 'none'
      for (let tries = 1; ; tries += 1) {
        const token = await tokenFor(operation, userToken, tokens, limit)
        if (!token.ok) return token
        const sent = { operation, input: withOwnFields(id, input), options, token: token.token }
        const judged = await attempt(
          settings.fetch,
          operation,
          requestOf(settings, sent, limit.signal),
          limit,
        )
        if ('value' in judged) {
          const isRefusedToken = 'refusal' in judged.value && judged.value.refusal === 'invalid_token'
          if (tokenOf(operation) !== 'application' || !isRefusedToken) return judged.value
          if (isNewToken)
            throw new PortcullisUnavailable('Portcullis refused its own new application token.', 'none')
          // Nothing was done, so the request can be sent with a new token.
          tokens.drop(token.token ?? '')
          isNewToken = true
        } else {
          const { error } = judged
          // An operator may have given the scope after the token was made. A proxy that answers 403 may have passed the request on.
          const lacksScope = tokenOf(operation) === 'application' && judged.repeat === 'with a new token'
          if (lacksScope && !isNewToken && tokens.dropOld(token.token ?? '')) {
            isNewToken = true
            continue
          }
          if (error instanceof PortcullisUnavailable && error.outcome === 'unknown') outcome = 'unknown'
          const mayGoOn = tries < MOST_TRIES && mayRepeat(operation, judged)
          if (!mayGoOn || !(await paused(tries, judged, limit))) throw withOutcome(outcome, error)
        }
      }
    })
  }

  /** Fields that the client fills itself. */
  const withOwnFields = (id: OperationId, input: Readonly<Record<string, unknown>>) => {
    const { publicApiKey, privateApiKey } = settings
    if (id === 'issueApplicationToken') return { publicApiKey, privateApiKey }
    return id === 'issueOauthToken' ? { ...input, grantType: 'client_credentials' } : input
  }

  // A shared request: the signal of one caller does not end it.
  const tokens = applicationToken(async () => {
    const issued = (await call({ id: 'issueApplicationToken' })) as Result<IssueApplicationTokenAnswer>
    if (issued.ok && !isToken(issued.token)) throw new PortcullisUnavailable(NO_TOKEN, 'none')
    return issued
  }, settings.time)
  return call
}

/** The token of a request. Without one, nothing was sent yet, so nothing was changed. */
const tokenFor = async (
  operation: Operation,
  userToken: string | undefined,
  tokens: ApplicationToken,
  limit: Limit,
): Promise<Result<{ token: string | undefined }>> => {
  if (tokenOf(operation) !== 'application') return { ok: true, token: userToken }
  try {
    return await limit.race(tokens.get())
  } catch (error) {
    if (error === TIME_OVER)
      throw new PortcullisUnavailable('There was no application token in time.', 'none')
    if (!(error instanceof PortcullisUnavailable)) throw error
    const { message, status, retryAfter, requestId } = error
    throw new PortcullisUnavailable(message, 'none', { status, retryAfter, requestId })
  }
}

/** The error of the last attempt. An earlier one may have changed something although this one did not. */
const withOutcome = (outcome: Outcome, error: Error): Error =>
  error instanceof PortcullisUnavailable ? new PortcullisUnavailable(error.message, outcome, error) : error

const mayRepeat = (
  operation: Operation,
  { repeat }: Exclude<InterpretedResponse, { value: object }>,
): boolean => {
  if (repeat === 'never' || repeat === 'with a new token' || operation.kind === 'once') return false
  return repeat === 'if nothing was changed' || operation.kind === 'repeatable' || isRead(operation)
}

const paused = (tries: number, { error }: Exclude<InterpretedResponse, { value: object }>, limit: Limit) => {
  const told = error instanceof PortcullisUnavailable ? error.retryAfter : undefined
  return limit.pause(told === undefined ? FIRST_PAUSE_MS * 2 ** (tries - 1) : told * 1000)
}

const attempt = async (
  fetch: Fetch,
  operation: Operation,
  request: Parameters<Fetch>,
  limit: Limit,
): Promise<InterpretedResponse> => {
  try {
    return interpretResponse(operation, await send(fetch, request, limit))
  } catch (cause) {
    const outcome = outcomeOf(operation)
    if (cause === TIME_OVER || limit.signal.reason === TIME_OVER)
      return { error: new PortcullisUnavailable('There was no answer in time.', outcome), repeat: 'never' }
    if (limit.signal.aborted) throw limit.signal.reason
    const message = `There was no answer${codeOf(cause)}. Check url, and whether the service runs.`
    return { error: new PortcullisUnavailable(message, outcome), repeat: 'if it reads' }
  }
}

/** The code of a network error, such as ` (ECONNREFUSED)`. The error itself may contain the request, with its secrets. */
const codeOf = (error: unknown): string => {
  const { code, cause } = Object(error)
  const known = [code, Object(cause).code].find(
    (one) => typeof one === 'string' && /^[A-Z][A-Z_0-9]{2,40}$/.test(one),
  )
  return known === undefined ? '' : ` (${known})`
}

/** Whether a header can contain it. */
const isToken = (token: unknown): boolean => typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)

const NO_TOKEN = 'The answer contains no application token, so it is not one of Portcullis. Check url.'

const INVALID_TOKEN = {
  ok: false,
  refusal: 'invalid_token',
  problems: [{ field: '', reason: 'invalid_token', code: 401, message: 'The token is malformed.' }],
} as const
