import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { wrappedKeyOf } from '../../application/factors/wrapped-secret.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { passkeyCredential } from '../../domain/passkey.ts'
import type { Operations } from './composition.ts'
import { identitiesFinding } from './identities-finding.ts'
import type { TableFinding } from './table-finding.ts'

/**
 * Whether the secrets of authenticator apps can be decrypted, how many are not encrypted under the first key-encryption key, and how many
 * passkeys belong to another relying party than the settings say. Identities have a finding of their own. No finding in a store without such factors.
 */
export const factorsFinding = ({
  keyWrapping,
  digests,
  settings,
}: Pick<Operations, 'keyWrapping' | 'digests'> &
  Readonly<{
    settings: Pick<Operations['settings'], 'passkeyRpId' | 'identityProvidersFile'>
  }>): TableFinding<'factors'> => {
  let secrets = 0
  let outdated = 0
  let unreadable = 0
  let passkeys = 0
  let unusable = 0
  const reasons = new Set<string>()
  const identities = identitiesFinding({ digests, settings })
  return {
    name: NAME,
    table: 'factors',
    take: (factors) => {
      identities.take(factors)
      for (const { id, material } of factors.filter(({ kind, removed }) => kind === 'totp' && !removed)) {
        secrets += 1
        const key = wrappedKeyOf({ id })
        const secret = keyWrapping.unwrap(material, key)
        if (isLeft(secret)) {
          unreadable += 1
          if (reasons.size < MAX_REASONS) reasons.add(secret.left.reason)
        } else if (keyWrapping.assess(material, key) === 'outdated') outdated += 1
      }
      for (const { material } of factors.filter(({ kind, removed }) => kind === 'passkey' && !removed)) {
        passkeys += 1
        const credential = passkeyCredential(material)
        if (isNone(credential) || credential.value.rpId !== settings.passkeyRpId) unusable += 1
      }
    },
    findings: async () => [
      ...(secrets === 0 ? [] : [secretsFinding({ secrets, outdated, unreadable, reasons })]),
      ...(passkeys === 0 ? [] : [passkeysFinding({ passkeys, unusable, rpId: settings.passkeyRpId })]),
      ...identities.findings(),
    ],
  }
}

/** No failure: the operator may have changed the relying party on purpose. */
const passkeysFinding = ({
  passkeys,
  unusable,
  rpId,
}: Readonly<{ passkeys: number; unusable: number; rpId: string | undefined }>): Finding => {
  const unused =
    unusable === 0
      ? ''
      : ` ${unusable} cannot be used: they were made for another domain, and PASSKEY_RP_ID is ${rpId ?? 'not set'}. ${RECOVER}`
  return { name: 'passkeys', ok: true, detail: `Passkeys: ${passkeys}.${unused}` }
}

const RECOVER =
  'Set it as before. Otherwise their users sign in with recovery codes, or you run: portcullis user reset-factors'

const secretsFinding = ({
  secrets,
  outdated,
  unreadable,
  reasons,
}: Readonly<{
  secrets: number
  outdated: number
  unreadable: number
  reasons: ReadonlySet<string>
}>): Finding => {
  const detail = [
    `${secrets} secrets of authenticator apps.`,
    ...(unreadable === 0
      ? []
      : [`${unreadable} cannot be decrypted: ${[...reasons].join('; ')}. ${DECRYPT}`]),
    ...(outdated === 0 ? [] : [`${outdated} are not encrypted under the first key. ${KEEP}`]),
  ]
  return { name: NAME, ok: unreadable === 0, detail: detail.join(' ') }
}

const NAME = 'factors'

/** Reasons name the missing key, so a store with one lost key has few. */
const MAX_REASONS = 3

const DECRYPT =
  'Set KEY_ENCRYPTION_KEY to its earlier value. If that is lost, reset the factors of each user who asks: portcullis user reset-factors'
const KEEP =
  'A service that starts encrypts them again. Until then, keep the earlier key in KEY_ENCRYPTION_KEY.'
