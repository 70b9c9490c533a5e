import { toUndefined } from 'fp-ts/lib/Option.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { type PrintedRecord, printRow, rfc3339 } from './print.ts'

/** `portcullis keys list`: the keys in use, oldest first. */
export const keysList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ store }) => {
    const keys = await runOrFail(store.listSigningKeys(), noOtherFailure)
    for (const key of keys) if (!key.retired) printRow(context, { json, record: keyRecord(key) })
  })

/** A key without its secret. */
export const keyRecord = ({
  kid,
  purpose,
  createdAtSeconds,
  retiresAtSeconds,
}: SigningKey): PrintedRecord => ({
  kid,
  purpose,
  created_at: rfc3339(createdAtSeconds),
  retires_at: rfc3339(toUndefined(retiresAtSeconds)),
})
