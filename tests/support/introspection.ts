import type { Answer } from './http-client.ts'
import type { RunningService } from './running-service.ts'

export const INTROSPECT = '/oauth2/introspect'
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/**
 * Introspects a token.
 *
 * @param bearer the token of the caller
 * @param asked a token, or a whole form as sent
 */
export const introspection = (
  { send }: Pick<RunningService, 'send'>,
  bearer: string | undefined,
  asked: Readonly<{ token: string }> | Readonly<{ form: string | Uint8Array }>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  send({
    method: 'POST',
    path: INTROSPECT,
    ...(bearer === undefined ? {} : { token: bearer }),
    body: 'form' in asked ? asked.form : new URLSearchParams(asked).toString(),
    headers: { 'content-type': FORM_TYPE, ...headers },
  })
