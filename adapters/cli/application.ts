import { filter, toNullable, toUndefined } from 'fp-ts/lib/Option.js'
import type { NewApplication } from '../../application/applications/register-application.ts'
import type { SetApplicationResult } from '../../application/applications/set-application.ts'
import type { Overloaded } from '../../application/ports/failures.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { pages } from '../../application/recording/pages.ts'
import { isAccountPages } from '../../domain/account-pages.ts'
import { publicApiKey } from '../../domain/api-key.ts'
import {
  type Application,
  type ApplicationRequest,
  mixesRecovery,
  mixesReset,
  mixesVouching,
  type PreviousKey,
  scopeText,
} from '../../domain/application.ts'
import { forgetsEarly, type LifetimeSettings } from '../../domain/lifetimes.ts'
import { type ClientRequest, type OpenIdClient, pkceUse } from '../../domain/redirect-uris.ts'
import { asciiUrl } from '../config/addresses/ascii-domains.ts'
import type { Settings } from '../config/settings.ts'
import { failureText, type Refusal } from './application-failures.ts'
import {
  CANNOT_ENROL,
  CANNOT_LEAD_TO_SIGN_IN,
  forgetsText,
  hasRelatedOrigins,
  OPENS_ACCOUNTS,
  relatedText,
  requiresWithoutEnrolment,
  TAKES_OVER,
  TAKES_OVER_FACTORS,
} from './applications-finding.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withNewStore, withOperations, withReads } from './operations.ts'
import { listPrinter, type PrintedRecord, printRecord, rfc3339OrNull } from './print.ts'
import { printableOnLine } from './printable.ts'
import { settingsBeside } from './servers-finding.ts'

/** `portcullis application create` */
export const applicationCreate = (
  context: CommandContext,
  {
    json,
    yes,
    passkeyOrigins = [],
    ...request
  }: ApplicationRequest &
    ClientRequest & { json: boolean; yes: boolean; passkeyOrigins?: ReadonlyArray<string> },
): Promise<void> =>
  withNewStore(context, { yes, asks: true }, async (operations, asOperator) => {
    const { registerApplication } = operations
    const settings = await settingsBeside(operations)
    const { application, ...keys } = await runOrFail<Refusal | StoreUnavailable, NewApplication>(
      registerApplication(asOperator, { ...request, passkeyOrigins: passkeyOrigins.map(asciiUrl) }),
      failureText(request, settings),
    )
    const record = {
      id: application.id,
      name: application.name,
      scope: scopeText(application.scope),
      public_api_key: keys.publicApiKey,
      private_api_key: needsKey(application) ? keys.privateApiKey : null,
      ...(application.redirectUris.length > 0 && {
        client_id: application.id,
        issuer: settings.publicUrl,
        redirect_uris: application.redirectUris,
        logout_uris: application.logoutUris,
      }),
    }
    printRecord(context, { json, record, note: nextSteps(application) })
    warnOf(context, application, settings)
  })

/** A public client has no secret: only an application with scopes has a use for the key. */
const needsKey = ({ clientKind, scope }: Pick<Application, 'clientKind' | 'scope'>): boolean =>
  clientKind === 'confidential' || scope.length > 0

const nextSteps = (application: Pick<Application, 'redirectUris' | 'clientKind' | 'scope'>): string => {
  const { redirectUris, clientKind } = application
  const given =
    clientKind === 'public'
      ? 'the issuer and the client_id. It has no client_secret'
      : 'the issuer, the client_id, and the private key as client_secret'
  return [
    ...(needsKey(application) ? [SAVE_KEY] : []),
    ...(redirectUris.length > 0 ? [`Give your OpenID client ${given}. Recipes: docs/openid.md`] : []),
  ].join('\n')
}

/** `portcullis application set` */
export const applicationSet = (
  context: CommandContext,
  idOrName: string,
  {
    json,
    request,
  }: {
    json: boolean
    request: Partial<ApplicationRequest> & ClientRequest & { returnUrls?: ReadonlyArray<string> }
  },
): Promise<void> =>
  withOperations(context, async (operations, asOperator) => {
    const { setApplication } = operations
    const settings = await settingsBeside(operations)
    const { application, hasChanged } = await runOrFail<
      Refusal | Overloaded | StoreUnavailable,
      SetApplicationResult
    >(
      setApplication(asOperator, idOrName, { ...request, returnUrls: request.returnUrls?.map(asciiUrl) }),
      failureText(request, settings),
    )
    const { id, name, scope, lifetimes } = application
    const record = {
      id,
      name,
      scope: scopeText(scope),
      user_token_ttl: toNullable(lifetimes.userTokenTtlSeconds),
      idle_ttl: toNullable(lifetimes.idleTtlSeconds),
      session_ttl: toNullable(lifetimes.sessionTtlSeconds),
      remember_ttl: toNullable(lifetimes.rememberTtlSeconds),
      ...requirementsOf(application),
      return_urls: application.returnUrls,
      ...clientOf(application),
    }
    printRecord(context, { json, record, note: noteOf(hasChanged) })
    warnOf(context, application, settings)
  })

