import { catchUp } from '../../application/log/catch-up.ts'
import { findingsInThread } from './checks-in-thread.ts'
import { closedSentence, closedState } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import { findingsOf } from './doctor.ts'
import { CommandFailed } from './exit.ts'
import { operatorContext, refuseClosed, runOrFail } from './operations.ts'
import { printableOnLine } from './printable.ts'
import { throughReadModel } from './read-model.ts'
import { readStoreSettings, storeName, storeText } from './read-settings.ts'

/** `portcullis console`: serves pages for operators on 127.0.0.1 until Ctrl-C, or for 30 idle minutes. */
export const operatorConsole = async (
  context: CommandContext,
  { port, write }: { port: number; write: boolean },
): Promise<void> => {
  const stopped = context.untilStopped()
  const settings = readStoreSettings(context)
  const { composition } = context
  const operations = await composition.composeOperations(settings, write ? 'existing' : 'read-only')
  try {
    const name = storeName(composition, settings)
    await refuseClosed(operations, name, write ? 'refused' : 'allowed')
    for await (const log of throughReadModel(context, operations, caughtUp)) {
      let idle = (): void => undefined
      const isIdle = new Promise<'idle'>((resolve) => {
        idle = () => resolve('idle')
      })
      const running = await composition.openConsole({
        operations,
        log,
        isWritable: write,
        storeText: storeText(composition, settings),
        // A thread would load the parts of --with a second time.
        check: (onProgress) =>
          composition.parts === undefined
            ? findingsInThread(settings, onProgress)
            : findingsOf(composition, settings, onProgress),
        asOperator: operatorContext(settings, context),
        closedBecause: async () => {
          const copyState = await closedState(operations) // it may be copied meanwhile
          return copyState && closedSentence(name, copyState)
        },
        onOpening: (kind) => context.writeErr(OPENINGS[kind]),
        onIdle: idle,
      })
      try {
        const listening = await listen(running, port)
        context.writeOut(`http://127.0.0.1:${listening}${running.openingTarget}`)
        context.writeErr(
          `Open this URL in a browser of this machine. It works once. The console ${write ? 'can change things' : 'changes nothing'}. Press Ctrl-C to stop it.`,
        )
        context.writeErr(`From another machine: ssh -L ${listening}:127.0.0.1:${listening} HOST`)
        const ended = await Promise.race([stopped, isIdle])
        context.writeErr(
          ended === 'idle'
            ? 'The console has ended, because it was not used for 30 minutes. Close its page.'
            : 'The console has ended. Close its page.',
        )
      } finally {
        await running.stop()
      }
    }
  } finally {
    await operations.close()
  }
}

const OPENINGS = {
  opened: 'The console was opened in a browser.',
  used: 'Warning: the URL was opened again, elsewhere. That was refused. If the first browser was not yours, press Ctrl-C.',
} as const

/** Builds the read model before a page waits for it. */
async function* caughtUp(
  log: Parameters<Parameters<typeof throughReadModel>[2]>[0],
  onProgress: (position: number) => void,
) {
  await runOrFail(catchUp(log, onProgress), ({ reason }) => printableOnLine(reason))
  yield log
}

const listen = async (
  running: Readonly<{ listen: (host: string, port: number) => Promise<number> }>,
  port: number,
): Promise<number> => {
  try {
    return await running.listen('127.0.0.1', port)
  } catch (error) {
    const { code = 'unknown' } = Object(error) as Readonly<{ code?: string }>
    throw new CommandFailed(
      code === 'EADDRINUSE'
        ? `Port ${port} of 127.0.0.1 is in use. Name another one with --port, or none to take any free one.`
        : `Cannot listen on port ${port} of 127.0.0.1 (${code}). Name another one with --port.`,
    )
  }
}
