import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { IssueApplicationToken } from '../../../../application/issue-application-token.ts'
import type { ApplicationTokenProblem } from '../../../../domain/application-token.ts'
import { type Codes, ok } from '../operation/answer.ts'
import { jsonFields } from '../operation/fields.ts'
import { OF_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { object, text } from '../operation/schema.ts'
import { readFields } from '../request/body.ts'

/** Seed §4.1: an application token for an API key pair. */
export const applicationTokenRoute = (issueApplicationToken: IssueApplicationToken): Route => ({
  path: '/api/v1/auth/application/token',
  methods: {
    POST: operation(
      {
        id: 'issueApplicationToken',
        group: 'Applications',
        summary: 'Get an application token for an API key pair',
        details:
          'Keys that are not a live pair get one and the same answer, whatever is wrong with them. The same token can be had in the way of OAuth 2.0 at `/oauth2/token`.',
        body: FIELDS,
        successes: [
          {
            status: 200,
            description: 'A new token. It lives for `APPLICATION_TOKEN_TTL` seconds.',
            body: object({
              token: text('The application token: a JWT as RFC 9068 has it, signed with EdDSA.'),
            }),
          },
        ],
        codes: CODES,
        fails: [...OF_BODIES, 'InvalidClient', 'Throttled', 'KeyUnusable', 'StoreUnavailable'],
        examples: [
          {
            summary: 'A live pair',
            fields: { public_api_key: SAMPLE.publicApiKey, private_api_key: SAMPLE.privateApiKey },
            status: 200,
            answer: { token: SAMPLE.applicationToken },
          },
          { summary: 'Nothing at all', fields: {}, wrong: ['PublicApiKeyMissing', 'PrivateApiKeyMissing'] },
        ],
      },
      ({ message, call }) =>
        async () => {
          const fields = await readFields(message, FIELDS.codec)()
          if (isLeft(fields)) return fields
          const { public_api_key: publicApiKey, private_api_key: privateApiKey } = fields.right
          return await pipe(
            issueApplicationToken(call, { publicApiKey, privateApiKey }),
            TE.map(({ token }) => ok({ token })),
          )()
        },
    ),
  },
})

const FIELDS = jsonFields({
  public_api_key: {
    description: 'Names the application. It is no secret.',
    example: SAMPLE.publicApiKey,
  },
  private_api_key: {
    description: 'The secret of the pair, as it was shown when it was made.',
    example: SAMPLE.privateApiKey,
    format: 'password',
  },
})

/** Seed §7.1. */
const CODES: Codes<ApplicationTokenProblem> = {
  PublicApiKeyMissing: { code: 1, param: 'public_api_key', message: 'public_api_key is missing or empty.' },
  PrivateApiKeyMissing: {
    code: 2,
    param: 'private_api_key',
    message: 'private_api_key is missing or empty.',
  },
}
