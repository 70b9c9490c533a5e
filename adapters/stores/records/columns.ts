import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { parseScope, SCOPES, type Scope, scopeText } from '../../../domain/application.ts'
import {
  type AssuranceLevel,
  isMethods,
  type Methods,
  type OtherFirstMethod,
} from '../../../domain/assurance.ts'
import type { FactorKind } from '../../../domain/factor.ts'
import { MAIL_KINDS } from '../../../domain/mail.ts'
import type { OneTimeTokenPurpose } from '../../../domain/one-time-token.ts'
import { originsText, parseOrigins } from '../../../domain/passkey-origins.ts'
import { type ClientKind, parseUris, urisText } from '../../../domain/redirect-uris.ts'
import { parseReturnUrls, returnUrlsText } from '../../../domain/return-urls.ts'
import { isRole, parseRoles, type Roles, rolesText } from '../../../domain/roles.ts'
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

/** Texts in one, separated by a space. Their form is not checked: a later version may accept more. */
const textsIn = (
  name: string,
  parse: (text: string) => ReadonlyArray<string>,
  textOf: (texts: ReadonlyArray<string>) => string,
) =>
  new t.Type<ReadonlyArray<string>, string, unknown>(
    name,
    (u): u is ReadonlyArray<string> => Array.isArray(u) && u.every((word) => typeof word === 'string'),
    (u, context) => {
      const texts = typeof u === 'string' ? parse(u) : ['']
      return texts.includes('') ? t.failure(u, context) : t.success(texts)
    },
    textOf,
  )

export const OriginsText = textsIn('OriginsText', parseOrigins, originsText)
export const UrlsText = textsIn('UrlsText', parseReturnUrls, returnUrlsText)
export const UrisText = textsIn('UrisText', parseUris, urisText)

export const RolesText = new t.Type<Roles, string, unknown>(
  'RolesText',
  (u): u is Roles => Array.isArray(u) && u.every(isRole),
  (u, context) => {
    const roles = typeof u === 'string' ? parseRoles(u) : none
    return isSome(roles) ? t.success(roles.value) : t.failure(u, context)
  },
  rolesText,
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

export const MethodsText = new t.Type<Methods, Methods, unknown>(
  'methods',
  (u): u is Methods => typeof u === 'string' && isMethods(u),
  (u, context) => (typeof u === 'string' && isMethods(u) ? t.success(u) : t.failure(u, context)),
  t.identity,
)

/** With what a sign-in that waits began, if not with the password. */
export const OtherFirst = t.keyof({
  identity: null,
  vouched_fed: null,
  vouched_email: null,
  vouched_sms: null,
  vouched: null,
} satisfies Record<OtherFirstMethod, null>)

export const Client = t.keyof({ confidential: null, public: null } satisfies Record<ClientKind, null>)

export const Kind = t.keyof({
  totp: null,
  passkey: null,
  recovery_codes: null,
  identity: null,
} satisfies Record<FactorKind, null>)

export const MailKindText = t.keyof(MAIL_KINDS)

export const OneTimePurpose = t.keyof({
  recovery: null,
  email_confirmation: null,
  sign_in: null,
} satisfies Record<OneTimeTokenPurpose, null>)

export const Purpose = t.keyof({
  application: null,
  user: null,
  user_jwt: null,
  id_token: null,
} satisfies Record<KeyPurpose, null>)
