import { type IdentityRequest, LONGEST_ANSWER } from '../../../application/ports/identity-provider.ts'
import { Refused } from './calls.ts'

/** What a redirect of the provider says. */
export type Answer = Readonly<{
  code: string | undefined
  error: string | undefined
  issuer: string | undefined
}>

/**
 * Reads the query of a redirect.
 *
 * @throws Refused if it is malformed, or the answer to another start
 */
export const readAnswer = (text: string, { state }: IdentityRequest): Answer => {
  if (text.length > LONGEST_ANSWER) throw new Refused('malformed_answer')
  const parameters = new URLSearchParams(text)
  const only = (name: string): string | undefined => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw new Refused('malformed_answer') // RFC 6749 §3.1
    return values[0]
  }
  const [code, error, issuer, received] = [only('code'), only('error'), only('iss'), only('state')]
  if (received === undefined || OTHER_FLOWS.some((name) => parameters.has(name)))
    throw new Refused('malformed_answer')
  if (received !== state) throw new Refused('wrong_state')
  return { code, error, issuer }
}

/** Answers of the implicit and the hybrid flow, and of JARM. None was asked for. */
const OTHER_FLOWS = ['id_token', 'access_token', 'token', 'response']

/**
 * The code of an answer.
 *
 * @throws Refused for an error, or without a code
 */
export const codeOf = ({ code, error }: Answer): string => {
  if (error !== undefined) throw new Refused(error === 'access_denied' ? 'access_denied' : 'provider_error')
  if (!code) throw new Refused('malformed_answer')
  return code
}
