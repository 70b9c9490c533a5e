import assert from 'node:assert/strict'
import type { Background } from '../../application/ports/background.ts'
import type { Runner } from './runner.ts'
import { awaited, settled, signal } from './waiting.ts'

/** Opens a background. The suite calls `close` at the end of a case, after it has closed the background. */
export type OpenBackground = () => Promise<OpenedBackground>
export type OpenedBackground = Readonly<{ background: Background; close?: () => Promise<void> }>

/**
 * The contract suite of `Background`.
 *
 * @param open is called once for each case
 */
export const backgroundContract = ({ describe, it }: Runner, open: OpenBackground): void => {
  const check = (name: string, body: (background: Background, journal: Journal) => Promise<void>) =>
    it(name, async () => {
      const { background, close } = await open()
      try {
        await body(background, newJournal())
      } finally {
        await background.close()
        await close?.()
      }
    })

  describe('work', () => {
    check('begins after what is being answered now', async (background, { entries, noting }) => {
      assert.equal(background.run(noting('work')), true)
      entries.push('the rest of the answer')
      for (let step = 0; step < 10; step += 1) await Promise.resolve()
      entries.push('what the answer waited for')
      await background.close()
      assert.deepEqual(entries, ['the rest of the answer', 'what the answer waited for', 'work'])
    })

    check('is run once if it was taken, and otherwise never', async (background) => {
      const { given, give } = signal()
      const runs = new Map<number, number>()
      const taken: Array<number> = []
      for (let task = 0; task < MANY; task += 1) {
        const isTaken = background.run(async () => {
          runs.set(task, (runs.get(task) ?? 0) + 1)
          await given
        })
        if (isTaken) taken.push(task)
      }
      await settled()
      give()
      await background.close()
      assert.deepEqual(
        [...runs].sort(([one], [other]) => one - other),
        taken.map((task) => [task, 1]),
      )
    })

    check('is taken again after too much work is done', async (background) => {
      const { given, give } = signal()
      for (let task = 0; task < MANY; task += 1) background.run(() => given)
      give()
      for (let turn = 0; turn < MANY && !background.run(async () => undefined); turn += 1) await settled()
      assert.equal(
        background.run(async () => undefined),
        true,
      )
    })
  })

  for (const [how, failing] of FAILING) {
    check(`a task that ${how} harms no other`, async (background, { entries, noting }) => {
      assert.equal(background.run(failing), true)
      assert.equal(background.run(noting('beside it')), true)
      await settled()
      assert.equal(background.run(noting('after it')), true)
      background.after(LONG_MS, failing)
      background.after(LONG_MS, noting('put off beside it'))
      await background.close()
      assert.deepEqual(entries, ['beside it', 'after it', 'put off beside it'])
    })
  }

  describe('work that is put off', () => {
    check('is done when the time is over, once', async (background) => {
      const { given, give } = signal()
      let done = 0
      background.after(1, async () => {
        done += 1
        give()
      })
      assert.equal(done, 0)
      await awaited(given)
      await background.close()
      assert.equal(done, 1)
    })

    check('is not done before', async (background, { entries, noting }) => {
      background.after(LONG_MS, noting('put off'))
      await settled()
      assert.deepEqual(entries, [])
    })

    check('is done in the order of its times', async (background, { entries, noting }) => {
      const { given, give } = signal()
      background.after(60, async () => {
        entries.push('later')
        give()
      })
      background.after(1, noting('sooner'))
      await awaited(given)
      assert.deepEqual(entries, ['sooner', 'later'])
    })
  })

  describe('the end', () => {
    check('waits for all running tasks', async (background) => {
      const { given, give } = signal()
      let done = 0
      const task = async () => {
        await given
        done += 1
      }
      background.run(task)
      background.after(LONG_MS, task)
      let isClosed = false
      const closing = background.close().then(() => {
        isClosed = true
      })
      await settled()
      assert.equal(isClosed, false)
      give()
      await closing
      assert.equal(done, 2)
    })

    check('runs each delayed task once', async (background) => {
      let done = 0
      background.after(10, async () => {
        done += 1
      })
      await background.close()
      await new Promise((resolve) => setTimeout(resolve, 20)) // set later, and for longer
      await settled()
      assert.equal(done, 1)
    })

    check('comes after tasks that running work puts off', async (background, { entries, noting }) => {
      background.run(async () => {
        await settled()
        background.after(LONG_MS, noting('put off at the last moment'))
      })
      await background.close()
      assert.deepEqual(entries, ['put off at the last moment'])
    })

    check('lets no task begin afterwards', async (background, { entries, noting }) => {
      await background.close()
      assert.equal(background.run(noting('run')), false)
      background.after(0, noting('put off'))
      await new Promise((resolve) => setTimeout(resolve, 5)) // set later, and for longer
      await settled()
      assert.deepEqual(entries, [])
    })

    check('may be asked for several times', async (background, { entries, noting }) => {
      background.run(noting('work'))
      await Promise.all([background.close(), background.close()])
      await background.close()
      assert.deepEqual(entries, ['work'])
    })
  })
}

/** More than the machine should do at once, and few enough to be asked for in a moment. */
const MANY = 2_000
const LONG_MS = 600_000

const FAILING = [
  [
    'throws',
    () => {
      throw new Error('a task that throws')
    },
  ],
  ['rejects', () => Promise.reject(new Error('a task that rejects'))],
] as const

/** Tasks that say in one list when they begin. */
type Journal = ReturnType<typeof newJournal>
const newJournal = () => {
  const entries: Array<string> = []
  return { entries, noting: (entry: string) => async () => void entries.push(entry) }
}
