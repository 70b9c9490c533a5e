import { orRefuse, unreachable, withOperations } from './operations.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis events renew` */
export const eventsRenew = (terminal: Terminal, { json }: { json: boolean }): Promise<void> =>
  withOperations(terminal, async ({ renewLog }) => {
    const { epoch, previousEpoch } = await orRefuse(renewLog, unreachable)
    printOne(
      terminal,
      json,
      { epoch, previous_epoch: previousEpoch },
      `The log is renewed. Cursors that begin with ${previousEpoch} are refused from now on.`,
    )
  })