/** `portcullis application set-passkey-origins` */
export const applicationSetPasskeyOrigins = (
  context: CommandContext,
  idOrName: string,
  { json, origins }: { json: boolean; origins: ReadonlyArray<string> },
): Promise<void> =>
  withOperations(context, async ({ setPasskeyOrigins, settings }, asOperator) => {
    const { application, hasChanged } = await runOrFail<
      Refusal | Overloaded | StoreUnavailable,
      SetApplicationResult
    >(setPasskeyOrigins(asOperator, idOrName, origins.map(asciiUrl)), failureText({}, settings))
    const { id, name, passkeyOrigins } = application
    const record = { id, name, passkey_origins: passkeyOrigins }
    printRecord(context, { json, record, note: noteOf(hasChanged) })
    warnOf(context, application, settings)
  })

const noteOf = (hasChanged: boolean): string => (hasChanged ? 'Changed.' : 'Nothing was changed.')

/** What an application requires of its users, and where it uses passkeys. */
const requirementsOf = ({
  requiredAssurance,
  requiresVerifiedEmail,
  passkeyOrigins,
}: Pick<Application, 'requiredAssurance' | 'requiresVerifiedEmail' | 'passkeyOrigins'>) => ({
  required_assurance: requiredAssurance,
  require_verified_email: requiresVerifiedEmail,
  passkey_origins: passkeyOrigins,
})

/** Which client of the OpenID provider an application is: none without a redirect URI. */
const clientOf = (application: OpenIdClient) => ({
  redirect_uris: application.redirectUris,
  logout_uris: application.logoutUris,
  client: application.clientKind,
  pkce: pkceUse(application),
})

const warnOf = (
  { writeErr }: CommandContext,
  application: Pick<
    Application,
    'name' | 'scope' | 'lifetimes' | 'requiredAssurance' | 'revoked' | 'passkeyOrigins' | 'redirectUris'
  >,
  settings: LifetimeSettings & Pick<Settings, 'secondFactors' | 'passkeyRpId' | 'openid'>,
): void => {
  const name = printableOnLine(application.name)
  if (mixesRecovery(application)) writeErr(`Warning: ${name} ${TAKES_OVER}`)
  if (mixesReset(application)) writeErr(`Warning: ${name} ${TAKES_OVER_FACTORS}`)
  if (mixesVouching(application)) writeErr(`Warning: ${name} ${OPENS_ACCOUNTS}`)
  const early = forgetsEarly(application, settings)
  if (early !== undefined) writeErr(`Warning: ${name}: ${forgetsText(early)}.`)
  if (requiresWithoutEnrolment(application, settings)) writeErr(`Warning: ${name} ${CANNOT_ENROL}`)
  if (hasRelatedOrigins(application, settings)) writeErr(`Warning: ${name} ${relatedText(settings)}`)
  if (application.redirectUris.length > 0 && !settings.openid)
    writeErr(`Warning: ${name} ${CANNOT_LEAD_TO_SIGN_IN}`)
}

/** `portcullis application list`: one per line, oldest first. */
export const applicationList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withReads(context, async ({ store }) => {
    const print = listPrinter(context, { json })
    const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
    for await (const page of pages(read, '', ({ id }) => id))
      print((await runOrFail(async () => page, noOtherFailure)).map(applicationRecord))
  })

/** An application as `application list` prints it. */
const applicationRecord = (application: Application): PrintedRecord => {
  const { id, name, scope, previousKey, revoked } = application
  return {
    id,
    name,
    scope: scopeText(scope),
    public_api_key: isAccountPages(id) ? null : publicApiKey(id),
    previous_until: rfc3339OrNull(toUndefined(filter(isValid)(previousKey))?.untilSeconds),
    revoked,
    ...requirementsOf(application),
    ...clientOf(application),
  }
}

const isValid = ({ untilSeconds }: PreviousKey): boolean => Date.now() < untilSeconds * 1000

/** `portcullis application rotate` */
export const applicationRotate = (
  context: CommandContext,
  idOrName: string,
  { overlap, json }: { overlap: number; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ rotateApplicationKey }, asOperator) => {
    const rotated = await runOrFail(
      rotateApplicationKey(asOperator, { id: idOrName, overlapSeconds: overlap }),
      failureText(),
    )
    const record = {
      id: rotated.id,
      public_api_key: rotated.publicApiKey,
      private_api_key: rotated.privateApiKey,
      previous_until: rfc3339OrNull(rotated.previousUntilSeconds),
    }
    printRecord(context, { json, record, note: SAVE_KEY })
  })

/** `portcullis application revoke` */
export const applicationRevoke = (
  context: CommandContext,
  idOrName: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ revokeApplication }, asOperator) => {
    const record = await runOrFail(revokeApplication(asOperator, idOrName), failureText())
    printRecord(context, { json, record, note: 'Revoked. Its keys, tokens and sessions no longer work.' })
  })

/** `portcullis application create-pages` */
export const applicationCreatePages = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ createAccountPages }, asOperator) => {
    const { application, hasChanged } = await runOrFail<Overloaded | StoreUnavailable, SetApplicationResult>(
      createAccountPages(asOperator),
      failureText(),
    )
    const { id, name } = application
    printRecord(context, { json, record: { id, name }, note: noteOf(hasChanged) })
  })

/** The note beside a new private key. */
const SAVE_KEY = 'Save the private key now. It is shown only once.'
