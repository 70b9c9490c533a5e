import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import fc from 'fast-check'
import { newEd25519 } from '../../adapters/credentials/signing/ed25519.ts'
import { bytesOfNumber, L, numberOf } from './curve.ts'
import { IMPLEMENTATIONS } from './signatures.ts'

const pair = newEd25519()
const implementations = await Promise.all(IMPLEMENTATIONS.map(([, signaturesOf]) => signaturesOf(pair)))
const { sign } = await pair.signatures()

/** What happens to a signature on its way. */
const CHANGES: Readonly<Record<string, (signature: Buffer, at: number) => Buffer>> = {
  nothing: (signature) => signature,
  'one bit': (signature, at) => {
    const changed = Buffer.from(signature)
    changed.writeUInt8(changed.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3)
    return changed
  },
  'a lost end': (signature, at) => signature.subarray(0, at >> 3),
  'one more byte': (signature, at) => Buffer.concat([signature, Buffer.of(at & 255)]),
  'the group order added (RFC 8032 §8.4)': (signature) =>
    Buffer.concat([signature.subarray(0, 32), bytesOfNumber(numberOf(signature.subarray(32)) + L)]),
}

describe('signatures by OpenSSL and by libsodium', () => {
  it('are the same bytes for every message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (message) => {
        const [one, other] = implementations.map(({ sign }) => sign(message).toString('hex'))
        expect(other).to.equal(one)
      }),
    )
  })

  for (const [what, change] of Object.entries(CHANGES))
    it(`get the same verdict, with ${what} changed`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 511 }), (message, at) => {
          const signature = change(sign(message), at)
          for (const { verify } of implementations)
            expect(verify(message, signature)).to.equal(what === 'nothing')
        }),
      )
    })

  it('are by OpenSSL where sodium-native cannot be loaded', () => {
    const module = new URL('../../adapters/credentials/signing/signatures.js', import.meta.url)
    const script = `
      import { register } from 'node:module'
      const hooks = 'export const resolve = (name, context, next) =>'
        + ' name === "sodium-native" ? Promise.reject(new Error("no binary")) : next(name, context)'
      register('data:text/javascript,' + encodeURIComponent(hooks))
      const { libsodium, fastestSignatures } = await import(${JSON.stringify(module.href)})
      const { generateKeyPairSync } = await import('node:crypto')
      const { sign, verify } = await fastestSignatures({ ...generateKeyPairSync('ed25519'), d: '', x: '' })
      const message = Buffer.from('message')
      process.stdout.write(String(await libsodium()) + ' ' + verify(message, sign(message)))`
    expect(
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
    ).to.equal('undefined true')
  })
})
