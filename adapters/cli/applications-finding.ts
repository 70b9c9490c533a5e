import { isLeft } from 'fp-ts/lib/Either.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import {
  type Application,
  claimsAccounts,
  mixesRecovery,
  mixesReset,
  mixesVouching,
  type Scope,
} from '../../domain/application.ts'
import {
  type ForgetsEarly,
  forgetsEarly,
  type LifetimesProblem,
  lifetimesProblem,
} from '../../domain/lifetimes.ts'
import { isRelated, validateOrigins } from '../../domain/passkey-origins.ts'
import type { Settings } from '../config/settings.ts'
import type { Operations } from './composition.ts'
import type { TableFinding } from './table-finding.ts'

/**
 * The number of live applications that can get tokens. It warns of those that can also take over accounts, and of those whose lifetimes, required assurance
 * or origins do not fit the settings. These are warnings, not errors.
 */
export const applicationsFinding = ({
  settings,
}: Pick<Operations, 'settings'>): TableFinding<'applications'> => {
  let live = 0
  /** Whether one of the account pages is in use. Undefined if there was none. */
  let havePages: boolean | undefined
  const powerful: Array<string> = []
  const unlimited: Array<string> = []
  const silent: Array<string> = []
  const claiming: Array<string> = []
  const clashing: Array<string> = []
  const forgetting: Array<string> = []
  const unreachable: Array<string> = []
  const unconfirmed: Array<string> = []
  let confirming = 0
  const outside: Array<string> = []
  const related: Array<string> = []
  const clients: Array<string> = []
  return {
    name: 'applications',
    table: 'applications',
    take: (applications) => {
      for (const { id, revoked } of applications)
        if (isAccountPages(id)) havePages = havePages === true || !revoked
      for (const application of applications.filter(({ revoked }) => !revoked)) {
        if (!isAccountPages(application.id) && application.scope.length > 0) live += 1 // no token is issued for the others
        if (mixesRecovery(application)) powerful.push(nameOf(application))
        if (mixesReset(application)) unlimited.push(nameOf(application))
        if (mixesVouching(application)) silent.push(nameOf(application))
        if (claimsAccounts(application)) claiming.push(nameOf(application))
        const problem = lifetimesProblem(application, settings)
        if (problem !== undefined) clashing.push(`${nameOf(application)}: ${outlivesText(problem)}`)
        const early = forgetsEarly(application, settings)
        if (early !== undefined) forgetting.push(`${nameOf(application)}: ${forgetsText(early)}`)
        if (requiresWithoutEnrolment(application, settings)) unreachable.push(nameOf(application))
        if (application.requiresVerifiedEmail) unconfirmed.push(nameOf(application))
        if (CONFIRMS.some((scope) => application.scope.includes(scope))) confirming += 1
        if (application.redirectUris.length > 0) clients.push(nameOf(application))
        if (isLeft(validateOrigins(application.passkeyOrigins, settings.passkeyRpId)))
          outside.push(nameOf(application))
        else if (hasRelatedOrigins(application, settings)) related.push(nameOf(application))
      }
    },
    findings: async () => {
      const warnings = [
        ...(settings.pages !== undefined && havePages === false ? [PAGES_CLOSED] : []),
        ...(powerful.length === 0 ? [] : [warning(powerful, TAKES_OVER)]),
        ...(unlimited.length === 0 ? [] : [warning(unlimited, TAKES_OVER_FACTORS)]),
        ...(silent.length === 0 ? [] : [warning(silent, OPENS_ACCOUNTS)]),
        ...(claiming.length === 0 ? [] : [warning(claiming, CLAIMS_ACCOUNTS)]),
        ...(clashing.length === 0 ? [] : [`Warning: ${shown(clashing, '; ')}. ${TOKENS_END_EARLY}`]),
        ...(forgetting.length === 0 ? [] : [`Warning: ${shown(forgetting, '; ')}. ${FORGETS_EARLY}`]),
        ...(unreachable.length === 0 ? [] : [warning(unreachable, CANNOT_ENROL)]),
        ...(unconfirmed.length === 0 || confirming > 0 ? [] : [warning(unconfirmed, CANNOT_CONFIRM)]),
        ...(outside.length === 0 ? [] : [warning(outside, HAS_OTHER_ORIGINS)]),
        ...(related.length === 0 ? [] : [warning(related, relatedText(settings))]),
        ...(settings.openid && clients.length === 0 ? [NO_CLIENT] : []),
        ...(settings.openid || clients.length === 0 ? [] : [warning(clients, CANNOT_LEAD_TO_SIGN_IN)]),
      ]
      return [{ name: 'applications', ok: true, detail: [`${live} can get tokens.`, ...warnings].join(' ') }]
    },
  }
}

const PAGES_CLOSED =
  'Warning: the application of the account pages is revoked, so they answer 503. Run: portcullis application create-pages.'

const NO_CLIENT =
  'Hint: OPENID=on, and no application is a client of the OpenID provider. Run: portcullis application set APPLICATION --redirect-uri URL.'

