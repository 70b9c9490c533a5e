import { right } from 'fp-ts/lib/TaskEither.js'
import { checksOf, minimumOf, PASSWORD_CHECKS, type PasswordPolicy } from '../../../domain/password-policy.ts'
import { cacheableJson, cacheableSuccesses } from '../operation/cacheable.ts'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { array, integer, nullable, object, text } from '../operation/schema.ts'

/** Which new passwords the service refuses, for the hints of a form (docs/password-policy.md). */
export const passwordPolicyRoute = ({ policy }: Readonly<{ policy: PasswordPolicy }>): Route => {
  const respond = cacheableJson(ONE_MINUTE)
  const body = bodyOf(policy)
  const get = operation(
    {
      id: 'getPasswordPolicy',
      tag: 'Users',
      summary: 'Get the password policy',
      details:
        'What the service checks about new passwords now. Show it beside the field of a new password. Each reason of a refusal has its own code.',
      access: PUBLIC,
      successes: cacheableSuccesses('The active policy.', BODY, ONE_MINUTE),
      examples: [{ summary: 'The policy of this service', status: 200, body }],
    },
    ({ request }) => right(respond(request.message, body)),
  )
  return { path: '/api/v1/password_policy', methods: { GET: get, HEAD: get } }
}

/** A change of the policy restarts the service, and a stale hint does no harm. */
const ONE_MINUTE = 'public, max-age=60'

const bodyOf = (policy: PasswordPolicy) => ({
  policy: policy.kind,
  minimum_length: minimumOf(policy),
  maximum_length: null, // only the size of a body limits a password
  checks: checksOf(policy),
  rules: (policy.rules ?? []).map(({ name }) => name),
})

const BODY = object({
  policy: { type: 'string', enum: ['contract', 'nist'], description: 'The setting `PASSWORD_POLICY`.' },
  minimum_length: integer('The minimum length in code points.'),
  maximum_length: nullable(integer('The maximum length in code points; null without one.')),
  checks: array(
    { type: 'string', enum: [...PASSWORD_CHECKS], description: 'A reason to refuse a password.' },
    'What is checked besides length and rules.',
  ),
  rules: array(text('The name of a rule.'), 'The rules that the operator added.'),
})
