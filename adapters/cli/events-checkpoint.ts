import type { CommandContext } from './command-context.ts'
import { CommandFailed } from './exit.ts'
import { historySentence, NO_LOG_KEY, verifiable } from './history.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRow } from './print.ts'

/** `portcullis events checkpoint`: prints the signed note and nothing else, so that it can be redirected to a file. */
export const eventsCheckpoint = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async (operations) => {
    const { note, checkpoint } = await runOrFail(verifiable(operations).makeCheckpoint, historySentence)
    if (json) return context.writeOut(JSON.stringify({ ...checkpoint, note }))
    context.writeOut(note.trimEnd())
    await context.flushOut()
    context.writeErr(`Keep this checkpoint of ${checkpoint.size} entries outside of this machine.`)
  })

/** `portcullis events key`: one verifier key per line. */
export const eventsKey = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async (operations) => {
    const keys = await runOrFail(verifiable(operations).verifierKeys, noOtherFailure)
    if (keys.length === 0) throw new CommandFailed(NO_LOG_KEY)
    for (const key of keys) printRow(context, { json, record: { verifier_key: key } })
  })
