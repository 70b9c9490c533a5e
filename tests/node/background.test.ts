import { expect } from 'chai'
import { nodeBackground } from '../../adapters/driven/node/background.ts'
import { gate } from '../support/waiting.ts'

const LONG_MS = 600_000

/** A background that remembers what it reports. */
const background = () => {
  const reported: Array<unknown> = []
  const { run, after: putOff, close } = nodeBackground((error) => reported.push(error))
  return { run, putOff, close, reported }
}

/** Tasks that say in one list when they begin. */
const journal = () => {
  const entries: Array<string> = []
  return { entries, noting: (entry: string) => async () => void entries.push(entry) }
}

/** Everything that is ready to happen has happened. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('work in the background', () => {
  it('is bounded: what is too much is not run, also not later, and there is room again afterwards', async () => {
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
    it(`that ${how} is reported and harms nobody`, async () => {
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

  it('that was reported takes no room any more', async () => {
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

describe('work that is put off', () => {
  it('keeps no process from ending', async () => {
    const { putOff, close } = background()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    putOff(LONG_MS, async () => {})
    expect(timers()).to.equal(before)
    await close()
  })
})

describe('the end of the background', () => {
  it('comes after what the work that goes on puts off, and what it has run', async () => {
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

  it('lets nothing begin that comes of what was put off until then', async () => {
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
