import { isLeft } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { ModelledLog } from '../../application/log/catch-up.ts'
import { headOfLog } from '../../application/recording/head-of-log.ts'
import type { CommandContext } from './command-context.ts'
import type { Operations } from './composition.ts'

/**
 * Opens the read model for a command, and closes it again.
 *
 * @param work passes `onProgress` to what catches up. On a terminal it shows a bar if there is much to read
 * @throws CommandFailed
 */
export async function* throughReadModel<A>(
  { composition, environment, writeErr, terminal }: CommandContext,
  { settings, store }: Pick<Operations, 'settings' | 'store'>,
  work: (log: ModelledLog, onProgress: (position: number) => void) => AsyncIterable<A>,
): AsyncGenerator<A, void> {
  const model = await composition.openReadModel(settings, environment, (path) =>
    writeErr(`The read model ${path} was damaged or of another version. It is built again.`),
  )
  try {
    const bar = terminal && (await buildProgress({ store, model }, terminal))
    try {
      for await (const page of work({ store, model }, bar?.show ?? (() => undefined))) {
        bar?.stop()
        yield page
      }
    } finally {
      bar?.stop()
    }
  } finally {
    await model.close()
  }
}

/** Undefined if there is little to read. */
const buildProgress = async (
  { store, model }: ModelledLog,
  terminal: NonNullable<CommandContext['terminal']>,
) => {
  const state = await model.state()()
  const known = isLeft(state) ? 0 : (toUndefined(state.right)?.position ?? 0)
  const head = await headOfLog(store, 0)()
  if (isLeft(head) || head.right - known < SHOWN_FROM) return undefined
  const { progressBar } = await import('./progress-bar.ts') // loaded only if it is shown
  const bar = progressBar(terminal, {
    format: '{bar} {percentage}% | reading the log: {value} of {total}',
    isKept: false,
  })
  bar.begin(head.right, {})
  let [at, isStopped] = [0, false]
  return {
    show: (position: number): void => {
      bar.advance(position - at, {})
      at = position
    },
    stop: (): void => {
      if (!isStopped) bar.stop()
      isStopped = true
    },
  }
}

/** So many entries take about half a second. */
const SHOWN_FROM = 20_000
