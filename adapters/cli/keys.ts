import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone, toUndefined } from 'fp-ts/lib/Option.js'
import {
  KEY_PURPOSES,
  type KeyPurpose,
  REQUIRED_PURPOSES,
  type SigningKey,
} from '../../domain/signing-key.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations, withReads } from './operations.ts'
import { listPrinter, type PrintedRecord, printRow, rfc3339OrNull } from './print.ts'
import { printableOnLine } from './printable.ts'

/** `portcullis keys list`: the keys in use, oldest first. */
export const keysList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withReads(context, async ({ store }) => {
    const keys = await runOrFail(store.listSigningKeys(), noOtherFailure)
    listPrinter(context, { json })(keys.filter(({ retired }) => !retired).map(keyRecord))
  })

/** `portcullis keys rotate` */
export const keysRotate = (
  context: CommandContext,
  { purpose, leaked, json }: { purpose?: KeyPurpose; leaked: boolean; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ rotateKeys, store, keyWrapping }, asOperator) => {
    const before = await store.listSigningKeys()()
    const purposes = purpose === undefined ? purposesInUse(isLeft(before) ? [] : before.right) : [purpose]
    const keys = await runOrFail(
      rotateKeys(asOperator, { purposes, atOnce: leaked }),
      ({ reason }) => `The signing keys cannot be read: ${printableOnLine(reason)}. Nothing was changed.`,
    )
    const wereReadable =
      isLeft(before) || before.right.every((key) => isRight(keyWrapping.unwrap(key.material, key)))
    if (!wereReadable)
      context.writeErr(isNone(keyWrapping.keyEncryptionKeyId) ? NOT_ENCRYPTED : ENCRYPTED_OTHERWISE)
    if (json) return context.writeOut(JSON.stringify({ keys: keys.map(keyRecord) }))
    for (const key of keys) printRow(context, { json, record: keyRecord(key) })
    const signsFrom = rfc3339OrNull(Math.max(...keys.map(({ signsFromSeconds }) => signsFromSeconds)))
    context.writeErr(
      leaked
        ? 'The new keys sign now. Tokens signed by the old keys no longer work.'
        : `The new keys are published now and sign from ${signsFrom}. No further action is needed.`,
    )
  })

/** All purposes except those without a key that not every service needs: a start makes theirs when it first needs it. */
const purposesInUse = (keys: ReadonlyArray<SigningKey>): ReadonlyArray<KeyPurpose> =>
  KEY_PURPOSES.filter(
    (one) =>
      REQUIRED_PURPOSES.some((required) => required === one) || keys.some(({ purpose }) => purpose === one),
  )

/** A key without its secret. */
const keyRecord = ({ kid, purpose, createdAtSeconds, retiresAtSeconds }: SigningKey): PrintedRecord => ({
  kid,
  purpose,
  created_at: rfc3339OrNull(createdAtSeconds),
  retires_at: rfc3339OrNull(toUndefined(retiresAtSeconds)),
})

const NOT_ENCRYPTED =
  'The old keys were encrypted, the new keys are not: this command had no KEY_ENCRYPTION_KEY. To encrypt them, restart the server with its KEY_ENCRYPTION_KEY.'

const ENCRYPTED_OTHERWISE =
  'The old keys were encrypted under another key-encryption key. Restart the server with the KEY_ENCRYPTION_KEY of this command, because the new keys need it.'
