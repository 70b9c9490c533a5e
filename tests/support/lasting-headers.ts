import type { Answer } from './http-client.ts'

/**
 * The headers of a response. Removes the two that differ each time, which must be present, and those
 * about the connection.
 */
export const lastingHeaders = ({ headers }: Pick<Answer, 'headers'>): Answer['headers'] => {
  const { date, 'x-request-id': requestId, connection, 'keep-alive': keepAlive, ...lasting } = headers
  if (date === undefined || requestId === undefined) throw new Error('an answer without date or request id')
  return lasting
}
