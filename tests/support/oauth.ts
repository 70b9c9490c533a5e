import type { Answer } from './http-client.ts'
import { FORM_TYPE } from './introspection.ts'
import type { RunningService } from './running-service.ts'

export const TOKEN = '/oauth2/token'
export const REVOKE = '/oauth2/revoke'
export const METADATA = '/.well-known/oauth-authorization-server'

export const GRANT = { grant_type: 'client_credentials' }

/** The keys of an application under their OAuth names. */
export const clientOf = ({ public_api_key, private_api_key }: RunningService['keys']) => ({
  client_id: public_api_key,
  client_secret: private_api_key,
})

/** `Authorization: Basic` of two texts, used as given. */
export const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** The header of an application with its keys. */
export const basic = ({ public_api_key, private_api_key }: RunningService['keys']) => ({
  authorization: basicOf(public_api_key, private_api_key),
})

/** Sends a form, or another body, to a route. */
export const sendForm = (
  { send }: Pick<RunningService, 'send'>,
  path: string,
  form: Readonly<Record<string, string>> | string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  send({
    method: 'POST',
    path,
    body:
      typeof form === 'string' || form instanceof Uint8Array ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': FORM_TYPE, ...headers },
  })

/** The body of a refusal: the fields of the contract and those of RFC 6749 §5.2. */
export const oauthRefusal = (code: number, error: string, message: string) => ({
  success: false,
  code,
  message,
  error,
  error_description: message,
})

/** The 503 of a request that changed nothing. */
export const oauthUnavailable = (message: string) => ({
  ...oauthRefusal(503, 'temporarily_unavailable', message),
  outcome: 'none',
})

/** For routes that also accept a token. */
export const WRONG_CLIENT = oauthRefusal(
  401,
  'invalid_client',
  'This operation requires an application token (Authorization: Bearer <token>), or valid API keys as client_id and client_secret.',
)
