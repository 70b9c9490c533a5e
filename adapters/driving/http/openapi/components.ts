import { HEADERS_EVERYWHERE } from '../operation/answer.ts'
import { type Schema, text } from '../operation/schema.ts'

/** A header of an answer, as OpenAPI describes one. */
export type Header = Readonly<{ description: string; required?: boolean; schema: Schema }>

/** What is said before any operation. */
export const PREAMBLE = `
Tokens for applications that hold an API key pair, sign-in for users, whose a token is, and password changes that report every
failing field at once.

## Where to begin

- An application shows its API key pair and gets an **application token** (\`POST /api/v1/auth/application/token\`, or
  \`/oauth2/token\`).
- With that it registers users (\`POST /api/v1/users\`) and signs them in (\`POST /api/v1/auth/user/token\`), which gives a **user
  token**.
- With the user token comes all that stands below \`/api/v1/profile\`.

Each operation says which of the two it takes. A 401 means that the token is good no more: get a new one, once.

## Rules for every operation

- **Paths are exact.** One that does not exist is a 404; a method that a path does not take is a 405, whose \`Allow\` lists those that
  it does. \`OPTIONS\` answers 204 with the same \`Allow\`. \`HEAD\` works wherever \`GET\` changes nothing, and answers as \`GET\` does,
  without the body. There are no CORS headers.
- **A token** comes in \`Authorization: Bearer <token>\` and nowhere else.
- **A body** has at most 16 KiB, in UTF-8, without content encoding. Where a JSON body is read, none and one that is no object count
  as \`{}\`; a field that is absent, no string, empty or no well-formed Unicode counts as missing; unknown fields are ignored.
- **What is wrong is judged in order**: path and method, token (401, 403), body (413, 415, 400), and then all fields
  together (422; 401 for keys). After too many failures the answer is 429, where a password would be hashed or in place of a 401.
- **Every answer outside of 2xx and 3xx** is \`{"success": false, "code": <status>, "message": …}\`, and 422 adds \`errors\`.
- **Every answer** has an \`X-Request-Id\`, which stands in the log of the service too.
`.trim()

export const FAILURE: Schema = {
  type: 'object',
  description: 'What every answer outside of 2xx and 3xx says.',
  properties: {
    success: { const: false },
    code: { type: 'integer', description: 'The HTTP status.' },
    message: text('A sentence for people.'),
  },
  required: ['success', 'code', 'message'],
}

export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Names the request, in the log of the service too: the one that came with it, or a new one.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'Cache-Control': {
    description: 'No answer is to be kept, where nothing else is said.',
    required: true,
    schema: { type: 'string', enum: [HEADERS_EVERYWHERE['Cache-Control']] },
  },
  'X-Content-Type-Options': {
    description: 'It is what it says it is.',
    required: true,
    schema: { type: 'string', enum: [HEADERS_EVERYWHERE['X-Content-Type-Options']] },
  },
  'Retry-After': {
    description: 'After so many seconds the same request may pass.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

export const PARAMETERS = {
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of what is there already: the answer is 304 as long as it is the same.',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Names the request. One that does not fit is replaced.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
}

export const SECURITY = {
  applicationToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of an application. What it may be used for is its scope.',
  },
  apiKeys: {
    type: 'http',
    scheme: 'basic',
    description:
      'The API keys of an application as user name and password, each written as in a form first (RFC 6749 §2.3.1). Instead they may stand in the form, as `client_id` and `client_secret`.',
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'PASETO',
    description: 'The token of a user who is signed in.',
  },
}
