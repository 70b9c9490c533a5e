import { NO_REQUEST } from '../../application/recorder.ts'
import { KEY_PURPOSES, type KeyPurpose } from '../../domain/signing-key.ts'
import { shownKey } from './keys-list.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printLine, rfc3339 } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis keys rotate` */
export const keysRotate = (
  terminal: Terminal,
  { purpose, leaked, json }: { purpose?: KeyPurpose; leaked: boolean; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ rotateKeys }) => {
    const purposes = purpose === undefined ? KEY_PURPOSES : [purpose]
    const keys = await orRefuse(
      rotateKeys(NO_REQUEST, { purposes, atOnce: leaked }),
      ({ reason }) => `The signing keys cannot be read: ${reason}. Nothing was changed.`,
    )
    if (json) return terminal.print(JSON.stringify({ keys: keys.map(shownKey) }))
    for (const key of keys) printLine(terminal, json, shownKey(key))
    const signsFrom = rfc3339(Math.max(...keys.map(({ signsFromSeconds }) => signsFromSeconds)))
    terminal.say(
      leaked
        ? 'The new keys sign from now on, and no token of an older one is good any more.'
        : `The new keys are published now and sign from ${signsFrom} on. Nobody has to do anything.`,
    )
  })
