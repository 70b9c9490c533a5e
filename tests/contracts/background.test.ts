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
  it('begins putOff what is being answered now', async () => {
    const { run, close } = background()
    const { entries, noting } = journal()
    expect(run(noting('work'))).to.equal(true)
    entries.push('the rest of the answer')
    for (let step = 0; step < 10; step += 1) await Promise.resolve()
    entries.push('what the answer waited for')
    await close()
    expect(entries).to.deep.equal(['the rest of the answer', 'what the answer waited for', 'work'])
  })

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
  it('is done when the time is over, once', async () => {
    const { putOff, close } = background()
    const { reached, pass, open } = gate()
    open()
    let done = 0
    putOff(1, async () => {
      done += 1
      await pass()
    })
    expect(done).to.equal(0)
    await reached
    await close()
    expect(done).to.equal(1)
  })

  it('is done in the order of its times, not of its asking', async () => {
    const { putOff, close } = background()
    const { entries, noting } = journal()
    const { reached, pass, open } = gate()
    open()
    putOff(40, async () => {
      entries.push('later')
      await pass()
    })
    putOff(1, noting('sooner'))
    await reached
    expect(entries).to.deep.equal(['sooner', 'later'])
    await close()
  })

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
  it('waits for all that goes on', async () => {
    const { run, close } = background()
    const { pass, reached, open } = gate()
    let closed = false
    run(pass)
    await reached
    const closing = close().then(() => {
      closed = true
    })
    await settled()
    expect(closed).to.equal(false)
    open()
    await closing
  })

  it('does at once what was put off, once, and waits for that too', async () => {
    const { putOff, close } = background()
    const { pass, reached, open } = gate()
    let done = 0
    let closed = false
    for (let count = 0; count < 3; count += 1) {
      putOff(LONG_MS, async () => {
        await pass()
        done += 1
      })
    }
    const closing = close().then(() => {
      closed = true
    })
    await reached
    await settled()
    expect(closed).to.equal(false)
    open()
    await closing
    expect(done).to.equal(3)
    await close()
    expect(done).to.equal(3)
  })

  it('does it once also when the time is over later', async () => {
    const { putOff, close } = background()
    let done = 0
    putOff(10, async () => {
      done += 1
    })
    await close()
    await new Promise((resolve) => setTimeout(resolve, 20)) // set after it, and for longer
    await settled()
    expect(done).to.equal(1)
  })

  it('comes once, however often it is asked for', async () => {
    const { run, putOff, close } = background()
    const { entries, noting } = journal()
    run(noting('run'))
    putOff(LONG_MS, noting('put off'))
    await Promise.all([close(), close(), close()])
    expect(entries).to.deep.equal(['run', 'put off'])
  })

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

  it('lets nothing begin afterwards', async () => {
    const { run, putOff, close } = background()
    const { entries, noting } = journal()
    await close()
    expect(run(noting('run'))).to.equal(false)
    putOff(0, noting('put off'))
    await new Promise((resolve) => setTimeout(resolve, 5)) // set after it, and for longer
    await settled()
    await close()
    expect(entries).to.deep.equal([])
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
