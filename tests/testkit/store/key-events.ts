import { aKey, createdKey } from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of signing keys. */
export const keyEvents = (): CasesOf<'SigningKeyCreated' | 'SigningKeyRetired' | 'SigningKeyReencrypted'> => {
  const key = aKey({ purpose: 'application' })
  const subject = { kind: 'key', id: key.kid } as const
  const material = 'wrapped.v1$2026$c2VjcmV0'
  return {
    SigningKeyCreated: {
      before: [],
      fact: createdKey(key),
      event: { type: 'SigningKeyCreated', version: 1, subject, data: { purpose: 'application' } },
      rows: [{ table: 'keys', row: key }],
    },
    SigningKeyRetired: {
      before: [createdKey(key)],
      fact: { _tag: 'SigningKeyRetired', key },
      event: { type: 'SigningKeyRetired', version: 1, subject, data: {} },
      rows: [{ table: 'keys', row: { ...key, retired: true, material: '', version: 2 } }],
    },
    SigningKeyReencrypted: {
      before: [createdKey(key)],
      fact: { _tag: 'SigningKeyReencrypted', key, material, keyEncryptionKeyId: '2026' },
      event: {
        type: 'SigningKeyReencrypted',
        version: 1,
        subject,
        data: { key_encryption_key_id: '2026' },
      },
      rows: [{ table: 'keys', row: { ...key, material, version: 2 } }],
    },
  }
}
