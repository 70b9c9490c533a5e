import { programName } from '../../adapters/client/names.ts'
import type { Operation, Reason } from '../../adapters/client/results.ts'
import type { Route } from '../../adapters/http/operation/route.ts'
import { placedOf } from '../client/operations-module.ts'

/** The reasons that no code of an operation has: refusals and `other`. `too_large` is also one without a field, of a body. */
export const WITHOUT_CODE = [
  'throttled',
  'invalid_token',
  'insufficient_scope',
  'insufficient_user_authentication',
  'other',
] satisfies ReadonlyArray<Reason>

/** The fields that can have a reason, by reason. The client sends the fields of `issueApplicationToken` itself. */
export const fieldsByReason = (
  operations: Readonly<Record<string, Operation>>,
  routes: ReadonlyArray<Route>,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const fields = new Map<string, ReadonlySet<string>>()
  for (const { id, spec } of routes.flatMap(placedOf))
    for (const { code, param } of Object.values(spec.codes ?? {})) {
      const reason = operations[id]?.reasons?.split(' ')[code - 1] ?? `none for code ${code} of ${id}`
      if (id !== 'issueApplicationToken')
        fields.set(reason, new Set([...(fields.get(reason) ?? []), programName(param)]))
    }
  return new Map([...fields].map(([reason, names]) => [reason, [...names].sort()]))
}
