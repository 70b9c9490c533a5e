import { expect } from 'chai'
import { nodeBackground } from '../../adapters/node/background.ts'
import { gate } from '../support/waiting.ts'

const LONG_MS = 600_000

/** Background work that records its reports. */
const background = () => {
  const reported: Array<unknown> = []
  const { run, after: putOff, close } = nodeBackground((error) => reported.push(error))
  return { run, putOff, close, reported }
}

/** Tasks that record their start in one list. */
const journal = () => {
  const entries: Array<string> = []
  return { entries, noting: (entry: string) => async () => void entries.push(entry) }
}

/** Resolves when all pending callbacks have run. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('work in the background', () => {
  it('is limited: excess tasks are never run, and there is room again afterwards', async () => {
    const { run, close } = background()
    const { pass, open } = gate()
    let begun = 0
    const task = async () => {
      begun += 1
      await pass()
    }
    let taken = 0
    while (taken < 10_000 && run(task)) taken += 1
    expect(taken).to.equal(256)
    await settled()
    expect(run(task)).to.equal(false)
    open()
    await settled()
    expect(begun).to.equal(taken)
    expect(run(task)).to.equal(true)
    await close()
    expect(begun).to.equal(taken + 1)
  })

  for (const [how, failing] of [
    [
      'throws',
      (error: Error) => () => {
        throw error
      },
    ],
    ['rejects', (error: Error) => () => Promise.reject(error)],
  ] as const) {
    it(`that ${how} is reported and does not affect other tasks`, async () => {
      const { run, putOff, close, reported } = background()
      const { entries, noting } = journal()
      const errors = ['run', 'put off', 'run at the end'].map((message) => new Error(message))
      const [first, second, third] = errors as [Error, Error, Error]
      run(failing(first))
      run(noting('beside it'))
      await settled()
      expect(reported).to.deep.equal([first])
      expect(run(noting('after it'))).to.equal(true)
      putOff(LONG_MS, failing(second))
      putOff(LONG_MS, noting('put off beside it'))
      run(failing(third))
      await close()
      expect(reported).to.have.members(errors)
      expect(entries).to.deep.equal(['beside it', 'after it', 'put off beside it'])
    })
  }

  it('frees its place after its failure was reported', async () => {
    const { run, close, reported } = background()
    for (let count = 0; count < 1_000; count += 1) {
      run(() => Promise.reject(new Error('again')))
      if (count % 100 === 99) await settled()
    }
    expect(run(async () => {})).to.equal(true)
    await close()
    expect(reported).to.have.length(1_000)
  })
})

describe('deferred work', () => {
  it('does not keep the process alive', async () => {
    const { putOff, close } = background()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    putOff(LONG_MS, async () => {})
    expect(timers()).to.equal(before)
    await close()
  })
})

describe('the end of the background', () => {
  it('waits for work that running tasks defer or start', async () => {
    const { run, putOff, close } = background()
    const { entries, noting } = journal()
    const { pass, reached, open } = gate()
    run(async () => {
      await pass()
      putOff(LONG_MS, noting('put off at the last moment'))
      run(noting('run at the last moment'))
    })
    await reached
    const closing = close()
    await settled()
    open()
    await closing
    expect(entries).to.have.members(['put off at the last moment', 'run at the last moment'])
  })

  it('starts nothing that deferred tasks start until then', async () => {
    const { run, putOff, close } = background()
    const { entries, noting } = journal()
    let taken: boolean | undefined
    putOff(LONG_MS, async () => {
      taken = run(noting('run'))
      putOff(0, noting('put off'))
    })
    await close()
    await settled()
    await close()
    expect(taken).to.equal(false)
    expect(entries).to.deep.equal([])
  })
})
