import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { keyProcesses, PLAIN } from './key-processes.ts'
import { CONTEXT } from './world.ts'

describe('currentKeyring, told that keys have changed', () => {
  const processes = keyProcesses()
  const rotateAtOnce = () => succeed(processes.rotate(CONTEXT, { purposes: ['user'], atOnce: true }))

  it('when another process has rotated a key and says so, then it is honoured with the next request', async () => {
    const one = processes.start()
    const before = await succeed(one.read)
    await rotateAtOnce()
    expect(await succeed(one.read)).to.equal(before)
    one.announce()
    expect((await succeed(one.read)).user.signing.id).not.to.equal(before.user.signing.id)
  })

  it('when that is said while the keys are being read, then they are read once more', async () => {
    let meanwhile = async () => {}
    const one = processes.start(PLAIN, () => meanwhile())
    await succeed(one.read)
    processes.clock.passSeconds(1)
    meanwhile = async () => {
      meanwhile = async () => {}
      await rotateAtOnce()
      one.announce()
    }
    const stale = await succeed(one.read)
    expect((await succeed(one.read)).user.signing.id).not.to.equal(stale.user.signing.id)
  })

  it('when reading them took long, then they are as old as the question, and not as the answer', async () => {
    let meanwhile = async () => {}
    const one = processes.start(PLAIN, () => meanwhile())
    meanwhile = async () => processes.clock.passSeconds(0.6)
    await succeed(one.read)
    const lookups = one.lookups()
    processes.clock.passSeconds(0.6)
    await succeed(one.read)
    expect(one.lookups()).to.equal(lookups + 1)
  })
})
