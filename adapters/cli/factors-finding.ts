import { isLeft } from 'fp-ts/lib/Either.js'
import type { Finding } from '../../application/ports/inspection.ts'
import { pages } from '../../application/recording/pages.ts'
import type { Operations } from './composition.ts'
import { unavailableText } from './operations.ts'

/**
 * Whether the secrets of authenticator apps can be decrypted, and how many are not encrypted under the first key-encryption key. No
 * finding in a store without such secrets.
 */
export const factorsFinding = async (
  { store, keyWrapping }: Pick<Operations, 'store' | 'keyWrapping'>,
  onProgress: (done: number) => void,
): Promise<ReadonlyArray<Finding>> => {
  let secrets = 0
  let outdated = 0
  let unreadable = 0
  const reasons = new Set<string>()
  const read = (after: string, limit: number) => store.listRows({ table: 'factors', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return [{ name: NAME, ok: false, detail: unavailableText(page.left) }]
    for (const { id, material } of page.right.filter(({ kind, removed }) => kind === 'totp' && !removed)) {
      secrets += 1
      const about = { kid: id, purpose: 'totp' } as const
      const secret = keyWrapping.unwrap(material, about)
      if (isLeft(secret)) {
        unreadable += 1
        if (reasons.size < MAX_REASONS) reasons.add(secret.left.reason)
      } else if (keyWrapping.assess(material, about) === 'outdated') outdated += 1
    }
    onProgress(secrets)
  }
  if (secrets === 0) return []
  const detail = [
    `${secrets} secrets of authenticator apps.`,
    ...(unreadable === 0
      ? []
      : [`${unreadable} cannot be decrypted: ${[...reasons].join('; ')}. ${DECRYPT}`]),
    ...(outdated === 0 ? [] : [`${outdated} are not encrypted under the first key. ${KEEP}`]),
  ]
  return [{ name: NAME, ok: unreadable === 0, detail: detail.join(' ') }]
}

const NAME = 'factors'

/** Reasons name the missing key, so a store with one lost key has few. */
const MAX_REASONS = 3

const DECRYPT =
  'Set KEY_ENCRYPTION_KEY to its earlier value. If that is lost, reset the factors of each user who asks: portcullis user reset-factors'
const KEEP =
  'A service that starts encrypts them again. Until then, keep the earlier key in KEY_ENCRYPTION_KEY.'
