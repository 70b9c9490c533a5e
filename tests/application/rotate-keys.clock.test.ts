import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { keyProcesses, TTL } from './key-processes.ts'
import { CALL } from './world.ts'

const PURPOSES = ['user'] as const

describe('rotateKeys, given a clock that is set back before it', () => {
  it('when the new key has begun, then it signs, and not one that is about to end', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    processes.clock.passSeconds(-1_000)
    await succeed(processes.rotate(CALL, { purposes: PURPOSES, atOnce: false }))
    processes.clock.passSeconds(600)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
    processes.clock.passSeconds(1_000)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
    // The last second of the old key: a token that it signed now would die with it.
    processes.clock.passSeconds(TTL.user - 1_000 + 600 - 1)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
  })

  it('when the new key has not begun, then the one signs that everybody knows', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    processes.clock.passSeconds(-1_000)
    await succeed(processes.rotate(CALL, { purposes: PURPOSES, atOnce: false }))
    processes.clock.passSeconds(1)
    expect((await succeed(read)).user.signing.id).to.equal('user-1')
  })
})

describe('rotateKeys, given nine keys', () => {
  it('when it is done gently twice in one second, then the last key signs once it has begun', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    for (let count = 0; count < 7; count += 1) {
      await succeed(processes.rotate(CALL, { purposes: PURPOSES, atOnce: true }))
    }
    for (let count = 0; count < 2; count += 1) {
      await succeed(processes.rotate(CALL, { purposes: PURPOSES, atOnce: false }))
    }
    processes.clock.passSeconds(600)
    const { user } = await succeed(read)
    expect(user.signing.id).to.equal('user-10')
    expect(user.signing.retiresAtSeconds).to.have.property('_tag', 'None')
  })
})