/** The predicate of a warning about clients of a provider that is off. */
export const CANNOT_LEAD_TO_SIGN_IN =
  'has redirect URIs, and OPENID is off, so only identity providers use them. Set OPENID=on.'

const nameOf = ({ id, name }: Application): string => `${name} (${id})`

/** A warning about applications, whose predicate is that of one of them. */
const warning = (found: ReadonlyArray<string>, predicate: string): string =>
  `Warning: ${shown(found, ', ')} ${found.length === 1 ? predicate : plural(predicate)}`

const plural = (predicate: string): string =>
  predicate.replace(/^has /, 'have ').replace(/^requires /, 'require ')

const shown = (found: ReadonlyArray<string>, separator: string): string => {
  const hidden = found.length - MAX_SHOWN
  return [...found.slice(0, MAX_SHOWN), ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(separator)
}

/** The applications that a warning lists. */
const MAX_SHOWN = 5

/** The predicate of a warning about applications with the scope `users:recover` and scopes of another purpose. */
export const TAKES_OVER =
  'can take over any account (users:recover). Use a separate application for this scope.'

/** The predicate of a warning about applications that can also remove second factors. */
export const TAKES_OVER_FACTORS =
  'can take over any account, with or without a second factor (users:recover and users:reset_factors). Use separate applications for these scopes.'

/** The predicate of a warning about applications that open accounts in silence, and can find, keep or change accounts. */
export const OPENS_ACCOUNTS =
  'can open any account without a second factor in silence (users:vouch). Use a separate application for its other scopes on accounts.'

const CLAIMS_ACCOUNTS =
  'can claim every account whose e-mail is not confirmed, and keep it (users:vouch and users:confirm_email).'

/** Whether users without a second factor can never sign in to an application. */
export const requiresWithoutEnrolment = (
  { requiredAssurance, revoked }: Pick<Application, 'requiredAssurance' | 'revoked'>,
  { secondFactors }: Pick<Settings, 'secondFactors'>,
): boolean => !revoked && !secondFactors && requiredAssurance === 'aal2'

/** The predicate of a warning about applications that require a factor which users cannot enrol. */
export const CANNOT_ENROL =
  'requires a second factor, and users cannot enrol one. Set SECOND_FACTORS=on, or: portcullis application set APPLICATION --no-require-aal2.'

/** The scopes with which an application lets users confirm their e-mail: a recovery does that too. */
const CONFIRMS: ReadonlyArray<Scope> = ['users:confirm_email', 'users:recover']

/** The predicate of a warning about applications that require what no application lets users do. */
const CANNOT_CONFIRM =
  'requires a verified e-mail, and no application has a scope to confirm one. Grant users:confirm_email to one, or: portcullis application set APPLICATION --no-require-verified-email.'

const HAS_OTHER_ORIGINS =
  'has passkey origins where passkeys do not work with this PASSKEY_RP_ID. Set others: portcullis application set-passkey-origins APPLICATION URL.'

/** Whether an application has origins that are not on the RP ID or below it. Apps have no domain. */
export const hasRelatedOrigins = (
  { passkeyOrigins }: Pick<Application, 'passkeyOrigins'>,
  { passkeyRpId }: Pick<Settings, 'passkeyRpId'>,
): boolean => passkeyRpId !== undefined && passkeyOrigins.some((origin) => isRelated(origin, passkeyRpId))

/** The predicate of a warning about them. */
export const relatedText = ({ passkeyRpId }: Pick<Settings, 'passkeyRpId'>): string =>
  `has passkey origins outside of PASSKEY_RP_ID. Browsers use passkeys there only if https://${passkeyRpId}/.well-known/webauthn names them.`

/** A clause about remembered sessions that end before ordinary ones. */
export const forgetsText = ({ rememberTtlSeconds, sessionTtlSeconds }: ForgetsEarly): string =>
  `remembered sessions of ${rememberTtlSeconds} seconds would end before ordinary ones of ${sessionTtlSeconds} seconds`

const FORGETS_EARLY =
  'Raise --remember-ttl, or shorten --session-ttl: portcullis application set, or the settings.'

/** A clause about lifetimes that do not fit that of their session. */
export const outlivesText = (problem: LifetimesProblem): string => {
  const session = `sessions of ${problem.sessionTtlSeconds} seconds`
  return problem._tag === 'TokenOutlivesSession'
    ? `user tokens of ${problem.userTokenTtlSeconds} seconds would outlive ${session}`
    : `an idle time of ${problem.idleTtlSeconds} seconds would outlive ${session}`
}

export const outlivesRemedy = (problem: LifetimesProblem): string => {
  const [option, seconds] =
    problem._tag === 'TokenOutlivesSession'
      ? (['--user-token-ttl', problem.userTokenTtlSeconds] as const)
      : (['--idle-ttl', problem.idleTtlSeconds] as const)
  return `Set --session-ttl to at least ${seconds}, or ${option} to at most ${problem.sessionTtlSeconds}.`
}

const TOKENS_END_EARLY =
  'Their tokens end with the session. Change one lifetime: portcullis application set, or the settings.'
