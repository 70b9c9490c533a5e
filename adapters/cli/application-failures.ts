import type {
  ApplicationKeyless,
  ApplicationRevoked,
  KeyReplaced,
} from '../../application/applications/rotate-application-key.ts'
import type { ApplicationOfPages } from '../../application/applications/set-application.ts'
import type { NotNamed } from '../../application/recording/change-application.ts'
import { type ApplicationProblem, type ApplicationRequest, SCOPES } from '../../domain/application.ts'
import type { Invalid } from '../../domain/field.ts'
import type { LifetimesProblem } from '../../domain/lifetimes.ts'
import type { OriginRefused } from '../../domain/passkey-origins.ts'
import { type ClientProblem, MAX_URI_LENGTH, type UriRule } from '../../domain/redirect-uris.ts'
import type { ReturnUrlRefused } from '../../domain/return-urls.ts'
import { quoted } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import { outlivesRemedy, outlivesText } from './applications-finding.ts'
import { applicationNotNamed } from './not-found.ts'

/** Why a command on an application is refused. */
export type Refusal =
  | Invalid<ApplicationProblem | OriginRefused | ReturnUrlRefused | ClientProblem>
  | LifetimesProblem
  | NotNamed
  | ApplicationKeyless
  | ApplicationOfPages
  | ApplicationRevoked
  | KeyReplaced

/** Returns what is wrong, and what to do. */
export const failureText =
  (request: Partial<ApplicationRequest> = {}, { passkeyRpId }: Partial<Settings> = {}) =>
  (failure: Refusal): string => {
    switch (failure._tag) {
      case 'Invalid':
        return failure.problems
          .map((problem) =>
            typeof problem === 'string' ? PROBLEMS[problem](request) : urlText(problem, passkeyRpId),
          )
          .join('\n')
      case 'TokenOutlivesSession':
      case 'IdleOutlivesSession':
        return `${capitalized(outlivesText(failure))}. ${outlivesRemedy(failure)}`
      case 'ApplicationUnknown':
      case 'NameAmbiguous':
        return applicationNotNamed(failure)
      case 'ApplicationKeyless':
        return 'The service made this application for its pages. It has no API key.'
      case 'ApplicationOfPages':
        return 'The service made this application for its pages. It cannot be a client of the OpenID provider.'
      case 'KeyReplaced':
        return 'The application has another key meanwhile. Nothing was changed.'
      case 'ApplicationRevoked':
        return 'This application is revoked. Create another: portcullis application create'
    }
  }

const capitalized = (clause: string): string => `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}`

const PROBLEMS: Readonly<Record<ApplicationProblem, (request: Partial<ApplicationRequest>) => string>> = {
  NameMalformed: ({ name = '' }) => `--name must have 1 to 100 printable characters, got ${quoted(name)}.`,
  ScopeUnknown: ({ scope = '' }) =>
    `--scope must be one or more of ${SCOPES.join(', ')}, separated by spaces, got ${quoted(scope)}.`,
}

const urlText = (
  problem: OriginRefused | ReturnUrlRefused | ClientProblem,
  rpId: string | undefined,
): string => {
  switch (problem._tag) {
    case 'ReturnUrlMalformed':
      return `--return-url must be https://HOST/PATH, or http://localhost/PATH, in lower case, without a query, got ${quoted(problem.url)}.`
    case 'TooManyReturnUrls':
      return `--return-url can be repeated for at most ${problem.most} URLs.`
    case 'UriRefused':
    case 'TooManyUris':
    case 'PkceOptional':
    case 'LogoutUrisAlone':
      return clientText(problem)
    default:
      return originText(problem, rpId)
  }
}

const originText = ({ _tag, origin }: OriginRefused, rpId: string | undefined): string => {
  switch (_tag) {
    case 'OriginMalformed':
      return `A passkey origin must be https://HOST or http://localhost, in lower case, with a port only if it is another one, and nothing behind it; or android:apk-key-hash: and 43 characters of base64url, got ${quoted(origin)}.`
    case 'OriginOutside':
      return `A passkey origin with http must be on PASSKEY_RP_ID (${rpId}), got ${quoted(origin)}.`
    case 'PasskeysOff':
      return `Passkeys require PASSKEY_RP_ID. Set that first, then the origin ${quoted(origin)}.`
  }
}

const clientText = (problem: ClientProblem): string => {
  switch (problem._tag) {
    case 'UriRefused':
      return `--${problem.list}-uri ${URI_RULES[problem.rule](problem.uri)}, got ${quoted(problem.uri)}.`
    case 'TooManyUris':
      return `--${problem.list}-uri can be repeated for at most ${problem.most} URIs.`
    case 'PkceOptional':
      return '--client public requires PKCE. Add --pkce required.'
    case 'LogoutUrisAlone':
      return '--logout-uri requires a redirect URI. Add --redirect-uri.'
  }
}

const URI_RULES: Readonly<Record<UriRule, (uri: string) => string>> = {
  several: () => 'must be one URI: repeat the option for each one',
  length: () => `must have at most ${MAX_URI_LENGTH} characters`,
  user_info: () => 'must have no user name or password',
  wildcard: () => 'must be complete, because * is no wildcard',
  fragment: () => 'must have no fragment (#)',
  localhost: () => 'must have 127.0.0.1 or [::1] instead of localhost',
  insecure: () => 'must be https://…, or http:// at 127.0.0.1 or [::1]',
  loopback: () => 'must be http:// at 127.0.0.1 or [::1] with --client public',
  private_scheme: () => 'must be https://…: only --client public can have a private scheme',
  scheme: () =>
    'must be https://…, or with --client public a private scheme such as com.example.app:/callback',
  form: (uri) => {
    const normal = URL.canParse(uri) ? new URL(uri).href : uri
    // Not the same text again, and no password that the URL parser found.
    return normal === uri || normal.includes('@')
      ? 'must be a URL of printable ASCII characters without spaces'
      : `must be in its normal form, ${JSON.stringify(normal)}`
  },
}
