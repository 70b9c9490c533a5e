import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { IssueApplicationToken } from '../../../application/issue-application-token.ts'
import type { ApplicationTokenProblem } from '../../../domain/application-token.ts'
import { type Codes, ok, refused } from '../answer.ts'
import { BodyField, readFields } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'

/** Seed §4.1: an application token for an API key pair. */
export const applicationTokenRoute = (issueApplicationToken: IssueApplicationToken): Route => ({
  path: '/api/v1/auth/application/token',
  methods: ['POST'],
  answer: ({ message, call }) =>
    pipe(
      readFields(message, Fields),
      TE.chainW(({ public_api_key, private_api_key }) =>
        issueApplicationToken(call, { publicApiKey: public_api_key, privateApiKey: private_api_key }),
      ),
      TE.match(
        (failure) => (failure._tag === 'Invalid' ? refused(CODES, failure.problems) : answerTo(failure)),
        ok,
      ),
    ),
})

const Fields = t.type({ public_api_key: BodyField, private_api_key: BodyField })

/** Seed §7.1. */
const CODES: Codes<ApplicationTokenProblem> = {
  PublicApiKeyMissing: { code: 1, param: 'public_api_key', message: 'public_api_key is missing or empty.' },
  PrivateApiKeyMissing: {
    code: 2,
    param: 'private_api_key',
    message: 'private_api_key is missing or empty.',
  },
}
