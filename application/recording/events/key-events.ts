import { retired, type SigningKey } from '../../../domain/signing-key.ts'
import type { Row } from '../../ports/store.ts'
import { createExpected, updateExpected } from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import { defineEvent, logged, theKey } from './definition.ts'

export const KEY_EVENTS = {
  /** `superseded` are the keys before it with their new ends. */
  SigningKeyCreated: defineEvent<
    'SigningKeyCreated',
    { key: Unwritten<SigningKey>; superseded: ReadonlyArray<SigningKey> }
  >({
    version: 1,
    event: ({ key }) => logged(theKey(key.kid), { purpose: key.purpose }),
    rows: ({ key, superseded }) => [
      { table: 'keys', row: inserted(key) },
      ...superseded.map((other): Row => ({ table: 'keys', row: updated(other) })),
    ],
    expect: ({ subject, data }, { keys }) =>
      createExpected(keys, subject, {
        purpose: data.purpose,
        retired: false,
        isStored: false,
        version: undefined,
      }),
  }),

  SigningKeyRetired: defineEvent<'SigningKeyRetired', { key: SigningKey }>({
    version: 1,
    event: ({ key }) => logged(theKey(key.kid), {}),
    rows: ({ key }) => [{ table: 'keys', row: updated(retired(key)) }],
    expect: (entry, { keys }) =>
      updateExpected(keys, entry, (key) => {
        key.retired = true
      }),
  }),

  /** `material` is the same secret, now encrypted under the key-encryption key `keyEncryptionKeyId`. */
  SigningKeyReencrypted: defineEvent<
    'SigningKeyReencrypted',
    { key: SigningKey; material: string; keyEncryptionKeyId: string }
  >({
    version: 1,
    event: ({ key, keyEncryptionKeyId }) =>
      logged(theKey(key.kid), { key_encryption_key_id: keyEncryptionKeyId }),
    rows: ({ key, material }) => [{ table: 'keys', row: updated({ ...key, material }) }],
    expect: (entry, { keys }) =>
      updateExpected(keys, entry, (key) =>
        key.retired ? `the secret of key ${entry.subject.id} was already erased` : undefined,
      ),
  }),
}
