import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { IssueApplicationToken } from '../../../application/applications/issue-application-token.ts'
import type { ApplicationTokenProblem } from '../../../domain/application-token.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object, text } from '../operation/schema.ts'

/** Issues an application token for an API key pair (docs/contract.md §3). */
export const applicationTokenRoute = ({
  issueApplicationToken,
}: Readonly<{ issueApplicationToken: IssueApplicationToken }>): Route => ({
  path: '/api/v1/auth/application/token',
  methods: {
    POST: operation(
      {
        id: 'issueApplicationToken',
        tag: 'Applications',
        summary: 'Get an application token for an API key pair',
        details:
          'All invalid API keys get the same response. OAuth clients can get the same token at `/oauth2/token`.',
        access: PUBLIC,
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'A new token. It expires after `APPLICATION_TOKEN_TTL` seconds.',
            body: object({
              token: text('The application token: a JWT (RFC 9068) signed with EdDSA.'),
            }),
          },
        ],
        codes: CODES,
        failures: ['InvalidClient', 'Throttled', 'TooManyTokens', 'KeyUnusable', 'StoreUnavailable'],
        examples: [
          {
            summary: 'Valid API keys',
            fields: { public_api_key: EXAMPLE.publicApiKey, private_api_key: EXAMPLE.privateApiKey },
            status: 200,
            body: { token: EXAMPLE.applicationToken },
          },
          { summary: 'No fields', fields: {}, problems: ['PublicApiKeyMissing', 'PrivateApiKeyMissing'] },
        ],
      },
      ({ fields: { public_api_key: publicApiKey, private_api_key: privateApiKey }, context }) =>
        pipe(
          issueApplicationToken(context, { publicApiKey, privateApiKey }),
          TE.map(({ token }) => ok({ token })),
        ),
    ),
  },
})

const FIELDS = jsonFields({
  public_api_key: {
    description: 'Identifies the application. It is not secret.',
    example: EXAMPLE.publicApiKey,
  },
  private_api_key: {
    description: 'The secret of the pair. The server shows it only once.',
    example: EXAMPLE.privateApiKey,
    format: 'password',
  },
})

/** docs/contract.md §3 */
const CODES: Codes<ApplicationTokenProblem> = {
  PublicApiKeyMissing: { code: 1, param: 'public_api_key', message: 'public_api_key is missing or empty.' },
  PrivateApiKeyMissing: {
    code: 2,
    param: 'private_api_key',
    message: 'private_api_key is missing or empty.',
  },
}
