import type { Answer } from './http-client.ts'

/**
 * The headers of an answer, but for the two that differ from answer to answer, which have to be there, and those
 * that are about the connection.
 */
export const lastingHeaders = ({ headers }: Pick<Answer, 'headers'>): Answer['headers'] => {
  const { date, 'x-request-id': requestId, connection, 'keep-alive': keepAlive, ...lasting } = headers
  if (date === undefined || requestId === undefined) throw new Error('an answer without date or request id')
  return lasting
}
