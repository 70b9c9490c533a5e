import { filter, toUndefined } from 'fp-ts/lib/Option.js'
import { pages } from '../../application/recording/pages.ts'
import { publicApiKey } from '../../domain/api-key.ts'
import { type PreviousKey, scopeText } from '../../domain/application.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRow, rfc3339 } from './print.ts'

const isValid = ({ untilSeconds }: PreviousKey): boolean => Date.now() < untilSeconds * 1000

/** `portcullis application list`: one per line, oldest first. */
export const applicationList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ store }) => {
    const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
    for await (const page of pages(read, '', ({ id }) => id)) {
      for (const { id, name, scope, previousKey, revoked } of await runOrFail(
        async () => page,
        noOtherFailure,
      )) {
        const record = {
          id,
          name,
          scope: scopeText(scope),
          public_api_key: publicApiKey(id),
          previous_until: rfc3339(toUndefined(filter(isValid)(previousKey))?.untilSeconds),
          revoked,
        }
        printRow(context, { json, record })
      }
    }
  })
