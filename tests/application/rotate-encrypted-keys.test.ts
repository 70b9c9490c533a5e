import { expect } from 'chai'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { keyProcesses, PLAIN, TTL } from './key-processes.ts'
import { CONTEXT } from './world.ts'

const A = { id: 'a', secret: 'a'.repeat(32) }
const B = { id: 'b', secret: 'b'.repeat(32) }
const [UNDER_A, UNDER_B, B_THEN_A] = [aesKeyWrapping([A]), aesKeyWrapping([B]), aesKeyWrapping([B, A])]

describe('rotateKeys, given keys that are encrypted', () => {
  let processes: ReturnType<typeof keyProcesses>
  beforeEach(async () => {
    processes = keyProcesses('jwt', true)
    await succeed(processes.start(UNDER_A).read)
  })

  const rotate = (wrapping: KeyWrapping, atOnce: boolean) =>
    processes.rotateWith(wrapping)(CONTEXT, { purposes: KEY_PURPOSES, atOnce })
  const statesUnder = async (wrapping: KeyWrapping) =>
    new Map(
      (await processes.keys())
        .filter(({ retired }) => !retired)
        .map((key) => [key.id, wrapping.assess(key.material, key)] as const),
    )

  for (const atOnce of [false, true]) {
    it(`when they are rotated ${atOnce ? 'at once' : 'gently'}, then the new ones are encrypted too`, async () => {
      await succeed(rotate(UNDER_A, atOnce))
      const states = await statesUnder(UNDER_A)
      expect(states.size).to.equal(atOnce ? 4 : 8)
      for (const [id, state] of states) expect(state, id).to.equal('current')
      await succeed(processes.start(UNDER_A).read)
    })
  }

  it('when they are rotated gently, then only the retirement of the old ones changes', async () => {
    const before = await processes.keys()
    await succeed(rotate(UNDER_A, false))
    const materials = new Map((await processes.keys()).map(({ id, material }) => [id, material]))
    for (const { id, material } of before) expect(materials.get(id)).to.equal(material)
  })

  it('when another key-encryption key is current, then the new ones are encrypted under that', async () => {
    await succeed(rotate(B_THEN_A, false))
    expect(await statesUnder(UNDER_B)).to.deep.equal(
      new Map([
        ['application-1', 'unreadable'],
        ['user-1', 'unreadable'],
        ['application-2', 'current'],
        ['user-2', 'current'],
        ['user_jwt-1', 'unreadable'],
        ['user_jwt-2', 'current'],
        ['id_token-1', 'unreadable'],
        ['id_token-2', 'current'],
      ]),
    )
  })

  for (const [name, wrapping, lack] of [
    ['no key-encryption key', PLAIN, 'is not set'],
    ['only another one', UNDER_B, 'lacks a'],
  ] as const) {
    it(`when there is ${name}, then a gentle rotation is refused with the reason, and changes nothing`, async () => {
      const before = await processes.keys()
      const failure = await fail(rotate(wrapping, false))
      expect(failure).to.deep.equal({
        _tag: 'CannotUnwrap',
        reason: `signing key ${before[0]?.kid} is encrypted under the key-encryption key a, and KEY_ENCRYPTION_KEY ${lack}`,
      })
      expect(await processes.keys()).to.deep.equal(before)
    })

    it(`when there is ${name}, then a rotation at once succeeds`, async () => {
      await fail(processes.start(wrapping).read)
      await succeed(rotate(wrapping, true))
      for (const [id, state] of await statesUnder(wrapping)) expect(state, id).to.equal('current')
      await succeed(processes.start(wrapping).read)
    })
  }

  it('when the only key that cannot be unwrapped is due, then the rotation succeeds', async () => {
    await succeed(rotate(B_THEN_A, false))
    processes.clock.passSeconds(600 + TTL.id_token + 600)
    await succeed(rotate(UNDER_B, false))
    await succeed(processes.start(UNDER_B).read)
  })
})
