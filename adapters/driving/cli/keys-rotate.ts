import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import { KEY_PURPOSES, type KeyPurpose } from '../../../domain/signing-key.ts'
import { shownKey } from './keys-list.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printLine, rfc3339 } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis keys rotate` */
export const keysRotate = (
  terminal: Terminal,
  { purpose, leaked, json }: { purpose?: KeyPurpose; leaked: boolean; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ rotateKeys, store, keyWrapping }) => {
    const purposes = purpose === undefined ? KEY_PURPOSES : [purpose]
    const before = await store.listSigningKeys()()
    const keys = await orRefuse(
      rotateKeys(NO_REQUEST, { purposes, atOnce: leaked }),
      ({ reason }) => `The signing keys cannot be read: ${reason}. Nothing was changed.`,
    )
    const wereReadable =
      isLeft(before) || before.right.every((key) => isRight(keyWrapping.unwrap(key.material, key)))
    if (!wereReadable)
      terminal.say(isNone(keyWrapping.keyEncryptionKeyId) ? NOT_ENCRYPTED : OTHERWISE_ENCRYPTED)
    if (json) return terminal.print(JSON.stringify({ keys: keys.map(shownKey) }))
    for (const key of keys) printLine(terminal, json, shownKey(key))
    const signsFrom = rfc3339(Math.max(...keys.map(({ signsFromSeconds }) => signsFromSeconds)))
    terminal.say(
      leaked
        ? 'The new keys sign from now on, and no token of an older one is good any more.'
        : `The new keys are published now and sign from ${signsFrom} on. Nobody has to do anything.`,
    )
  })

const NOT_ENCRYPTED =
  'The keys before were encrypted and the new ones are not, for KEY_ENCRYPTION_KEY is not set here. A service that is started with it encrypts them.'

const OTHERWISE_ENCRYPTED =
  'The keys before were encrypted under a key-encryption key that KEY_ENCRYPTION_KEY lacks here. The service needs the one given here from now on: restart it with it.'
