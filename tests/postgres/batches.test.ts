import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { inBatches } from '../../adapters/stores/postgres/batches.ts'
import { gate } from '../support/waiting.ts'

describe('a batch of waiting tasks', () => {
  it('runs in order, while new tasks wait', async () => {
    const done: Array<ReadonlyArray<number>> = []
    const { reached, pass, open } = gate()
    const batches = inBatches(async (items: ReadonlyArray<number>) => {
      done.push(items)
      if (done.length === 1) await pass()
      return items.map((item) => item * 10)
    }, -1)
    const first = [1, 2, 3].map(batches.add)
    await reached
    const second = [4, 5].map(batches.add)
    open()
    expect(await Promise.all([...first, ...second])).to.deep.equal([10, 20, 30, 40, 50])
    expect(done).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ])
    await batches.drained()
  })

  it('refuses a task that waited too long without running it, and runs later tasks', async () => {
    const done: Array<ReadonlyArray<string>> = []
    const { reached, pass, open } = gate()
    const batches = inBatches(
      async (items: ReadonlyArray<string>) => {
        done.push(items)
        if (done.length === 1) await pass()
        return items
      },
      'too late',
      500,
    )
    const slow = batches.add('slow')
    await reached
    const late = batches.add('late')
    await setTimeout(600)
    const next = batches.add('next')
    open()
    expect(await Promise.all([slow, late, next])).to.deep.equal(['slow', 'too late', 'next'])
    expect(done).to.deep.equal([['slow'], ['next']])
  })

  it('refuses a task at once when too many wait', async () => {
    const { pass, open } = gate()
    const batches = inBatches(async (items: ReadonlyArray<number>) => {
      await pass()
      return items
    }, -1)
    const all = Array.from({ length: 4_097 }, (_, index) => batches.add(index))
    expect(await all[4_096]).to.equal(-1)
    open()
    expect(await Promise.all(all.slice(0, 4_096))).to.deep.equal(
      Array.from({ length: 4_096 }, (_, index) => index),
    )
  })
})
