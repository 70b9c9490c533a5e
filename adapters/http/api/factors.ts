import { pipe } from 'fp-ts/lib/function.js'
import { map, toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ListedFactors, ListFactors } from '../../../application/factors/list-factors.ts'
import type { RemoveFactor } from '../../../application/factors/remove-factor.ts'
import type { RenameFactor } from '../../../application/factors/rename-factor.ts'
import type { RenewRecoveryCodes } from '../../../application/factors/renew-recovery-codes.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type {
  FactorRemovalProblem,
  FactorRenamingProblem,
  RecoveryCodesProblem,
} from '../../../domain/factor-management.ts'
import { type PasskeyFlags, readPasskeyFlags } from '../../../domain/passkey.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, ok, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { array, dateTime, flag, nullable, object, text, uuid } from '../operation/schema.ts'

type Dependencies = Readonly<{
  authenticate: Authenticate
  listFactors: ListFactors
  renameFactor: RenameFactor
  removeFactor: RemoveFactor
  renewRecoveryCodes: RenewRecoveryCodes
}>

/** The routes with which a signed-in user manages second factors (docs/second-factor.md). */
export const factorRoutes = (dependencies: Dependencies): ReadonlyArray<Route> => [
  factorsRoute(dependencies),
  renameFactorRoute(dependencies),
  removeFactorRoute(dependencies),
  recoveryCodesRoute(dependencies),
]

const factorsRoute = ({ authenticate, listFactors }: Dependencies): Route => {
  const get = operation(
    {
      id: 'listFactors',
      tag: 'Profile',
      summary: 'List the second factors of the user',
      access: byToken(authenticate, 'listFactors'),
      successes: [
        {
          status: 200,
          description: 'The factors, ascending by id. Recovery codes are not among them.',
          body: object({
            factors: array(FACTOR, 'What the user can prove besides the password.'),
            recovery_codes_left: nullable({
              type: 'integer',
              minimum: 0,
              description: 'The number of unused recovery codes; null without recovery codes.',
            }),
          }),
        },
      ],
      examples: [
        {
          summary: 'One authenticator app',
          status: 200,
          body: {
            factors: [
              {
                id: EXAMPLE.factorId,
                kind: 'totp',
                name: EXAMPLE.factorName,
                created_at: EXAMPLE.createdAt,
                last_used_at: null,
              },
            ],
            recovery_codes_left: 10,
          },
        },
      ],
    },
    ({ caller }) => pipe(listFactors(caller), TE.map(listJson), TE.map(ok)),
  )
  return { path: '/api/v1/profile/factors', methods: { GET: get, HEAD: get } }
}

