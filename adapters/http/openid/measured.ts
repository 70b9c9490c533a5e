import { isRight } from 'fp-ts/lib/Either.js'
import type { OpenIdLibrary, Outcome } from './library.ts'

/** Counts what clients and people get. Failures of the service are in the metrics of requests. */
export type OpenIdMeter = Readonly<{
  /** `page`: the person does something first. */
  authorized: (result: 'granted' | 'page' | 'refused') => void
  exchanged: (grant: 'authorization_code' | 'refresh_token', result: 'granted' | 'refused') => void
}>

/** The same library, whose outcomes are counted. */
export const measured = (library: OpenIdLibrary, meter: OpenIdMeter): OpenIdLibrary => ({
  ...library,
  authorize: (context, request) => async () => {
    const outcome = await library.authorize(context, request)()
    if (isRight(outcome)) meter.authorized(resultOf(outcome.right))
    return outcome
  },
  answerClient: (context, client, request) => async () => {
    const outcome = await library.answerClient(context, client, request)()
    const grant = request.form.get('grant_type')
    if (isRight(outcome) && (grant === 'authorization_code' || grant === 'refresh_token'))
      meter.exchanged(grant, outcome.right.status < 300 ? 'granted' : 'refused')
    return outcome
  },
})

const resultOf = ({ status, headers, posted, shown }: Outcome): 'granted' | 'page' | 'refused' => {
  if (shown !== undefined || status >= 400) return 'refused'
  const location = headers.get('location') ?? ''
  if (location.startsWith('/')) return 'page'
  return posted?.fields.error !== undefined || /[?&#]error=/.test(location) ? 'refused' : 'granted'
}
