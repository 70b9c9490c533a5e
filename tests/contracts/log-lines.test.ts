import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { LogLine, LogLines } from '../../application/ports/log-lines.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { isEventType } from '../../application/recording/events/table.ts'
import { STORES } from '../support/stores.ts'
import { logLinesContract } from '../testkit/log-lines.ts'
import { caughtBy, proveContract } from './broken/harness.ts'
import { type Mutate, mutationsOf } from './broken/mutations.ts'

type Lined = Store & LogLines

const lined = (store: Store): Lined => {
  const lines = treeOf(store)
  if (lines === undefined) throw new Error('the store has no lines')
  return { ...store, ...lines }
}

for (const { name, layOut, openStore } of STORES)
  describe(`the contract of LogLines, kept by ${name}`, () =>
    logLinesContract({ describe, it }, async () => {
      const { url, remove } = await layOut()
      return { store: lined(await openStore(url)), close: remove }
    }))

const { answer, hear } = mutationsOf<Lined>()

const altered = (alter: (text: string) => string): Mutate<Lined> =>
  answer('readLines', (lines) =>
    lines.map(
      ({ position, bytes }): LogLine => ({
        position,
        bytes: Buffer.from(alter(Buffer.from(bytes).toString())),
      }),
    ),
  )

const EVERY_EVENT = /^the line of /

const sharing: Mutate<Lined> = (good) => {
  let kept: Awaited<ReturnType<ReturnType<Lined['readLines']>>> | undefined
  return {
    readLines: (query) => async () => {
      kept ??= await good.readLines(query)()
      return kept
    },
  }
}

describe('the contract of LogLines is a contract', () =>
  proveContract<Mutate<Lined>>(
    (runner, mutate = () => ({})) =>
      logLinesContract(runner, async () => {
        const store = memoryStore()
        return { store: { ...store, ...mutate(store) } }
      }),
    [
      ...caughtBy<Mutate<Lined>>(EVERY_EVENT, {
        'ends lines with a line feed': altered((text) => `${text}\n`),
      }),
      ...caughtBy<Mutate<Lined>>('a line keeps every character of a text', {
        'escapes what is not ASCII': altered((text) =>
          text.replace(
            /[\u0080-\uffff]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
          ),
        ),
      }),
      ...caughtBy<Mutate<Lined>>(
        'an entry of an unknown type, which a later version wrote, has its line too',
        {
          'leaves out what it cannot decode': answer('readLines', (lines) =>
            lines.filter(({ bytes }) => isEventType(JSON.parse(Buffer.from(bytes).toString()).type)),
          ),
        },
      ),
      ...caughtBy<Mutate<Lined>>('an empty log has no lines', {
        'begins with a line of its own': answer('readLines', (lines) => [
          { position: 0, bytes: Buffer.from('{}') },
          ...lines,
        ]),
      }),
      ...caughtBy<Mutate<Lined>>('lines are read in pages, ascending', {
        'ignores the limit': hear('readLines', ({ after }) => [{ after, limit: 1_000 }]),
      }),
      ...caughtBy<Mutate<Lined>>('lines bring their entries if they are asked for, or none', {
        'brings some of them': answer('readLines', (lines) =>
          lines.map((line, index) => (index === 1 ? { position: line.position, bytes: line.bytes } : line)),
        ),
      }),
      ...caughtBy<Mutate<Lined>>('a changed answer changes no later one', {
        'returns the same bytes again': sharing,
      }),
      ...caughtBy<Mutate<Lined>>('a closed store has no lines', {
        'reads on after its end': (good) => ({
          close: async () => undefined,
          readLines: good.readLines,
        }),
      }),
    ],
  ))
