import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { exportLines, KEY, ORIGIN, verifierKeyOf, verifyByUs } from './exported-log.ts'

describe('the verification of an exported log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
  after(() => rmSync(folder, { recursive: true }))

  it('refuses a checkpoint for another origin than the name of its key', async () => {
    const [text = ''] = (await exportLines(folder, { size: 3 })).split('\n\n')
    const sign = (checkpoint: string) => ed25519Notes([KEY]).sign(`${checkpoint}\n`, ORIGIN)
    for (const [checkpoint, isRefused] of [
      [text, false],
      [text.replace('a1b2c3d4', '00000000'), true],
      [text.replace('auth.', ''), true],
    ] as const) {
      writeFileSync(join(folder, 'checkpoint'), toUndefined(await sign(checkpoint)) ?? '')
      expect(isRight(await verifyByUs(folder, verifierKeyOf(KEY), []))).to.equal(!isRefused)
    }
  })
})
