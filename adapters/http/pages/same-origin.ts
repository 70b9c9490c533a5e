import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'

/** A page of another origin, or a link, sent the form. */
export type SentFromElsewhere = Readonly<{ _tag: 'SentFromElsewhere' }>

/**
 * Refuses forms that another site made the browser send. Browsers without `Sec-Fetch-Site` and plain clients do not send the
 * header. `Origin` is not compared: under `Referrer-Policy: no-referrer` it is `null`.
 */
export const requireSameOrigin = ({ headers }: IncomingMessage): E.Either<SentFromElsewhere, void> => {
  const { 'sec-fetch-site': site = 'same-origin' } = headers
  return site === 'same-origin' ? E.right(undefined) : E.left({ _tag: 'SentFromElsewhere' })
}
