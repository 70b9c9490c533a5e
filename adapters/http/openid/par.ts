import { clientForm, SENT_KEYS } from '../oauth/client.ts'
import { BASIC, oauthErrors } from '../oauth/errors.ts'
import { PRAGMA } from '../oauth/token.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { integer, object, text } from '../operation/schema.ts'
import type { AskAsClient } from './clients.ts'

/** A client pushes a request for authorization, so that the browser carries only its name (RFC 9126). */
export const parRoute = (ask: AskAsClient): Route => ({
  path: '/oauth2/par',
  methods: {
    POST: operation(
      {
        id: 'pushAuthorizationRequest',
        tag: 'OAuth 2.0',
        summary: 'Push a request for authorization',
        details:
          'Pushed authorization requests (RFC 9126). The browser then gets `client_id` and `request_uri` instead of the parameters. A pushed request is good for one minute, and for one authorization.',
        access: SENT_KEYS,
        body: FORM,
        successes: [
          {
            status: 201,
            description: 'The request is kept.',
            body: object({
              request_uri: text('The name of the request, for the authorization endpoint.'),
              expires_in: integer('In seconds.'),
            }),
            headers: PRAGMA,
          },
        ],
        toErrorResponse: oauthErrors(BASIC),
        failures: [
          'ClientRefused',
          'InvalidClient',
          'Throttled',
          'Overloaded',
          'KeyUnusable',
          'StoreUnavailable',
        ],
        examples: [
          {
            summary: 'A request that is kept for its client',
            fields: {
              response_type: 'code',
              redirect_uri: 'https://shop.example.com/callback',
              scope: 'openid email',
              state: 'af0ifjsldkj',
              code_challenge: EXAMPLE.codeChallenge,
              code_challenge_method: 'S256',
            },
            status: 201,
            body: { request_uri: EXAMPLE.requestUri, expires_in: 60 },
          },
        ],
      },
      ({ caller: keys, fields: { client_id: _, client_secret: __, ...fields }, context }) =>
        ask(context, keys, { path: '/oauth2/par', fields }),
    ),
  },
})

const parameter = (example: string) => ({
  description: 'As at the authorization endpoint (OpenID Connect Core §3.1.2.1).',
  example,
})

const FORM = clientForm(
  {
    response_type: parameter('code'),
    response_mode: parameter('query'),
    redirect_uri: parameter('https://shop.example.com/callback'),
    scope: parameter('openid email'),
    state: parameter('af0ifjsldkj'),
    nonce: parameter('n-0S6_WzA2Mj'),
    code_challenge: parameter(EXAMPLE.codeChallenge),
    code_challenge_method: parameter('S256'),
    prompt: parameter('login'),
    max_age: parameter('600'),
    ui_locales: parameter('de'),
    id_token_hint: parameter('eyJ…'),
    login_hint: parameter('ada@example.com'),
    acr_values: parameter('aal2'),
    claims: parameter('{"id_token":{"acr":{"essential":true,"value":"aal2"}}}'),
  },
  'response_type',
)
