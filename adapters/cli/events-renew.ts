import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis events renew` */
export const eventsRenew = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ renewLog }, asOperator) => {
    const { epoch, previousEpoch } = await runOrFail(renewLog(asOperator), noOtherFailure)
    printRecord(context, {
      json,
      record: { epoch, previous_epoch: previousEpoch },
      note: `The log is renewed. Cursors that begin with ${previousEpoch} no longer work.`,
    })
  })
