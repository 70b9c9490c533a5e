import { isLeft, isRight } from 'fp-ts/lib/Either.js'
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
  answer:
    ({ message, call }) =>
    async () => {
      const fields = await readFields(message, Fields)()
      if (isLeft(fields)) return answerTo(fields.left)
      const { public_api_key: publicApiKey, private_api_key: privateApiKey } = fields.right
      const issued = await issueApplicationToken(call, { publicApiKey, privateApiKey })()
      if (isRight(issued)) return ok(issued.right)
      return issued.left._tag === 'Invalid' ? refused(CODES, issued.left.problems) : answerTo(issued.left)
    },
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