const renameFactorRoute = ({ authenticate, renameFactor }: Dependencies): Route => ({
  path: '/api/v1/profile/factors/rename',
  methods: {
    POST: operation(
      {
        id: 'renameFactor',
        tag: 'Profile',
        summary: 'Rename a second factor of the user',
        access: byToken(authenticate, 'renameFactor'),
        body: RENAMING_FIELDS,
        successes: [{ status: 200, description: RENAMED, body: OPERATION_RESULT }],
        codes: RENAMING_CODES,
        failures: ['Throttled', 'Overloaded'],
        examples: [
          {
            summary: 'A factor of the user',
            fields: { factor_id: EXAMPLE.factorId, name: EXAMPLE.factorName },
            status: 200,
            body: operationResult(RENAMED).body,
          },
          {
            summary: 'Neither a factor of the user nor a name',
            fields: { factor_id: EXAMPLE.noFactorId, name: ' ' },
            problems: ['FactorNotYours', 'NameMalformed'],
          },
          { summary: 'No fields', fields: {}, problems: ['FactorIdMissing', 'NameMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          renameFactor(context, caller, { factorId: fields.factor_id, name: fields.name }),
          TE.map(() => operationResult(RENAMED)),
        ),
    ),
  },
})

const removeFactorRoute = ({ authenticate, removeFactor }: Dependencies): Route => ({
  path: '/api/v1/profile/factors/remove',
  methods: {
    POST: operation(
      {
        id: 'removeFactor',
        tag: 'Profile',
        summary: 'Remove a second factor of the user',
        details:
          'Every other session of the user ends. With the last second factor, the recovery codes end too. An identity is unlinked. The user must have been authenticated in the last 600 seconds.',
        access: byToken(authenticate, 'removeFactor'),
        body: REMOVAL_FIELDS,
        successes: [{ status: 200, description: REMOVED, body: OPERATION_RESULT }],
        codes: REMOVAL_CODES,
        failures: ['Throttled', 'Overloaded'],
        examples: [
          {
            summary: 'A factor of the user',
            fields: { factor_id: EXAMPLE.factorId },
            status: 200,
            body: operationResult(REMOVED).body,
          },
          {
            summary: 'An unknown or removed factor, recovery codes, or the factor of another user',
            fields: { factor_id: EXAMPLE.noFactorId },
            problems: ['FactorNotYours'],
          },
          { summary: 'No fields', fields: {}, problems: ['FactorIdMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          removeFactor(context, caller, { factorId: fields.factor_id }),
          TE.map(() => operationResult(REMOVED)),
        ),
    ),
  },
})

const recoveryCodesRoute = ({ authenticate, renewRecoveryCodes }: Dependencies): Route => ({
  path: '/api/v1/profile/factors/recovery_codes',
  methods: {
    POST: operation(
      {
        id: 'renewRecoveryCodes',
        tag: 'Profile',
        summary: 'Replace the recovery codes of the user',
        details:
          'The former codes and every other session of the user end. The user must have been authenticated in the last 600 seconds.',
        access: byToken(authenticate, 'renewRecoveryCodes'),
        successes: [
          {
            status: 200,
            description: 'The new codes are in the response, and nowhere else.',
            body: object({ recovery_codes: RECOVERY_CODES }),
          },
        ],
        codes: RECOVERY_CODES_CODES,
        failures: ['Throttled', 'Overloaded'],
        examples: [
          {
            summary: 'A user with a second factor',
            status: 200,
            body: { recovery_codes: EXAMPLE.recoveryCodes },
          },
          { summary: 'A user without a second factor', problems: ['NoFactor'] },
        ],
      },
      ({ caller, context }) =>
        pipe(
          renewRecoveryCodes(context, caller),
          TE.map((recoveryCodes) => ok({ recovery_codes: recoveryCodes })),
        ),
    ),
  },
})

/** The member `recovery_codes` of responses. */
export const RECOVERY_CODES = array(
  text('A code that replaces the other factors once.'),
  'Ten recovery codes. They are shown once.',
)

export const FACTOR_KIND = text('The kind of the factor.', { enum: ['totp', 'passkey', 'identity'] })

const FACTOR = object(
  {
    id: uuid('The id of the factor.'),
    kind: FACTOR_KIND,
    name: text('What the user calls the factor.'),
    created_at: dateTime('When the user enrolled the factor.'),
    last_used_at: nullable(
      dateTime('The last sign-in or step-up with the factor; null before the first one.'),
    ),
  },
  undefined,
  {
    backed_up: flag('Only of a passkey: whether it is synced to other devices.'),
    verifies_user: flag('Only of a passkey: whether it can sign the user in alone.'),
  },
)

const listJson = ({ factors, recoveryCodesLeft }: ListedFactors) => ({
  factors: factors.map(({ id, kind, name, createdAtSeconds, usedAtSeconds, flags }) => ({
    id,
    kind,
    name,
    created_at: rfc3339OfSeconds(createdAtSeconds),
    last_used_at: toNullable(map(rfc3339OfSeconds)(usedAtSeconds)),
    ...(kind === 'passkey' ? passkeyJson(readPasskeyFlags(flags)) : {}),
  })),
  recovery_codes_left: toNullable(recoveryCodesLeft),
})

const passkeyJson = ({ backedUp, verifiesUser }: PasskeyFlags) => ({
  backed_up: backedUp,
  verifies_user: verifiesUser,
})

const RENAMED = 'The factor has its new name.'
const REMOVED = 'The factor was removed.'

const FACTOR_ID = {
  factor_id: { description: 'The `id` from the list of factors.', example: EXAMPLE.factorId },
}
const REMOVAL_FIELDS = jsonFields(FACTOR_ID)
const RENAMING_FIELDS = jsonFields({
  ...FACTOR_ID,
  name: { description: 'The new name: 1 to 64 printable characters.', example: EXAMPLE.factorName },
})

const FACTOR_ID_MISSING = { code: 1, param: 'factor_id', message: 'factor_id is missing or empty.' }
const NOT_YOURS = { param: 'factor_id', message: 'factor_id is not a second factor of this user.' }

const REMOVAL_CODES: Codes<FactorRemovalProblem> = {
  FactorIdMissing: FACTOR_ID_MISSING,
  FactorNotYours: { code: 2, ...NOT_YOURS },
  LastWayIn: {
    code: 3,
    param: 'factor_id',
    message:
      'This is the only way into the account, which has no password. Link another identity, add a passkey, or recover the account to set a password.',
  },
}

const RENAMING_CODES: Codes<FactorRenamingProblem> = {
  FactorIdMissing: FACTOR_ID_MISSING,
  NameMissing: { code: 2, param: 'name', message: 'name is missing or empty.' },
  FactorNotYours: { code: 3, ...NOT_YOURS },
  NameMalformed: { code: 4, param: 'name', message: 'name must have 1 to 64 printable characters.' },
}

const RECOVERY_CODES_CODES: Codes<RecoveryCodesProblem> = {
  NoFactor: { code: 1, param: 'factors', message: 'The user has no second factor.' },
}
