import type { OpenAPIV3_1 } from 'openapi-types'
import { HEADERS_EVERYWHERE } from '../operation/response.ts'
import { type Schema, text } from '../operation/schema.ts'
import { END_USER_ADDRESS } from '../request/address.ts'

/** The introduction of the description (docs/contract.md §1). */
export const PREAMBLE = `
This service issues tokens to applications, signs users in and changes their passwords. A password change reports every failing field
at once.

## First steps

- An application sends its API key pair and gets an **application token** (\`POST /api/v1/auth/application/token\` or
  \`/oauth2/token\`).
- With this token it registers users (\`POST /api/v1/users\`) and signs them in (\`POST /api/v1/auth/user/token\`). A sign-in returns
  a **user token**.
- Every operation below \`/api/v1/profile\` takes the user token.

Each operation names the token that it requires. A 401 means that the token is invalid, expired or revoked: get
a new application token, or let the user sign in again.

## Rules for every operation

- **Paths** are exact. An unknown path gets 404. A method that the path does not take gets 405, and \`Allow\` lists the others.
- **Other methods**: \`OPTIONS\` gets 204 with \`Allow\`. \`HEAD\` works where \`GET\` is safe. 
  Only the routes of the OpenID provider have CORS headers.
- **Tokens**: send \`Authorization: Bearer <token>\`. The server reads tokens from no other place.
- **Bodies** have at most 16 KiB, in UTF-8, without content encoding. No JSON body, or JSON that is not an object, counts as \`{}\`.
- **Fields** are missing if they are absent, empty, not a string or not well-formed Unicode. The server ignores unknown fields.
- **Order of checks**: path and method, token (401, 403), body (413, 415, 400), then all fields together (422; 401 for API keys).
  After too many failures the server answers 429, before it hashes a password or instead of a 401.
- **Every response outside 2xx and 3xx** is \`{"success": false, "code": <status>, "message": …}\`. 422 adds \`errors\`, and
  503 adds \`outcome\`: \`none\` if nothing was changed, \`unknown\` if the change may have happened.
- **Every response** has an \`X-Request-Id\`. The log of the server contains it too.
`.trim()

export const FAILURE: Schema = {
  type: 'object',
  description: 'The body of every response outside 2xx and 3xx.',
  properties: {
    success: { const: false },
    code: { type: 'integer', description: 'The HTTP status.' },
    message: text('Text for people.'),
  },
  required: ['success', 'code', 'message'],
}

/** The member that a 503 adds to `FAILURE`. */
export const OUTCOME: Schema = {
  type: 'object',
  properties: {
    outcome: {
      type: 'string',
      enum: ['none', 'unknown'],
      description:
        '`none`: nothing was changed, so the request can be repeated. `unknown`: the change may have happened. Check before you repeat the request.',
    },
  },
  required: ['outcome'],
}

export const HEADERS: Record<string, OpenAPIV3_1.HeaderObject> = {
  'X-Request-Id': {
    description: 'The id of the request, as in the log of the server: the one in the request, or a new one.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'Cache-Control': {
    description: 'Caches must not store the response.',
    required: true,
    schema: { type: 'string', enum: [HEADERS_EVERYWHERE['Cache-Control']] },
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess the media type.',
    required: true,
    schema: { type: 'string', enum: [HEADERS_EVERYWHERE['X-Content-Type-Options']] },
  },
  'Retry-After': {
    description: 'The number of seconds after which the request may succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

export const PARAMETERS: Record<string, OpenAPIV3_1.ParameterObject> = {
  [END_USER_ADDRESS]: {
    name: END_USER_ADDRESS,
    in: 'header',
    description:
      'The IP address of the end user, such as `192.0.2.1` or `2001:db8::1`. Failures and registrations then also count for this application and this network. The server never logs it.',
    schema: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of a stored response. The server answers 304 if it is still current.',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id for the request. The server replaces an id that does not match.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
}

export const SECURITY: Record<string, OpenAPIV3_1.SecuritySchemeObject> = {
  applicationToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of an application. Its scopes say what it permits.',
  },
  apiKeys: {
    type: 'http',
    scheme: 'basic',
    description:
      'The API keys of an application as user name and password, each form-encoded first (RFC 6749 §2.3.1). Alternatively, send them in the form as `client_id` and `client_secret`.',
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'PASETO or JWT',
    description: 'The token of a signed-in user.',
  },
}
