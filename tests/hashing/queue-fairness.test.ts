import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { timeBoundedQueue } from '../../adapters/credentials/hashing/queue.ts'
import type { HashingShare } from '../../application/ports/password-hasher.ts'

const OVERLOADED = (retryAfterSeconds: number) => left({ _tag: 'Overloaded', retryAfterSeconds })

/**
 * A queue whose jobs run until the test ends them. Each counts as 100 ms.
 *
 * @param room how many jobs may wait
 */
const heldQueue = (room: number, concurrency = 1) => {
  const enqueue = timeBoundedQueue({ concurrency, maxWaitMs: (room * 100) / concurrency }, 100)
  const begun: Array<string> = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    begun,
    ask: (...[name, part]: HashingShare) => {
      const share: HashingShare = part === undefined ? [name] : [name, part]
      const job = async () => {
        begun.push(share.join('/'))
        await opened
        return share.join('/')
      }
      return enqueue(job, { share })()
    },
    open,
  }
}

describe('a queue with jobs of several shares', () => {
  it('runs one job of each share in turn, in the order of their first requests', async () => {
    const { ask, begun, open } = heldQueue(20)
    const all = [
      ...['a', 'a', 'a', 'a'].map((name) => ask(name)),
      ...['b', 'b'].map((name) => ask(name)),
      ask('c'),
    ]
    open()
    await Promise.all(all)
    expect(begun).to.deep.equal(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('runs the parts of a share in turn within the turns of the share', async () => {
    const { ask, begun, open } = heldQueue(20)
    const all = [
      ask('x'),
      ...[1, 2, 3].map(() => ask('a', '1')),
      ...[1, 2].map(() => ask('a', '2')),
      ...[1, 2].map(() => ask('b')),
      ask('a'),
    ]
    open()
    await Promise.all(all)
    expect(begun).to.deep.equal(['x', 'a/1', 'b', 'a/2', 'b', 'a', 'a/1', 'a/2', 'a/1'])
  })

  it('refuses the newest job of the largest share when it is full, and accepts a new share', async () => {
    const { ask, open } = heldQueue(3)
    const [running, second, third, newest] = [ask('a'), ask('a'), ask('a'), ask('a')]
    const newcomer = ask('b')
    expect(await newest).to.deep.equal(OVERLOADED(1))
    open()
    expect(await Promise.all([running, second, third, newcomer])).to.deep.equal(
      ['a', 'a', 'a', 'b'].map((name) => right(name)),
    )
  })

  it('accepts a new share when only one job may wait', async () => {
    const { ask, open } = heldQueue(1)
    const [running, waiting] = [ask('a'), ask('a')]
    const newcomer = ask('b')
    expect(await waiting).to.deep.equal(OVERLOADED(1))
    expect(await ask('a')).to.deep.equal(OVERLOADED(1))
    open()
    expect(await Promise.all([running, newcomer])).to.deep.equal([right('a'), right('b')])
  })

  it('refuses the newest job of the largest part, and accepts a new part of the share', async () => {
    const { ask, open } = heldQueue(3)
    const [running, first, other, newest] = [ask('a', '1'), ask('a', '1'), ask('b'), ask('a', '1')]
    const newcomer = ask('a', '2')
    expect(await newest).to.deep.equal(OVERLOADED(1))
    open()
    expect(await Promise.all([running, first, other, newcomer])).to.deep.equal(
      ['a/1', 'a/1', 'b', 'a/2'].map((name) => right(name)),
    )
  })

  it('refuses a new share when as many shares wait as there is room for', async () => {
    const { ask, open } = heldQueue(3)
    const all = ['a', 'b', 'c', 'd'].map((name) => ask(name))
    expect(await ask('e')).to.deep.equal(OVERLOADED(1))
    open()
    expect(await Promise.all(all)).to.deep.equal(['a', 'b', 'c', 'd'].map((name) => right(name)))
  })

  it('lets at most a thousand jobs wait, however long they may wait', async () => {
    const { ask, open } = heldQueue(10_000)
    const all = Array.from({ length: 1_001 }, () => ask('a'))
    expect(await ask('a')).to.have.property('_tag', 'Left')
    const newcomer = ask('b')
    expect(await all.at(-1)).to.have.property('_tag', 'Left')
    open()
    expect(await newcomer).to.deep.equal(right('b'))
    expect((await Promise.all(all)).filter(({ _tag }) => _tag === 'Right')).to.have.length(1_000)
  })

  it('serves ten shares equally, however many jobs each requests', async () => {
    const { ask, begun, open } = heldQueue(50, 3)
    const all = Array.from({ length: 10 }, (_, share) =>
      Array.from({ length: 5 + 10 * share }, () => ask(`${share}`)),
    ).flat()
    open()
    await Promise.all(all)
    const served = Array.from({ length: 10 }, (_, share) => begun.filter((one) => one === `${share}`).length)
    expect(Math.min(...served)).to.be.at.least(Math.max(...served) - 1)
  })

  it('refuses a job whose turn comes after twice its allowed wait', async () => {
    let now = 0
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: 1_000 }, 100, () => now)
    const begun: Array<string> = []
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const ask = (name: string, takesMs: number) =>
      enqueue(
        async () => {
          begun.push(name)
          await opened
          now += takesMs
        },
        { share: [name] },
      )()
    const outcomes = [ask('slow', 2_000), ask('in time', 1), ask('late', 1)]
    open()
    expect(await Promise.all(outcomes)).to.deep.equal([right(undefined), right(undefined), OVERLOADED(1)])
    expect(begun).to.deep.equal(['slow', 'in time'])
  })
})
