import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { keyProcesses, PLAIN } from './key-processes.ts'
import { CONTEXT } from './world.ts'

describe('currentKeyring, given announcements of changed keys', () => {
  const processes = keyProcesses()
  const rotateAtOnce = () => succeed(processes.rotate(CONTEXT, { purposes: ['user'], atOnce: true }))

  it('when another process has rotated a key and says so, then the next request uses the new key', async () => {
    const one = processes.start()
    const before = await succeed(one.read)
    await rotateAtOnce()
    expect(await succeed(one.read)).to.equal(before)
    one.announce()
    expect((await succeed(one.read)).user.signing.id).not.to.equal(before.user.signing.id)
  })

  it('when the announcement arrives during a read, then the keys are read again', async () => {
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

  it('when the read took long, then the age of the keys counts from its start', async () => {
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
