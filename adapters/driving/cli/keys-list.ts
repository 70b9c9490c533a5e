import { toUndefined } from 'fp-ts/lib/Option.js'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { orRefuse, unreachable, withOperations } from './operations.ts'
import { printLine, rfc3339, type Shown } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis keys list`: the keys that are in use, oldest first. */
export const keysList = (terminal: Terminal, { json }: { json: boolean }): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const keys = await orRefuse(store.listSigningKeys(), unreachable)
    for (const key of keys) if (!key.retired) printLine(terminal, json, shownKey(key))
  })

/** What is shown of a key: never its secret. */
export const shownKey = ({ kid, purpose, createdAtSeconds, retiresAtSeconds }: SigningKey): Shown => ({
  kid,
  purpose,
  created_at: rfc3339(createdAtSeconds),
  retires_at: rfc3339(toUndefined(retiresAtSeconds)),
})
