import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { parseScope, SCOPES, type Scope, scopeText } from '../../../domain/application.ts'
import type { AssuranceLevel, Methods } from '../../../domain/assurance.ts'
import type { FactorKind } from '../../../domain/factor.ts'
import type { OneTimeTokenPurpose } from '../../../domain/one-time-token.ts'
import { originsText, parseOrigins } from '../../../domain/passkey-origins.ts'
import type { KeyPurpose } from '../../../domain/signing-key.ts'
import type { UserStatus } from '../../../domain/user.ts'

/** Codecs of single columns: a value of the database on one side, a value of the domain on the other. */

export const Integer = new t.Type<number, number, unknown>(
  'Integer',
  (u): u is number => Number.isSafeInteger(u),
  (u, context) => (Number.isSafeInteger(u) ? t.success(u as number) : t.failure(u, context)),
  t.identity,
)

export const Epoch = new t.Type<string, string, unknown>(
  'Epoch',
  t.string.is,
  (u, context) => (typeof u === 'string' && /^[0-9a-f]{8}$/.test(u) ? t.success(u) : t.failure(u, context)),
  t.identity,
)

export const ScopeText = new t.Type<ReadonlyArray<Scope>, string, unknown>(
  'ScopeText',
  (u): u is ReadonlyArray<Scope> => Array.isArray(u) && u.every((word) => SCOPES.includes(word)),
  (u, context) => {
    const scope = typeof u === 'string' ? parseScope(u) : undefined
    return scope !== undefined && isSome(scope) ? t.success(scope.value) : t.failure(u, context)
  },
  scopeText,
)

export const Assurance = t.keyof({ aal1: null, aal2: null } satisfies Record<AssuranceLevel, null>)

/** Their form is not checked: a later version may accept more. */
export const OriginsText = new t.Type<ReadonlyArray<string>, string, unknown>(
  'OriginsText',
  (u): u is ReadonlyArray<string> => Array.isArray(u) && u.every((word) => typeof word === 'string'),
  (u, context) => {
    const origins = typeof u === 'string' ? parseOrigins(u) : ['']
    return origins.includes('') ? t.failure(u, context) : t.success(origins)
  },
  originsText,
)

/** Their form is not checked: a later version may accept more. */
export const RolesText = new t.Type<ReadonlyArray<string>, string, unknown>(
  'RolesText',
  (u): u is ReadonlyArray<string> => Array.isArray(u) && u.every((word) => typeof word === 'string'),
  (u, context) => (typeof u === 'string' ? t.success(u === '' ? [] : u.split(' ')) : t.failure(u, context)),
  (roles) => roles.join(' '),
)

export const Flag = new t.Type<boolean, 0 | 1, unknown>(
  'Flag',
  t.boolean.is,
  (u, context) => (u === 0 || u === 1 ? t.success(u === 1) : t.failure(u, context)),
  (flag) => (flag ? 1 : 0),
)

/** A column that may be NULL. */
export const nullable = <A, O>(type: t.Type<A, O, unknown>) =>
  new t.Type<Option<A>, O | null, unknown>(
    `${type.name} or null`,
    (u): u is Option<A> => typeof u === 'object' && u !== null && '_tag' in u,
    (u, context) => {
      if (u === null) return t.success(none)
      const value = type.validate(u, context)
      return isLeft(value) ? value : t.success(some(value.right))
    },
    (value) => (isSome(value) ? type.encode(value.value) : null),
  )

export const Status = t.keyof({ enabled: null, disabled: null, removed: null } satisfies Record<
  UserStatus,
  null
>)

export const MethodsText = t.keyof({
  password: null,
  'password totp': null,
  'password recovery_code': null,
  'password passkey': null,
  verified_passkey: null,
} satisfies Record<Methods, null>)

export const Kind = t.keyof({ totp: null, passkey: null, recovery_codes: null } satisfies Record<
  FactorKind,
  null
>)

export const OneTimePurpose = t.keyof({
  recovery: null,
  email_confirmation: null,
  sign_in: null,
} satisfies Record<OneTimeTokenPurpose, null>)

export const Purpose = t.keyof({ application: null, user: null, user_jwt: null } satisfies Record<
  KeyPurpose,
  null
>)
