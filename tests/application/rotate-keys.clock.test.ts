import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { succeed } from '../support/outcome.ts'
import { keyProcesses, NOW_SECONDS, TTL } from './key-processes.ts'
import { CONTEXT } from './world.ts'

const PURPOSES = ['user'] as const
const A_YEAR = 31_536_000

describe('rotateKeys, given a clock that is set back before it', () => {
  it('when the new key may sign, then it signs, not one that is about to retire', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    processes.clock.passSeconds(-1_000)
    await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: false }))
    processes.clock.passSeconds(600)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
    processes.clock.passSeconds(1_000)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
    // The last second of the old key: a token that it signs now would be valid for one second.
    processes.clock.passSeconds(TTL.user - 1_000 + 600 - 1)
    expect((await succeed(read)).user.signing.id).to.equal('user-2')
  })

  it('when the new key does not sign yet, then the published one signs', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    processes.clock.passSeconds(-1_000)
    await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: false }))
    processes.clock.passSeconds(1)
    expect((await succeed(read)).user.signing.id).to.equal('user-1')
  })

  it('when it was far ahead at a gentle rotation, then the next rotation retires older keys earlier', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    const ends = async () =>
      Object.fromEntries(
        (await processes.keys()).map(({ id, retiresAtSeconds }) => [id, toUndefined(retiresAtSeconds)]),
      )
    const end = NOW_SECONDS + 600 + TTL.user + 600
    processes.clock.passSeconds(A_YEAR)
    await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: false }))
    expect(await ends()).to.deep.include({ 'user-1': end + A_YEAR, 'user-2': undefined })
    processes.clock.passSeconds(-A_YEAR)
    await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: false }))
    expect(await ends()).to.deep.include({ 'user-1': end, 'user-2': end, 'user-3': undefined })
  })
})

describe('rotateKeys, given nine keys', () => {
  it('when it is done gently twice in one second, then the last key signs once it has begun', async () => {
    const processes = keyProcesses()
    const { read } = processes.start()
    await succeed(read)
    for (let count = 0; count < 7; count += 1) {
      await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: true }))
    }
    for (let count = 0; count < 2; count += 1) {
      await succeed(processes.rotate(CONTEXT, { purposes: PURPOSES, atOnce: false }))
    }
    processes.clock.passSeconds(600)
    const { user } = await succeed(read)
    expect(user.signing.id).to.equal('user-10')
    expect(user.signing.retiresAtSeconds).to.have.property('_tag', 'None')
  })
})
