import { filter, toUndefined } from 'fp-ts/lib/Option.js'
import { pages } from '../../../application/pages.ts'
import { publicApiKey } from '../../../domain/api-key.ts'
import { type PreviousKey, scopeText } from '../../../domain/application.ts'
import { orRefuse, unreachable, withOperations } from './operations.ts'
import { printLine, rfc3339 } from './print.ts'
import type { Terminal } from './terminal.ts'

const isStillGood = ({ untilSeconds }: PreviousKey): boolean => Date.now() < untilSeconds * 1000

/** `portcullis application list`: one a line, in the order in which they were made. */
export const applicationList = (terminal: Terminal, { json }: { json: boolean }): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
    for await (const page of pages(read, '', ({ id }) => id)) {
      for (const { id, name, scope, previousKey, revoked } of await orRefuse(async () => page, unreachable)) {
        printLine(terminal, json, {
          id,
          name,
          scope: scopeText(scope),
          public_api_key: publicApiKey(id),
          previous_until: rfc3339(toUndefined(filter(isStillGood)(previousKey))?.untilSeconds),
          revoked,
        })
      }
    }
  })
